"""What the target's settings come to, held against what the run shows: leases, and records of what was done."""

import pytest

from harness.history.events import Waits
from harness.history.history import History
from harness.invariants.dedup_outlives_retries import DedupOutlivesRetries
from harness.invariants.lease_covers_handler import LeaseCoversHandler
from harness.verdict import Finding, failed, passed, undecided
from tests.unit.invariants.histories import Tale

RUNS, ACKED = "finished runs", "acked jobs"


def worked(waits: Waits | None, slow: float = 2.0) -> Tale:
    """Ninety-eight runs of a second, two slow ones, and one that never ends."""
    tale = Tale().planned(101, waits=waits)
    for n in range(100):
        tale.acked(f"{n}").ran(f"{n}", 10, 11 if n not in (7, 8) else 10 + slow, pid=n + 1)
    return tale.acked("hangs").started("hangs", 20)


def covers(history: History) -> Finding:
    return LeaseCoversHandler(times=3.0).check(history)


def test_a_lease_of_three_times_the_handler() -> None:
    says = "At least 3 times the handler's p99: the lease is 6 s, the handler's p99 2.0 s."
    assert covers(worked(Waits(lease=6.0)).ended()) == passed(says, examined=100, of=RUNS, lease_s=6.0, p99_s=2.0)


def test_a_lease_that_is_shorter() -> None:
    says = "Not extended, and under 3 times the handler's p99: the lease is 5.99 s, the handler's p99 2.0 s."
    measured = {"lease_s": 5.99, "p99_s": 2.0}
    history = worked(Waits(lease=5.99))
    assert covers(history.cut()) == undecided(
        f"The run was cut short. {says}", examined=100, of=RUNS, jobs=[7, 8], **measured
    )
    assert covers(history.ended()) == failed(says, examined=100, of=RUNS, jobs=[7, 8], **measured)


def test_a_lease_that_is_extended() -> None:
    says = "It is extended while the handler works; the lease is 1 s, the handler's p99 2.0 s."
    found = covers(worked(Waits(lease=1.0, extended=True)).ended())
    assert found == passed(says, examined=100, of=RUNS, lease_s=1.0, p99_s=2.0)


@pytest.mark.parametrize("waits", [None, Waits()])
def test_a_target_that_says_nothing_of_its_lease(waits: Waits | None) -> None:
    assert covers(worked(waits).ended()) == undecided("The target does not say how long its lease is.", of=RUNS)
    assert covers(Tale().ended()) == undecided("The target does not say how long its lease is.", of=RUNS)


def test_no_run_has_ended() -> None:
    tale = Tale().planned(1, waits=Waits(lease=1.0)).acked("a").started("a", 1)
    assert covers(tale.ended()) == undecided("No run of a handler has ended.", of=RUNS)


def test_a_lease_is_at_least_as_long_as_the_handler() -> None:
    assert list(LeaseCoversHandler(times=0.5).problems()) == ["times must be at least 1, got 0.5"]
    assert list(LeaseCoversHandler(times=1.0).problems()) == []
    assert LeaseCoversHandler().times == 3.0


def remembered(waits: Waits | None) -> Finding:
    return DedupOutlivesRetries().check(Tale().planned(2, waits=waits).done("a").acked("b").rejected("c").ended())


def test_a_record_that_outlives_every_redelivery() -> None:
    says = "Long enough: what was done is remembered for 61 s, and a job may come back for 60 s."
    found = remembered(Waits(window=60.0, remembers=61.0))
    assert found == passed(says, examined=2, of=ACKED, remembers_s=61.0, window_s=60.0)
    found = remembered(Waits(window=60.0))
    assert found == passed("What was done is not forgotten.", examined=2, of=ACKED, window_s=60.0)


@pytest.mark.parametrize("remembers", [60.0, 1.0, 0.0])
def test_a_record_that_does_not(remembers: float) -> None:
    says = f"Too short: what was done is remembered for {remembers:g} s, and a job may come back for 60 s."
    found = remembered(Waits(window=60.0, remembers=remembers))
    assert found == failed(says, examined=2, of=ACKED, remembers_s=remembers, window_s=60.0)


def test_a_history_that_does_not_say() -> None:
    says = "The history does not say what the target's settings come to."
    assert remembered(None) == undecided(says, of=ACKED)
    assert DedupOutlivesRetries().check(Tale().done("a").ended()) == undecided(says, of=ACKED)
