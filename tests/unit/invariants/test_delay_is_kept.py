"""A delayed job runs neither before its time nor much later."""

import pytest

from harness.history.events import Ack, Reject
from harness.history.history import History
from harness.invariants.delay_is_kept import DelayIsKept
from harness.verdict import Finding, failed, passed, undecided
from tests.unit.invariants.histories import Tale, ns

OF = "delayed jobs"


def check(history: History) -> Finding:
    return DelayIsKept(late=2.0).check(history)


def delayed(start: float | None) -> Tale:
    """Offered at 1, acked at 1.5, and due at 11 or, for a queue that counts from when it has the job, until 11.5."""
    tale = Tale().done("x").offered("a", at=1, delay=10).tell(Ack(t=ns(1.5), key="a"))
    return tale if start is None else tale.ran("a", start, start + 1)


@pytest.mark.parametrize(("start", "worst", "says"), [(10.95, 0.0, "0 ms"), (13.5, 2.0, "2.0 s")])
def test_a_job_that_keeps_to_its_time(start: float, worst: float, says: str) -> None:
    says = f"1 delayed job, none early, the latest by {says}."
    assert check(delayed(start).ended()) == passed(says, examined=1, of=OF, early=0, late=0, worst_s=worst)


def test_a_job_that_runs_early() -> None:
    says = "Of 1 delayed job 1 ran too early, 0 over 2 s late."
    assert check(delayed(10.949).ended()) == failed(says, examined=1, of=OF, jobs=[1], early=1, late=0, worst_s=0.0)
    assert check(delayed(10.949).cut()) == check(delayed(10.949).ended())


def test_a_job_that_runs_late() -> None:
    says = "Of 1 delayed job 0 ran too early, 1 over 2 s late."
    found = check(delayed(13.501).ran("a", 20, 21).ended())
    assert found == failed(says, examined=1, of=OF, jobs=[1], early=0, late=1, worst_s=2.001)


def test_a_job_that_never_runs_is_late_when_its_time_is_over() -> None:
    says = "Of 1 delayed job 0 ran too early, 1 over 2 s late."
    found = check(delayed(None).ended(at=13.501))
    assert found == failed(says, examined=1, of=OF, jobs=[1], early=0, late=1, worst_s=2.001)
    says = "The history stops before 1 delayed job ran or was late."
    found = check(delayed(None).ended(at=13.5))
    assert found == undecided(says, examined=0, of=OF, early=0, late=0, worst_s=2.0)


def test_whoever_was_refused_and_offered_again_is_due_later() -> None:
    tale = Tale().offered("a", at=0, delay=3).tell(Reject(t=ns(0), key="a")).offered("a", at=20, delay=3)
    assert check(tale.tell(Ack(t=ns(20), key="a")).ran("a", 23, 24).ended()).value == "PASS"


def test_a_job_that_was_never_acked_may_be_early_and_is_never_late() -> None:
    tale = Tale().offered("a", "b", "c", at=0, delay=5).ran("a", 1, 2).ran("b", 50, 51)
    says = "Of 1 delayed job 1 ran too early, 0 over 2 s late."
    assert check(tale.ended()) == failed(says, examined=1, of=OF, jobs=[0], early=1, late=0, worst_s=0.0)


def test_a_worker_that_dies_with_the_job_has_begun_it() -> None:
    tale = delayed(None).started("a", 11.2, pid=7).died("w1", 7, 12).ran("a", 60, 61)
    assert check(tale.ended()).value == "PASS"


def test_jobs_without_a_delay_are_not_judged() -> None:
    says = "0 delayed jobs, none early, the latest by 0 ms."
    assert check(Tale().done("a", "b").ended()) == passed(says, examined=0, of=OF, early=0, late=0, worst_s=0.0)


def test_the_bound_is_more_than_nothing() -> None:
    assert list(DelayIsKept(late=0.0).problems()) == ["late must be more than 0s"]
    assert list(DelayIsKept(late=0.001).problems()) == list(DelayIsKept().problems()) == []
    assert DelayIsKept().late == 5.0


def test_an_offer_without_a_delay_lets_the_job_run_at_once() -> None:
    tale = Tale().offered("a", at=0, delay=10).acked("a", at=1)
    assert check(tale.ran("a", 1.1, 2).ended()).value == "PASS"


def test_the_delay_of_an_offer_that_was_refused_is_not_the_one_to_keep() -> None:
    tale = Tale().offered("a", at=0, delay=1).tell(Reject(t=ns(0), key="a")).offered("a", at=2, delay=30)
    tale.tell(Ack(t=ns(2.5), key="a"))
    assert check(tale.ran("a", 32.5, 33).ended()).value == "PASS"
    assert check(tale.ended()).measured == {"early": 0, "late": 0, "worst_s": 0.0}


def test_the_delay_of_a_later_offer_excuses_nobody() -> None:
    tale = Tale().offered("a", at=0, delay=1).tell(Ack(t=ns(0), key="a")).offered("a", at=5, delay=30)
    assert check(tale.ran("a", 5, 6).ended()).measured == {"early": 0, "late": 1, "worst_s": 4.0}
