"""A target that reports no attempts: its side effects say what was completed, and each claim is judged both ways."""

import pytest

from harness.check import check
from harness.invariants.consumption_resumes import ConsumptionResumes
from harness.invariants.drains_within import DrainsWithin
from harness.invariants.latency_stays_under import LatencyStaysUnder
from harness.invariants.no_duplicate_effects import NoDuplicateEffects
from harness.invariants.no_lost_jobs import NoLostJobs
from harness.invariants.no_overlapping_runs import NoOverlappingRuns
from harness.invariants.no_stuck_jobs import NoStuckJobs
from harness.invariants.recovers_within import RecoversWithin
from harness.invariants.throughput_stays_over import ThroughputStaysOver
from harness.timeline import witness
from harness.verdict import failed, passed, undecided
from tests.unit.invariants.histories import Tale

OUTSIDE = frozenset({"effects"})
IMPATIENT = "patience ended after 30 s without movement; the lease of 600 s was not waited for"
OUTAGE = ("cut_link", 2.0, 5.0)


def seen() -> Tale:
    """One job with its effect, and nothing else known of it."""
    return Tale().from_outside().acked("a").effect("a", 1)


def test_a_job_is_completed_when_its_effect_is_there() -> None:
    expected = passed("None of 1 acked job was lost.", examined=1, of="acked jobs", acked=1, at_risk=0, lost=0)
    assert NoLostJobs().check(seen().ended(waiting=None)) == expected


def test_only_a_run_that_says_so_is_judged_by_effects() -> None:
    assert NoLostJobs().check(Tale().acked("a").effect("a", 1).ended()).value == "FAIL"


def test_an_acked_job_without_an_effect_is_lost_once_every_lease_is_over() -> None:
    history = seen().acked("b").ended(waiting=None, why="nothing moved for 9 s, longer than the lease and every retry")
    says = "1 of 2 acked jobs vanished: no side effect after every lease and retry was over."
    expected = failed(says, examined=2, of="acked jobs", jobs=[1], acked=2, at_risk=0, lost=1)
    assert NoLostJobs().check(history) == expected


def test_it_is_not_called_lost_while_it_may_come_back() -> None:
    assert NoLostJobs().check(seen().acked("b").ended(waiting=None, why=IMPATIENT)).value == "INCONCLUSIVE"
    assert NoLostJobs().check(seen().acked("b").cut()).value == "INCONCLUSIVE"


def test_a_queue_that_can_be_asked_is_believed() -> None:
    assert NoLostJobs().check(seen().acked("b").ended(waiting=1)).value == "INCONCLUSIVE"
    assert NoLostJobs().check(seen().acked("b").held("b", "active").ended(waiting=1)).value == "PASS"
    assert NoStuckJobs().check(seen().acked("b").held("b", "active").ended(waiting=1)).jobs == (1,)
    assert NoStuckJobs().check(seen().ended()).value == "PASS"


def test_two_effects_of_a_job_are_seen() -> None:
    assert NoDuplicateEffects().check(seen().ended(waiting=None)).value == "PASS"
    assert NoDuplicateEffects().check(seen().effect("a", 2).ended(waiting=None)).jobs == (0,)


def test_no_second_effect_proves_nothing_before_the_lease_is_over() -> None:
    """A job whose worker died after its effect looks done, and comes back when its lease is over."""
    says = "No side effect happened twice; but the drain did not outlast every lease, and a job may yet come back."
    expected = undecided(says, examined=1, of="jobs with an effect")
    assert NoDuplicateEffects().check(seen().ended(waiting=None, why=IMPATIENT)) == expected
    assert NoDuplicateEffects().check(seen().effect("a", 2).ended(waiting=None, why=IMPATIENT)).value == "FAIL"


def test_the_drain_ends_with_the_last_effect() -> None:
    history = seen().acked("b").effect("b", 4).ended(waiting=None)
    assert DrainsWithin(within=5).check(history).measured == {"seconds": 4.0, "outstanding": 0}
    assert DrainsWithin(within=3).check(history).jobs == (1,)
    assert DrainsWithin(within=5).check(seen().acked("b").ended(waiting=None)).jobs == (1,)


def test_latency_and_throughput_count_to_the_effect() -> None:
    history = seen().effect("a", 9).acked("b").effect("b", 3).ended(waiting=None)
    assert LatencyStaysUnder(max=4).check(history).measured["max"] == 3.0
    assert LatencyStaysUnder(max=2).check(history).jobs == (1,)
    assert ThroughputStaysOver(at_least=0.5).check(history).value == "PASS"
    assert ThroughputStaysOver(at_least=1).check(history).value == "FAIL"


def test_recovery_counts_to_the_effect() -> None:
    history = Tale().from_outside().acked("a", at=1).fault(*OUTAGE).effect("a", 8).ended(waiting=None)
    assert RecoversWithin(within=4).check(history).measured == {"seconds": 3.0}
    assert RecoversWithin(within=2).check(history).jobs == (0,)


@pytest.mark.parametrize(("within", "value"), [(4, "PASS"), (2, "FAIL")])
def test_consumption_resumes_with_the_next_call(within: float, value: str) -> None:
    history = Tale().from_outside().acked("a", at=1).fault(*OUTAGE).effect("a", 8).ended(waiting=None)
    found = ConsumptionResumes(within=within).check(history)
    assert (found.value, found.measured) == (value, {"slowest_s": 3.0})


def test_a_refused_call_shows_that_somebody_works() -> None:
    tale = Tale().from_outside().acked("a", at=1).fault(*OUTAGE).refused("a", 6).effect("a", 50)
    assert ConsumptionResumes(within=2).check(tale.ended(waiting=None)).value == "PASS"


def test_a_job_whose_call_was_refused_may_be_waiting_on_purpose() -> None:
    tale = Tale().from_outside().acked("a", at=1).refused("a", 3).fault(*OUTAGE).effect("a", 50)
    assert ConsumptionResumes(within=2).check(tale.ended(waiting=None)).value == "INCONCLUSIVE"


def test_what_only_attempts_can_show_is_not_judged() -> None:
    verdict = check(seen().ended(waiting=None), [NoOverlappingRuns()], reports=OUTSIDE)[0]
    assert (verdict.value, verdict.says) == ("NOT APPLICABLE", "The target does not report attempts.")


def test_a_witness_is_told_of_the_fault_that_found_it_in_hand_and_of_no_other() -> None:
    tale = seen().acked("b").effect("b", 1).effect("a", 3)
    tale.fault("kill_worker", 1.5, 1.6, n=0, says="w1 died", evidence={"workers": [{"worker": "w1", "in_hand": ["a"]}]})
    tale.fault("kill_worker", 2.5, 2.6, n=1, says="w1 died", evidence={"workers": [{"worker": "w1", "in_hand": ["b"]}]})
    told = [moment.what for moment in witness(tale.ended(waiting=None), 0).timeline]
    assert told == ["offer", "ack", "effect by w1", "fault kill_worker injected: w1 died", "effect by w1"]
