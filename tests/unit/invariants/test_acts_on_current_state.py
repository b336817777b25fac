"""An effect acts on the version of its record that was current when its run began."""

import pytest

from harness.history.history import History
from harness.invariants.acts_on_current_state import ActsOnCurrentState
from harness.verdict import Finding, failed, passed
from tests.unit.invariants.histories import Tale

OF = "effects on a record that had changed"


def check(history: History) -> Finding:
    return ActsOnCurrentState().check(history)


def agreed(examined: int) -> Finding:
    says = f"{examined} effect{'s' * (examined != 1)} on a record that had changed, each on its current version."
    return passed(says, examined=examined, of=OF, stale=0)


def acted(version: int, start: float = 5.0) -> Tale:
    """The record has its second version from 3 and its third from 4."""
    tale = Tale().done("x").acked("a").changed("a", 3, 2).changed("a", 4, 3).changed("y", 1, 9)
    return tale.started("a", start).effect("a", start + 1, version=version).finished("a", start + 1)


@pytest.mark.parametrize(
    ("start", "version", "found"),
    [(5, 3, 1), (4.0, 2, 1), (4.0, 3, 1), (3.5, 2, 1), (3.5, 3, 1), (3.0, 1, 0), (2, 1, 0), (5, 0, 0)],
)
def test_the_version_of_its_beginning_or_a_later_one_will_do(start: float, version: int, found: int) -> None:
    assert check(acted(version, start).ended()) == agreed(found)


@pytest.mark.parametrize(("start", "version"), [(5, 2), (5, 1), (4.001, 2), (3.5, 1)])
def test_an_older_one_will_not(start: float, version: int) -> None:
    says = "1 effect of 1 acted on a record as it had been before."
    assert check(acted(version, start).ended()) == failed(says, examined=1, of=OF, jobs=[1], stale=1)
    assert check(acted(version, start).cut()) == check(acted(version, start).ended())


def test_a_job_is_named_once() -> None:
    tale = acted(1).effect("a", 6.5, version=2).acked("b").changed("b", 1).ran("b", 2, 3).effect("b", 3, version=2)
    says = "2 effects of 3 acted on a record as it had been before."
    assert check(tale.ended()) == failed(says, examined=3, of=OF, jobs=[1], stale=2)


def test_of_two_runs_that_overlap_it_may_be_the_earlier_ones() -> None:
    tale = Tale().acked("a").started("a", 1, run="one").changed("a", 2).started("a", 3, run="two")
    tale.effect("a", 4, version=1).finished("a", 4, run="one").finished("a", 9, run="two")
    assert check(tale.ended()) == agreed(0)


def test_a_run_that_is_over_is_not_the_one() -> None:
    tale = Tale().acked("a").ran("a", 0, 1, "failed").started("a", 1.5, pid=7).died("w1", 7, 1.8).changed("a", 2)
    tale.started("a", 3).effect("a", 4, version=1).finished("a", 4).ran("a", 5, 6)
    assert check(tale.ended()).jobs == (0,)


def test_an_effect_after_every_run_is_the_last_ones() -> None:
    tale = Tale().acked("a").ran("a", 0, 1, "failed").changed("a", 2).ran("a", 3, 4, "failed").effect("a", 5, version=1)
    assert check(tale.ended()).jobs == (0,)


def test_an_effect_of_a_run_that_nobody_saw_begin_is_not_judged() -> None:
    assert check(Tale().acked("a").changed("a", 1).effect("a", 2, version=1).ran("a", 3, 4).ended()) == agreed(0)


def test_nothing_changed() -> None:
    assert check(Tale().done("a", "b").ended()) == agreed(0)


def test_the_runs_and_changes_of_other_jobs_are_theirs() -> None:
    tale = Tale().acked("a", "b").changed("a", 0.5, 9).ran("a", 1, 2).ran("a", 3, 4).effect("a", 2, version=9)
    assert check(tale.ran("b", 1, 2).effect("b", 2, version=1).changed("b", 5).ended()) == agreed(1)
    assert check(
        Tale()
        .acked("a", "b")
        .changed("a", 9)
        .ran("a", 3, 4)
        .ran("a", 5, 6)
        .changed("b", 1)
        .effect("b", 2, version=1)
        .ended()
    ) == agreed(0)


def test_an_effect_at_the_moment_of_its_start_is_judged() -> None:
    assert check(Tale().acked("a").changed("a", 1).started("a", 5).effect("a", 5, version=1).ended()).jobs == (0,)
