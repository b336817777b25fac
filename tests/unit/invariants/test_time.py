"""Claims about time: draining, recovery, consumption, latency, throughput."""

from math import inf

import pytest

from harness.history.events import Ack
from harness.invariants.consumption_resumes import ConsumptionResumes
from harness.invariants.drains_within import DrainsWithin
from harness.invariants.latency_stays_under import LatencyStaysUnder
from harness.invariants.recovers_within import RecoversWithin
from harness.invariants.throughput_stays_over import ThroughputStaysOver
from harness.verdict import failed, passed
from tests.unit.invariants.histories import Tale, ns

OUTAGE = ("cut_link", 2.0, 5.0)


def test_a_backlog_cleared_in_time_drains() -> None:
    history = Tale().done("a", at=0).done("b", at=1, start=2, finish=4).ended()
    assert DrainsWithin(within=3).check(history) == passed(
        "Drained in 3.0 s.", examined=2, of="acked jobs", seconds=3.0, outstanding=0
    )


def test_a_backlog_cleared_late_does_not() -> None:
    history = Tale().done("a", at=0).done("b", at=1, start=2, finish=4).ended()
    says = "The last job was completed 3.0 s after load and faults; 2 s were allowed."
    assert DrainsWithin(within=2).check(history) == failed(
        says, examined=2, of="acked jobs", jobs=[1], seconds=3.0, outstanding=0
    )


def test_the_drain_counts_from_the_last_heal() -> None:
    history = Tale().done("a", at=0, start=6, finish=7).fault(*OUTAGE).ended()
    assert DrainsWithin(within=2).check(history).measured["seconds"] == 2.0


def test_a_job_that_never_completes_does_not_drain_once_the_time_is_over() -> None:
    tale = Tale().done("a").acked("b", at=1)
    found = DrainsWithin(within=5).check(tale.ended(at=10))
    assert (found.value, found.jobs, found.measured) == ("FAIL", (1,), {"seconds": 9.0, "outstanding": 1})
    assert DrainsWithin(within=30).check(tale.cut()).value == "INCONCLUSIVE"


def test_a_job_given_up_has_drained() -> None:
    assert DrainsWithin(within=3).check(Tale().acked("a").ran("a", 1, 2, "dead").ended()).measured["seconds"] == 2.0


def test_a_drain_is_not_blamed_for_a_fault_that_never_healed() -> None:
    history = Tale().acked("a").fault("cut_link", 1).amiss("cut_link", 3, "unhealed", "the proxy refused").ended(at=60)
    assert DrainsWithin(within=5).check(history).value == "INCONCLUSIVE"


def test_recovery_counts_from_the_heal_of_each_fault() -> None:
    history = Tale().done("a", at=1, start=6, finish=7).fault(*OUTAGE).done("late", at=8, start=90).ended()
    says = "1 fault; everything acked before was done at most 2.0 s after (cut_link)."
    assert RecoversWithin(within=2).check(history) == passed(says, examined=1, of="faults", seconds=2.0)


def test_a_slow_recovery_names_the_jobs_that_waited() -> None:
    history = Tale().done("fast", at=1).done("a", at=1, start=6, finish=9).fault(*OUTAGE).ended()
    says = "1 job acked before cut_link was over took more than 2 s from then on."
    assert RecoversWithin(within=2).check(history) == failed(says, examined=1, of="faults", jobs=[1], seconds=4.0)


def test_the_worst_of_several_faults_is_told() -> None:
    history = (
        Tale()
        .done("a", at=1, start=6, finish=6.5)
        .fault(*OUTAGE)
        .done("b", at=10, start=20, finish=21)
        .fault("kill_worker", 11, 11, n=1)
        .ended()
    )
    found = RecoversWithin(within=5).check(history)
    assert (found.value, found.jobs, found.measured, found.examined) == ("FAIL", (1,), {"seconds": 10.0}, 2)


def test_recovery_that_never_came() -> None:
    tale = Tale().acked("a", at=1).fault(*OUTAGE)
    assert RecoversWithin(within=10).check(tale.state(6).cut()).value == "INCONCLUSIVE"
    found = RecoversWithin(within=10).check(tale.ended())
    assert (found.value, found.jobs, found.measured) == ("FAIL", (0,), {"seconds": inf})


def test_what_a_later_fault_leaves_open_does_not_hide_what_was_late_for_the_first() -> None:
    tale = Tale().done("slow", at=1, start=14, finish=15).fault(*OUTAGE).acked("open", at=16)
    tale.fault("kill_worker", 17, 17, n=1)
    found = RecoversWithin(within=5).check(tale.state(18, queued=1).cut())
    assert (found.value, found.jobs, found.measured) == ("FAIL", (0,), {"seconds": 10.0})


