"""A job whose error no retry can mend is not run again."""

import pytest

from harness.history.history import History
from harness.invariants.permanent_failures_skip_retries import PermanentFailuresSkipRetries
from harness.verdict import Finding, failed, passed
from tests.unit.invariants.histories import Outcome, Tale

OF = "jobs that failed for good"


def check(history: History) -> Finding:
    return PermanentFailuresSkipRetries().check(history)


def failing(outcome: Outcome = "failed", note: str = "target.errors.Permanent", pid: int = 1) -> Tale:
    return Tale().done("x").acked("a").ran("a", 1, 2, outcome, note=note, pid=pid)


def skipped(examined: int) -> Finding:
    says = f"{examined} job{'s' * (examined != 1)} failed for good, none of them ran again."
    return passed(says, examined=examined, of=OF, retried=0, runs=0)


def test_a_job_that_is_left_alone() -> None:
    assert check(failing("dead").ended()) == check(failing().ended()) == check(failing("dead").cut()) == skipped(1)
    assert check(failing(note="Transient").ran("a", 3, 4).ended()) == skipped(0)


@pytest.mark.parametrize("outcome", ["failed", "dead"])
def test_a_job_that_is_tried_again(outcome: Outcome) -> None:
    tale = failing(outcome).ran("a", 2.1, 3, "failed", note="Permanent").ran("a", 4, 5, "dead", note="Permanent")
    tale.acked("b").ran("b", 1, 2, note="Permanent").ran("b", 6, 7).acked("c").ran("c", 1, 2, note="Permanent")
    says = "2 jobs of 3 that failed for good ran again, 3 times."
    assert check(tale.ended()) == failed(says, examined=3, of=OF, jobs=[1, 2], retried=2, runs=3)


def test_the_worst_is_named_first() -> None:
    tale = failing().ran("a", 3, 4)
    tale.acked("b").ran("b", 1, 2, note="Permanent").ran("b", 6, 7).ran("b", 8, 9)
    assert check(tale.ended()).jobs == (2, 1)


def test_a_run_that_had_begun_is_no_retry() -> None:
    assert check(failing().ran("a", 1.5, 5, pid=2).ran("a", 2.0, 5, pid=3).ended()) == skipped(1)


def test_whoever_was_put_back_is_meant_to_run_again() -> None:
    assert check(failing("dead").revived("a", 3).ran("a", 3, 4, "dead", note="Permanent").ended()) == skipped(1)
    before = failing().ran("a", 2.5, 2.8, "dead", note="Permanent").revived("a", 3).ran("a", 4, 5)
    assert check(before.ended()).measured == {"retried": 1, "runs": 1}
    after = failing("dead").revived("a", 3).ran("a", 4, 5, note="Permanent").ran("a", 6, 7)
    assert check(after.ended()).measured == {"retried": 1, "runs": 1}
    assert check(failing().revived("a", 3, "missing").ran("a", 4, 5).ended()).measured["runs"] == 1


def test_a_key_that_was_offered_twice_may_be_two_jobs() -> None:
    twice = failing("dead").acked("a", at=0.5).ran("a", 3, 4, "dead", note="Permanent")
    assert check(twice.ended()) == skipped(1)
    assert check(twice.ran("a", 5, 6).ended()).measured == {"retried": 1, "runs": 1}


def test_whoever_dies_with_the_word_on_its_lips_was_not_heard() -> None:
    assert check(failing("dead", pid=7).died("w1", 7, 2).ran("a", 9, 10).ended()) == skipped(1)
    assert check(failing("dead", pid=7).died("w1", 7, 9).ran("a", 9, 10).ended()) == skipped(1)
    assert check(failing("dead", pid=7).died("w1", 7, 9.1).ran("a", 9, 10).ended()).value == "FAIL"
    assert check(failing("failed", pid=7).died("w1", 7, 2.1).ran("a", 9, 10).ended()).value == "FAIL"


def test_the_runs_and_offers_of_other_jobs_are_theirs() -> None:
    tale = failing().ran("a", 3, 4).ran("a", 5, 6).acked("b").acked("b", at=0.5)
    tale.ran("b", 1, 2, "dead", note="Permanent").ran("b", 3, 4, "dead", note="Permanent")
    says = "1 job of 2 that failed for good ran again, 2 times."
    assert check(tale.ended()) == failed(says, examined=2, of=OF, jobs=[1], retried=1, runs=2)


def test_an_offer_that_comes_later_explains_nothing() -> None:
    assert check(failing().ran("a", 3, 4).acked("a", at=5).ended()).measured == {"retried": 1, "runs": 1}


def test_an_offer_that_was_refused_is_no_second_job() -> None:
    assert check(failing().rejected("a").ran("a", 3, 4).ended()).measured == {"retried": 1, "runs": 1}
    assert check(failing().rejected("a").acked("a").ran("a", 3, 4).ended()) == skipped(1)
