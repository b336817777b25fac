"""Lateness: its summary, and when the generator is to blame for it."""

import time

import pytest

from harness.load.lateness import Effort, Lateness, Stopwatch, bottleneck, lateness


def test_lateness_is_summarised_in_seconds() -> None:
    assert lateness([n * 1_000_000 for n in range(100, -1, -1)]) == Lateness(p50=0.050, p99=0.099, max=0.100)


def test_no_sends_are_not_late() -> None:
    assert lateness([]) == Lateness()


@pytest.mark.parametrize(
    ("p99", "effort", "waited", "blamed", "why"),
    [
        (0.011, Effort(cpu=0.86), False, True, "used 86% of a CPU: give the load more processes"),
        (0.011, Effort(cpu=0.50, queued=0.36), False, True, "50% of a CPU and waited for one for another 36%"),
        (0.010, Effort(cpu=1.00), False, False, "sent on time"),
        (0.500, Effort(cpu=0.50, queued=0.35), False, False, "kept from running"),
        (0.500, Effort(cpu=1.00), True, False, "waiting for an answer of the system"),
    ],
    ids=["late and busy", "late on a busy host", "on time", "late but not busy", "waiting for the system"],
)
def test_the_generator_is_blamed_only_when_late_and_busy_with_no_job_waiting(
    p99: float, effort: Effort, waited: bool, blamed: bool, why: str
) -> None:
    found, says = bottleneck(Lateness(p99=p99), effort, waited=waited)
    assert found is blamed
    assert says.startswith("jobs were ")
    assert why in says


def test_a_stopwatch_sees_work_and_not_sleep() -> None:
    stopwatch = Stopwatch()
    until = time.process_time() + 0.1
    while time.process_time() < until:
        pass
    busy = stopwatch.read()
    assert busy.cpu + busy.queued > 0.5
    rest = Stopwatch()
    time.sleep(0.1)
    assert rest.read().cpu < 0.5