def test_a_fault_whose_heal_the_history_lost_is_not_judged() -> None:
    tale = Tale().acked("a", at=1).fault("cut_link", 2).state(60, queued=1)
    assert (
        RecoversWithin(within=5).check(tale.cut()).value
        == ConsumptionResumes(within=5).check(tale.cut()).value
        == "INCONCLUSIVE"
    )
    assert DrainsWithin(within=5).check(tale.cut()).value == "INCONCLUSIVE"


def test_no_fault_no_recovery_to_judge() -> None:
    history = Tale().done("a").ended()
    assert RecoversWithin(within=1).check(history).value == ConsumptionResumes().check(history).value == "INCONCLUSIVE"


def test_consumption_resumes_when_a_run_begins_soon_after_the_heal() -> None:
    history = Tale().done("a", at=1, start=6).fault(*OUTAGE).ended()
    assert ConsumptionResumes(within=2).check(history) == passed(
        "1 fault; a run began at most 1.0 s after (cut_link).", examined=1, of="faults", slowest_s=1.0
    )


def test_consumption_that_resumes_late_fails() -> None:
    found = ConsumptionResumes(within=2).check(Tale().done("a", at=1, start=9).fault(*OUTAGE).ended())
    says = "After cut_link was over, work lay untouched for 4.0 s, until the next run began; 2 s were allowed."
    assert found == failed(says, examined=1, of="faults", jobs=[0], slowest_s=4.0)


def test_consumption_that_never_resumes_fails_with_the_waiting_jobs() -> None:
    found = ConsumptionResumes(within=2).check(
        Tale().acked("a", at=1).fault(*OUTAGE).held("a", "queued").ended(waiting=1)
    )
    assert (found.value, found.jobs, found.measured) == ("FAIL", (0,), {"slowest_s": 95.0})


def test_without_work_nothing_needs_to_resume() -> None:
    assert ConsumptionResumes().check(Tale().done("a").fault(*OUTAGE).ended()).value == "INCONCLUSIVE"


def test_the_time_counts_from_when_there_was_work_again() -> None:
    history = Tale().done("a").fault(*OUTAGE).done("b", at=50, start=51).ended()
    assert ConsumptionResumes(within=2).check(history).measured == {"slowest_s": 1.0}


def test_lost_jobs_are_no_work() -> None:
    assert ConsumptionResumes(within=2).check(Tale().acked("a", at=1).fault(*OUTAGE).ended()).value == "INCONCLUSIVE"


def test_latency_counts_from_the_intended_moment() -> None:
    history = Tale().offered("a", at=3, intended=1).acked("b", at=1).done("b", at=1, start=1.5, finish=2).ended()
    assert LatencyStaysUnder(max=1).check(history).measured == {"p50": 1.0, "p95": 1.0, "p99": 1.0, "max": 1.0}


def test_a_latency_at_the_bound_passes_and_beyond_it_fails() -> None:
    tale = Tale()
    for number in range(100):
        tale.done(f"{number}", at=1, start=1, finish=1 + (number + 1) / 100)
    history = tale.ended()
    measured = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "max": 1.0}
    says = "100 jobs: completed p50 0.5 s (bound 0.5 s), max 1 s (bound 1 s)."
    assert LatencyStaysUnder(p50=0.5, max=1).check(history) == passed(says, examined=100, of="acked jobs", **measured)
    found = LatencyStaysUnder(p99=0.98, p50=0.5).check(history)
    says = "100 jobs: completed p50 0.5 s (bound 0.5 s), p99 0.99 s (bound 0.98 s): too late."
    assert found == failed(says, examined=100, of="acked jobs", jobs=[99, 98], **measured)


def test_a_job_never_completed_is_infinitely_late_unless_the_run_was_cut_short() -> None:
    tale = Tale().done("a").acked("b")
    assert LatencyStaysUnder(max=9).check(tale.cut()).value == "INCONCLUSIVE"
    found = LatencyStaysUnder(max=9).check(tale.ended())
    assert (found.value, found.jobs, found.measured["max"], found.measured["p50"]) == ("FAIL", (1,), inf, 0.2)


def test_latency_of_the_ack_does_not_mind_the_completion() -> None:
    assert LatencyStaysUnder(max=0.5, of="ack").check(Tale().acked("a").ended()).value == "PASS"


