"""no_abandoned_jobs."""

from harness.invariants.no_abandoned_jobs import NoAbandonedJobs
from tests.unit.invariants.histories import Tale


def test_a_job_that_completes_in_the_end_is_not_abandoned() -> None:
    found = NoAbandonedJobs().check(Tale().acked("a").ran("a", 1, 2, "failed").ran("a", 3, 4).ended())
    assert (found.value, found.examined) == ("PASS", 1)


def test_a_job_that_failed_for_good_is() -> None:
    found = NoAbandonedJobs().check(Tale().acked("a", "b").ran("a", 1, 2, "dead").ran("b", 1, 2).ended())
    assert (found.value, found.jobs, found.measured["abandoned"]) == ("FAIL", (0,), 1)


def test_a_job_that_was_given_up_and_then_replayed_is_not() -> None:
    found = NoAbandonedJobs().check(Tale().acked("a").ran("a", 1, 2, "dead").ran("a", 3, 4).ended())
    assert found.value == "PASS"


def test_a_job_that_nobody_asked_for_is_not() -> None:
    assert NoAbandonedJobs().check(Tale().acked("a").ran("a", 1, 2).ran("b", 1, 2, "dead").ended()).value == "PASS"


def test_a_lost_job_is_not_called_abandoned_and_a_history_cut_short_decides_nothing() -> None:
    assert NoAbandonedJobs().check(Tale().acked("a").ended()).value == "PASS"
    assert NoAbandonedJobs().check(Tale().acked("a").cut()).value == "INCONCLUSIVE"
    assert NoAbandonedJobs().check(Tale().acked("a").ran("a", 1, 2, "dead").cut()).value == "INCONCLUSIVE"
    assert NoAbandonedJobs().check(Tale().acked("a").ran("a", 1, 2).cut()).value == "PASS"
