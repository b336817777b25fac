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
