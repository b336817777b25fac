"""Runs side by side: cores of their own where there are enough, and a word where there are not."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from harness.cell import Cell, Outcome
from harness.crew import Crew
from harness.lanes import Lane, lanes, warning


@pytest.mark.parametrize(
    ("jobs", "cores", "dealt"),
    [
        (1, 8, ()),
        (2, 3, ()),
        (2, 4, ({0, 1}, {2, 3})),
        (3, 8, ({0, 1}, {2, 3, 4}, {5, 6, 7})),
    ],
)
def test_cores_are_dealt_out_evenly_and_only_where_each_run_gets_enough(
    jobs: int, cores: int, dealt: tuple[set[int], ...]
) -> None:
    assert lanes(jobs, range(cores)) == dealt


def test_what_may_disturb_is_said() -> None:
    assert warning(1, ()) == ""
    assert "may disturb each other's figures" in warning(2, ())
    assert warning(2, lanes(2, range(4))).startswith("2 runs at a time, each on 2 cores of its own: ")


def test_a_run_keeps_to_its_lane_which_is_then_free_for_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    say = "import os; open(os.environ['LANES'], 'a').write(f'{sorted(os.sched_getaffinity(0))}\\n')"
    monkeypatch.setenv("LANES", str(tmp_path / "lanes.txt"))
    monkeypatch.setattr(Cell, "command", lambda self, reports: [sys.executable, "-c", say])
    own: Lane = frozenset([max(os.sched_getaffinity(0))])
    with Crew(str(tmp_path), lanes=[own]) as crew:
        for _ in range(2):
            crew.start(Cell("s.yaml", "memory"))
            (outcome,) = crew.ended()
            assert outcome.beside == 0
    assert (tmp_path / "lanes.txt").read_text() == f"{sorted(own)}\n" * 2


def test_a_run_knows_how_many_went_on_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = [sys.executable, "-c", "pass"]
    monkeypatch.setattr(Cell, "command", lambda self, reports: nothing)
    with Crew(str(tmp_path)) as crew:
        for name in "abc":
            crew.start(Cell(f"{name}.yaml", "memory"))
        ended: list[Outcome] = []
        while len(ended) < 3:
            ended += crew.ended()
    assert {one.cell.situation: one.beside for one in ended} == dict.fromkeys("abc", 2)
