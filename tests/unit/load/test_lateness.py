"""Lateness: its summary, and when the generator is to blame for it."""

import pytest

from harness.load.lateness import Lateness, bottleneck, lateness


def test_lateness_is_summarised_in_seconds() -> None:
    assert lateness([n * 1_000_000 for n in range(100, -1, -1)]) == Lateness(p50=0.050, p99=0.099, max=0.100)


def test_no_sends_are_not_late() -> None:
    assert lateness([]) == Lateness()


@pytest.mark.parametrize(
    ("p99", "cpu", "waited", "blamed"),
    [
        (0.011, 0.86, False, True),
        (0.010, 1.00, False, False),
        (0.500, 0.85, False, False),
        (0.500, 1.00, True, False),
    ],
    ids=["late and busy", "on time", "late but not busy", "waiting for the system"],
)
def test_the_generator_is_blamed_only_when_late_and_busy_with_no_job_waiting(
    p99: float, cpu: float, waited: bool, blamed: bool
) -> None:
    found, why = bottleneck(Lateness(p99=p99), cpu, waited=waited)
    assert found is blamed
    assert why.startswith("jobs were ")
