"""What runs amount to: worst code, flaky cells, expected failures, errors apart from verdicts."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from harness.cell import Cell, Outcome
from harness.result import Result
from harness.suite.course import Course
from harness.suite.entries import Entry
from harness.suite.journal import Ended, Mark
from harness.suite.standing import CODES, ended, exit_code, is_flaky, standing, worst
from harness.verdict import Value, Verdict

CELL = Cell("scenarios/worker-kill.yaml", "memory")
CODE: dict[Mark, int] = {"pass": 0, "FAIL": 1, "INCONCLUSIVE": 3, "ERROR": 4}


def run(mark: Mark, turn: int = 1, cell: Cell = CELL, digest: str = "d") -> Ended:
    return Ended(cell, digest, turn, mark, CODE[mark], f"why {mark}")


def runs(*marks: Mark) -> list[Ended]:
    return [run(mark, turn) for turn, mark in enumerate(marks, 1)]


def outcome(value: Value, *failing: str, code: int) -> Outcome:
    verdicts = tuple(
        Verdict(invariant=name, claim="", value="FAIL", says="", examined=1, of="jobs", violations=1)
        for name in failing
    )
    result = Result(
        run="r", scenario="s", target="t", seed=1, started="", seconds=1, value=value, says="why", verdicts=verdicts
    )
    return Outcome(CELL, code, "reports/r", result, "why", 2.0)


def test_an_error_of_the_stack_outranks_a_failure_and_an_interruption_everything() -> None:
    for pair in permutations(CODES, 2):
        assert worst(pair) == min(pair, key=(130, 4, 5, 2, 1, 3, 0).index)
    assert worst([]) == 0


@pytest.mark.parametrize(
    ("marks", "stands", "code"),
    [
        (["pass", "pass", "pass"], "pass", 0),
        (["pass", "FAIL", "pass"], "FLAKY", 1),
        (["pass", "INCONCLUSIVE"], "FLAKY", 3),
        (["FAIL", "INCONCLUSIVE"], "FLAKY", 1),
        (["FAIL", "FAIL"], "FAIL", 1),
        (["pass", "ERROR"], "ERROR", 4),
        (["pass", "ERROR", "FAIL"], "FLAKY", 4),
        (["INCONCLUSIVE"], "INCONCLUSIVE", 3),
        ([], "not run", 3),
    ],
)
def test_repeats_that_differ_are_flaky_and_never_a_pass(marks: list[Mark], stands: str, code: int) -> None:
    found = standing(Entry(CELL, "d"), runs(*marks))
    assert (found.stands, found.code) == (stands, code)
    assert is_flaky(found.runs) == (stands == "FLAKY")


def test_a_flaky_cell_says_how_often_and_shows_the_run_that_failed() -> None:
    found = standing(Entry(CELL, "d"), runs("pass", "FAIL", "pass"))
    assert found.says == "of 3 runs: 2 pass, 1 FAIL; why FAIL"
    assert found.telling == run("FAIL", 2)


@pytest.mark.parametrize(
    ("fails", "variant", "came", "mark", "code"),
    [
        ((), "", outcome("PASS", code=0), "pass", 0),
        ((), "", outcome("FAIL", "no_lost_jobs", code=1), "FAIL", 1),
        ((), "", outcome("INCONCLUSIVE", code=3), "INCONCLUSIVE", 3),
        (("no_lost_jobs",), "broken", outcome("FAIL", "no_lost_jobs", code=1), "pass", 0),
        (("no_lost_jobs",), "broken", outcome("PASS", code=0), "FAIL", 1),
        (("no_lost_jobs",), "broken", outcome("FAIL", "no_stuck_jobs", code=1), "FAIL", 1),
        (("no_lost_jobs",), "broken", outcome("INCONCLUSIVE", code=3), "INCONCLUSIVE", 3),
        ((), "", outcome("PASS", code=5), "ERROR", 5),
        ((), "", Outcome(CELL, 4, says="no broker"), "ERROR", 4),
    ],
)
def test_what_a_variant_must_come_to_decides(
    fails: tuple[str, ...], variant: str, came: Outcome, mark: str, code: int
) -> None:
    entry = Entry(Cell("s.yaml", "memory", variant=variant), "d", fails)
    found = ended(entry, 1, came)
    assert (found.mark, found.code) == (mark, code)


def test_a_cell_that_is_put_aside_says_why_and_costs_nothing() -> None:
    skipped = standing(Entry(CELL, "d", aside="skipped", reason="no go"), [])
    assert (skipped.stands, skipped.code, skipped.says) == ("skipped", 0, "no go")


def test_a_repeat_that_is_missing_is_no_pass_and_hides_no_failure() -> None:
    cut_short = standing(Entry(CELL, "d"), runs("pass", "pass"), repeat=3)
    assert (cut_short.stands, cut_short.code, cut_short.says) == ("not run", 3, "2 of 3 runs were made")
    assert standing(Entry(CELL, "d"), runs("FAIL"), repeat=3).stands == "FAIL"


def test_a_suite_in_which_nothing_can_be_run_is_no_pass() -> None:
    aside = [standing(Entry(CELL, "d", aside="n/a", reason="no redis"), [])]
    assert exit_code(aside, interrupted=False, fit=0) == 3
    assert exit_code(aside, interrupted=False, fit=1) == 0, "the rest is another shard's"
    assert exit_code([standing(Entry(CELL, "d"), runs("FAIL"))], interrupted=True, fit=1) == 130


def cells(*names: str) -> list[Entry]:
    return [Entry(Cell("s.yaml", name), "d") for name in names]


def test_what_was_done_is_not_done_again() -> None:
    entries = [*cells("a", "b"), Entry(Cell("s.yaml", "c"), "d", aside="n/a")]
    course = Course(entries, 2)
    a, b = entries[0].cell, entries[1].cell
    assert course.todo == [a, b, a, b]
    assert course.take_up([run("pass", 1, a), run("FAIL", 2, a), run("ERROR", 1, b)]) == 3
    assert course.todo == [b]
    assert [one.stands for one in course.standings()] == ["FLAKY", "ERROR", "n/a"]


def test_an_error_of_the_stack_is_tried_again_after_an_interruption_if_such_may_be() -> None:
    entries = cells("a", "b")
    before = [run("ERROR", 1, entries[0].cell), run("FAIL", 1, entries[1].cell)]
    for reruns, todo in ((0, []), (1, [entries[0].cell])):
        course = Course(entries)
        course.take_up(before, reruns=reruns)
        assert course.todo == todo


def test_what_was_done_with_another_scenario_or_beyond_the_repeats_is_not_taken_up() -> None:
    (entry,) = cells("a")
    course = Course([entry], 1)
    strange = Cell("other.yaml", "a")
    assert course.take_up([run("pass", 1, entry.cell, "old"), run("pass", 2, entry.cell), run("pass", 1, strange)]) == 0
    assert course.todo == [entry.cell]


def test_a_run_that_ends_is_the_first_repeat_that_is_missing() -> None:
    course = Course([Entry(CELL, "d")], 3)
    course.take_up([run("pass", 2)])
    noted: list[Any] = [course.note(outcome("PASS", code=0)).turn for _ in range(2)]
    assert (noted, course.todo, course.made) == ([1, 3], [], 3)
