"""retries_are_spread and retries_back_off as they are read from a history."""

import pytest

from harness.invariants.retries_are_spread import RetriesAreSpread
from harness.invariants.retries_back_off import RetriesBackOff
from tests.unit.invariants.histories import Tale


def tale(delays: list[float], spread: float, jobs: int = 30) -> Tale:
    """Jobs that fail together again and again; each waits up to `spread` times the delay longer than the first."""
    told = Tale()
    for number in range(jobs):
        key, at = f"job-{number}", 1.0
        told.acked(key)
        for delay in delays:
            told.ran(key, at, at + 0.01, "failed")
            at += 0.01 + delay * (1 + spread * (number * 7 % jobs) / jobs)
        told.ran(key, at, at + 0.01)
    return told


@pytest.mark.parametrize(("spread", "value"), [(1.0, "PASS"), (0.0, "FAIL")])
def test_retries_come_back_apart_or_not(spread: float, value: str) -> None:
    found = RetriesAreSpread().check(tale([2, 4, 8, 16], spread).ended())
    assert (found.value, found.examined, len(found.jobs)) == (value, 120, 0 if value == "PASS" else 10)


@pytest.mark.parametrize(("delays", "value"), [([2, 4, 8, 16], "PASS"), ([3, 3, 3, 3], "FAIL")])
def test_delays_grow_or_not(delays: list[float], value: str) -> None:
    found = RetriesBackOff().check(tale(delays, 0.2).ended())
    assert (found.value, found.examined, len(found.jobs)) == (value, 120, 0 if value == "PASS" else 10)


def test_a_redelivery_after_a_death_is_no_retry() -> None:
    told = Tale()
    for number in range(40):
        told.started(f"{number}", 1, pid=number + 2).died("w1", number + 2, 2).ran(f"{number}", 5, 6)
    history = told.ended()
    assert RetriesAreSpread().check(history).measured["retries"] == 0
    assert RetriesAreSpread().check(history).value == RetriesBackOff().check(history).value == "INCONCLUSIVE"


def in_a_queue(delays: list[float], wait: float, jobs: int = 40) -> Tale:
    """Jobs that fail again and again with jittered delays, on workers so few that every run waits for one."""
    told = Tale()
    for number in range(jobs):
        key, at = f"job-{number}", 1.0 + number * 0.5 + wait
        told.acked(key, at=at - wait)
        for delay in delays:
            told.ran(key, at, at + 0.01, "failed")
            at += 0.01 + wait + delay * (0.2 + 0.8 * (number * 7 % jobs) / jobs)
        told.ran(key, at, at + 0.01)
    return told


@pytest.mark.parametrize(
    ("delays", "value"), [([1, 2, 4, 6], "PASS"), ([1, 1, 1, 1], "FAIL"), ([1, 1.4, 1.8, 2.2], "INCONCLUSIVE")]
)
def test_the_wait_for_a_worker_is_no_delay(delays: list[float], value: str) -> None:
    assert RetriesBackOff().check(in_a_queue(delays, wait=1.0).ended()).value == value


def test_what_is_measured_of_retries() -> None:
    history = tale([2, 4, 8, 16], 0.0).ended()
    found = RetriesAreSpread().check(history)
    assert found.measured == {"retries": 120, "apart": 0.0, "needed": 0.42, "waves": 4}
    assert found.says == (
        "30 jobs failed together and came back together, 2 s later within 0 s; only 0% of neighbouring retries were "
        "apart."
    )
    assert RetriesAreSpread().check(tale([2, 4, 8, 16], 0.5).ended()).measured["apart"] == 0.266
    found = RetriesBackOff().check(tale([2, 4.1234, 8.1234, 8.1234], 0.0).ended())
    assert found.measured == {"retries": 120, "early_s": 4.123, "late_s": 8.123}
    assert found.says == "Delays grow: early retries waited 4.1 s on average, late ones 8.1 s."


def test_an_unclear_spread_is_left_open() -> None:
    told = tale([2], 0.4, jobs=10)
    assert (
        RetriesAreSpread().check(told.ended()).says
        == "10 retries do not tell whether they come back together (unclear)."
    )


def test_the_jobs_that_were_retried_most_are_named() -> None:
    told = tale([3, 3], 0.2)
    for number in range(12):
        told.ran(f"job-{number + 5}", 50, 50.01, "failed").ran(f"job-{number + 5}", 53, 53.01)
    assert RetriesBackOff().check(told.ended()).jobs == tuple(range(5, 15))


def test_the_soonest_retries_of_a_history_cut_short_accuse_nobody() -> None:
    told = tale([3, 3, 3], 0.0).acked("waits").ran("waits", 1, 2, "failed")
    assert RetriesAreSpread().check(told.ended()).value == RetriesBackOff().check(told.ended()).value == "FAIL"
    told = tale([3, 3, 3], 0.0)
    assert RetriesAreSpread().check(told.cut()).value == RetriesBackOff().check(told.cut()).value == "FAIL"
    history = told.acked("waits").ran("waits", 1, 2, "failed").cut()
    together, pace = RetriesAreSpread().check(history), RetriesBackOff().check(history)
    assert together.value == pace.value == "INCONCLUSIVE"
    assert together.says.endswith("were apart; but the run was cut short with 1 job to be retried.")
    assert pace.says.endswith("s; but the run was cut short with 1 job to be retried.")


def test_a_job_that_was_retried_more_often_than_was_judged_is_not_named() -> None:
    told = tale([3, 3, 3], 0.2).acked("patient")
    for turn in range(6):
        told.ran("patient", 4**turn, 4**turn + 0.01, "failed")
    jobs = RetriesBackOff().check(told.ended()).jobs
    assert len(jobs) == 10 and 30 not in jobs