def test_a_phase_is_judged_by_itself() -> None:
    history = Tale().phase("calm", 0, 10).phase("storm", 10, 20).done("a", at=5).done("b", at=10, finish=19).ended()
    assert LatencyStaysUnder(max=1, phase="calm").check(history).value == "PASS"
    assert LatencyStaysUnder(max=1, phase="storm").check(history).jobs == (1,)
    assert LatencyStaysUnder(max=1, phase="night").check(history).value == "INCONCLUSIVE"


def test_throughput_is_counted_from_the_first_offer_to_the_last_completion() -> None:
    tale = Tale()
    for number in range(10):
        tale.done(f"{number}", at=number, start=number + 0.5, finish=number + 1)
    found = ThroughputStaysOver(at_least=0.9).check(tale.ended())
    assert found == passed(
        "10 jobs completed in 10.0 s: 1/s.", examined=10, of="completed jobs", per_second=1.0, seconds=10.0
    )
    found = ThroughputStaysOver(at_least=2).check(tale.ended())
    assert found == failed(
        "10 jobs completed in 10.0 s: 1/s, less than 2/s.",
        examined=10,
        of="completed jobs",
        per_second=1.0,
        seconds=10.0,
    )


def test_throughput_of_a_phase_counts_what_ended_in_it() -> None:
    history = Tale().phase("storm", 10, 20).done("a", at=0).done(*"bcde", at=9, finish=15).acked("f", at=12).ended()
    assert ThroughputStaysOver(at_least=0.4, phase="storm").check(history).measured == {
        "per_second": 0.4,
        "seconds": 10.0,
    }
    assert ThroughputStaysOver(at_least=0.1, phase="storm", of="acked").check(history).measured["per_second"] == 0.1


def test_a_system_that_completes_nothing_has_no_throughput() -> None:
    assert ThroughputStaysOver(at_least=1).check(Tale().acked("a").ended()).value == "FAIL"


def test_without_acked_jobs_there_is_no_throughput_to_judge() -> None:
    assert ThroughputStaysOver(at_least=1).check(Tale().rejected("a").ended()).value == "INCONCLUSIVE"
    assert LatencyStaysUnder(max=1).check(Tale().rejected("a").ended()).value == "INCONCLUSIVE"
    assert DrainsWithin(within=1).check(Tale().rejected("a").ended()).examined == 0


@pytest.mark.parametrize(
    ("invariant", "problems"),
    [
        (LatencyStaysUnder(), ["give at least one bound: p50, p95, p99 or max"]),
        (LatencyStaysUnder(p50=0.0, max=1.0), ["p50 must be more than 0s"]),
        (LatencyStaysUnder(p99=1.0), []),
        (DrainsWithin(within=0.0), ["within must be more than 0s"]),
        (RecoversWithin(within=0.0), ["within must be more than 0s"]),
        (ConsumptionResumes(within=0.0), ["within must be more than 0s"]),
        (ConsumptionResumes(), []),
        (ThroughputStaysOver(at_least=0.0), ["at_least must be more than 0/s"]),
    ],
)
def test_a_claim_that_says_nothing_is_refused(invariant: LatencyStaysUnder, problems: list[str]) -> None:
    assert list(invariant.problems()) == problems


def test_a_recovery_that_the_next_fault_interrupts_counts_from_the_end_of_that() -> None:
    tale = Tale().done("a", at=1, start=31, finish=31.5).fault(*OUTAGE).fault("hang_link", 6, 30, n=1)
    says = "2 faults; everything acked before was done at most 1.5 s after (hang_link)."
    history = tale.ended()
    assert RecoversWithin(within=2).check(history) == passed(says, examined=2, of="faults", seconds=1.5)
    assert ConsumptionResumes(within=2).check(history).measured == {"slowest_s": 1.0}


def test_a_job_that_waits_for_its_retry_is_no_work_that_lies_untouched() -> None:
    tale = Tale().acked("a", at=1).ran("a", 1.5, 4, "failed").fault(*OUTAGE)
    assert ConsumptionResumes(within=2).check(tale.ran("a", 60, 61).ended()).value == "INCONCLUSIVE"
    tale = Tale().acked("a", at=1).ran("a", 1.5, 4, "failed").fault(*OUTAGE)
    assert ConsumptionResumes(within=2).check(tale.ran("a", 6, 7).ended()).value == "PASS"


def test_work_that_came_after_the_fault_and_lay_untouched_is_named() -> None:
    history = Tale().done("a").fault(*OUTAGE).done("b", at=50, start=60).ended()
    found = ConsumptionResumes(within=2).check(history)
    assert (found.value, found.jobs, found.measured) == ("FAIL", (1,), {"slowest_s": 10.0})


