"""Axes as people write them, points that can be run, and the order in which they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.cell import Cell
from harness.problems import Problems
from harness.sweep.axis import Axis, axes
from harness.sweep.course import Course
from harness.sweep.grid import Grid, checked
from harness.sweep.journal import Asked, Journal, earlier
from tests.unit.sweep.swept import grid, made

ROOT = Path(__file__).parents[3]
KILL = str(ROOT / "scenarios" / "worker-kill.yaml")


def test_axes_are_read_in_their_order() -> None:
    assert axes(["prefetch=1,4", "workers=1, 2"]) == (Axis("prefetch", ("1", "4")), Axis("workers", ("1", "2")))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ([], "nothing is varied"),
        (["lease"], "expected NAME=VALUE,VALUE,..."),
        (["lease=1s,"], "expected NAME=VALUE,VALUE,..."),
        (["lease=1s,1s"], "`1s` stands there twice"),
        (["lease=1s", "lease=2s"], "it is varied twice"),
        (["a=1", "b=1", "c=1", "d=1"], "4 settings are varied"),
    ],
)
def test_axes_that_say_nothing_are_refused(given: list[str], says: str) -> None:
    with pytest.raises(Problems, match=says):
        axes(given)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("leas=1s,2s", "did you mean `lease`"),
        ("worker=1,2", "did you mean `workers`"),
        ("lease=1s,soon", "--set lease=soon"),
        ("workers=0,1", "from 1 to 64, got `0`"),
        ("lease=1s,1000ms", "lease=1s and lease=1000ms are the same"),
    ],
)
def test_a_grid_that_cannot_be_run_is_refused_with_a_remedy(text: str, says: str) -> None:
    with pytest.raises(Problems) as refused:
        checked(Grid(Cell(KILL, "memory"), axes([text])))
    assert says in "\n".join(f"{one} {one.hint}" for one in refused.value.found)


def test_a_name_that_is_shortened_is_known_again() -> None:
    with pytest.raises(Problems) as refused:
        checked(Grid(Cell(KILL, "celery"), axes(["prefetch=1,4"])))
    assert refused.value.found[0].hint == "did you mean `prefetch_multiplier`?"


def test_a_setting_of_a_server_is_an_axis_too() -> None:
    found = checked(Grid(Cell(KILL, "celery"), axes(["redis.persistence=none,rdb"])))
    assert found.servers["redis"].persistence == "none"


def test_a_point_is_a_cell_with_its_knobs_and_its_workers() -> None:
    of = Grid(Cell(KILL, "memory", knobs=(("ack", "late"), ("lease", "9s"))), axes(["lease=1s,2s", "workers=1,2"]))
    cell = of.at(("2s", "1"), 5, "there")
    assert (cell.seed, cell.knobs, cell.overlay) == (5, (("ack", "late"), ("lease", "2s")), "there/workers-1.yaml")
    assert of.name(("2s", "1")) == "lease=2s workers=1"


def test_each_turn_has_every_point_once_in_an_order_and_with_a_seed_of_its_own() -> None:
    of = grid(Axis("lease", tuple("123456789")))
    todo = Course(of, 3, 40, "there").todo
    turns = [[cell.knobs[0][1] for cell in todo if cell.seed == seed] for seed in (40, 41, 42)]
    assert [sorted(turn) for turn in turns] == [list("123456789")] * 3
    assert len({tuple(turn) for turn in turns}) == 3
    assert [cell.seed for cell in todo] == [40] * 9 + [41] * 9 + [42] * 9
    assert Course(of, 3, 40, "there").todo == todo


def test_a_run_that_was_made_is_not_made_again_and_more_turns_are_added() -> None:
    of = grid()
    course = Course(of, 2, 7, "there")
    taken = [made(("1s",), 0), made(("2s",), 0, "ERROR"), made(("5s",), 1, "FAIL"), made(("5s",), 4)]
    assert course.take_up(taken) == 2
    assert [(one.point, one.turn) for one in course.made] == [(("1s",), 0), (("5s",), 1)]
    assert sorted((cell.knobs[0][1], cell.seed) for cell in course.todo) == [("1s", 8), ("2s", 7), ("2s", 8), ("5s", 7)]


def test_a_journal_outlives_a_writer_that_was_killed(tmp_path: Path) -> None:
    folder = tmp_path / "1-sweep-kill-memory"
    folder.mkdir()
    asked = Asked(grid(), "digest")
    with Journal(str(folder)) as journal:
        journal.write(asked)
        journal.write(made(("1s",)))
    with (folder / "sweep.jsonl").open("a") as file:
        file.write('{"e":"made","po')
    with Journal(str(folder)) as journal:
        journal.write(made(("2s",)))
        assert journal.made() == [made(("1s",)), made(("2s",))]
        with pytest.raises(Problems, match="another sweep is writing here"), Journal(str(folder)):
            pass
    assert earlier(str(tmp_path), asked) == str(folder)
    assert earlier(str(tmp_path), Asked(grid(), "changed")) == ""