def test_a_median_that_the_lost_end_of_the_history_may_better_is_in_doubt() -> None:
    tale = Tale().done("a", at=0, start=0, finish=5).acked("b", "c", at=9).state(10)
    assert LatencyStaysUnder(p50=3).check(tale.cut()).value == "INCONCLUSIVE"
    assert LatencyStaysUnder(max=3).check(tale.cut()).jobs == (0,)


def test_a_system_that_stops_half_way_cannot_hide_behind_its_last_completion() -> None:
    tale = Tale().done(*"abcdefghij", at=0).acked("late", at=100)
    assert ThroughputStaysOver(at_least=5).check(tale.ended()).value == "FAIL"


def delayed(key: str, at: float, delay: float) -> Tale:
    return Tale().offered(key, at=at, delay=delay).tell(Ack(t=ns(at), key=key))


def test_a_delayed_job_is_not_held_up_by_a_fault_that_was_over_before_it_was_due() -> None:
    tale = delayed("a", 1, 59).ran("a", 60.5, 61).done("b", at=1).fault(*OUTAGE)
    assert RecoversWithin(within=10).check(tale.ended()).measured == {"seconds": 0.0}
    assert ConsumptionResumes(within=2).check(tale.ended()).measured == {"slowest_s": 0.5}
    assert DrainsWithin(within=10).check(tale.ended()).measured == {"seconds": 1.0, "outstanding": 0}


def test_a_delayed_job_that_was_due_is_waited_for_as_any_other() -> None:
    tale = delayed("a", 1, 3).ran("a", 60, 61).done("b", at=1).fault(*OUTAGE)
    assert RecoversWithin(within=10).check(tale.ended()).jobs == (0,)
    assert ConsumptionResumes(within=2).check(tale.ended()).jobs == (0,)
    assert DrainsWithin(within=10).check(tale.ended()).jobs == (0,)


def test_a_delayed_job_that_is_late_by_its_own_time_does_not_drain() -> None:
    found = DrainsWithin(within=10).check(delayed("a", 1, 49).ran("a", 60, 61).done("b", at=1).ended())
    assert (found.jobs, found.measured) == ((0,), {"seconds": 11.0, "outstanding": 0})
    assert DrainsWithin(within=50).check(delayed("a", 1, 59).done("b", at=1).ended()).measured["seconds"] == 40.0


def test_who_was_given_up_in_time_and_put_back_later_had_settled() -> None:
    tale = Tale().acked("a", at=1).ran("a", 1, 6, "dead").revived("a", 80).ran("a", 81, 82).fault(*OUTAGE)
    assert RecoversWithin(within=10).check(tale.ended()).measured == {"seconds": 1.0}
    assert ConsumptionResumes(within=2).check(tale.ended()).value == "INCONCLUSIVE"
    assert DrainsWithin(within=10).check(tale.ended()).measured == {"seconds": 1.0, "outstanding": 0}


def test_who_was_put_back_while_it_was_tried_had_not() -> None:
    tale = Tale().acked("a", at=1).ran("a", 1, 6, "dead").started("a", 7).revived("a", 80).finished("a", 82)
    assert DrainsWithin(within=10).check(tale.ended()).jobs == (0,)
    tale = Tale().acked("a", at=1).ran("a", 1, 6, "failed").revived("a", 80).ran("a", 81, 82)
    assert DrainsWithin(within=10).check(tale.ended()).jobs == (0,)


def test_a_retry_that_waits_does_not_hide_a_job_that_lies_untouched() -> None:
    tale = Tale().acked("a", at=1).ran("a", 1.5, 4, "failed").fault(*OUTAGE).ran("a", 60, 61)
    found = ConsumptionResumes(within=2).check(tale.done("b", at=7, start=62).ended())
    assert (found.jobs, found.measured) == ((1,), {"slowest_s": 53.0})


def test_nor_does_a_second_ack_of_a_job_that_was_done() -> None:
    tale = Tale().done("a", at=1).fault(*OUTAGE).acked("a", at=6)
    found = ConsumptionResumes(within=2).check(tale.done("b", at=7, start=62).ended())
    assert (found.jobs, found.measured) == ((1,), {"slowest_s": 55.0})


def test_jobs_that_are_offered_again_do_not_stand_for_those_to_come() -> None:
    tale = Tale().acked("a", at=1).acked("a", at=2).acked("b", at=1).planned(3).started("b", 2).state(50, queued=1)
    assert DrainsWithin(within=10).check(tale.cut()).value == "INCONCLUSIVE"
