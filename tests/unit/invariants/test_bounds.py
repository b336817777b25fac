"""Claims about time at their very bound, and the jobs that are named when it is passed."""

import pytest

from harness.invariants.consumption_resumes import ConsumptionResumes
from harness.invariants.drains_within import DrainsWithin
from harness.invariants.latency_stays_under import LatencyStaysUnder
from harness.invariants.recovers_within import RecoversWithin
from harness.invariants.throughput_stays_over import ThroughputStaysOver
from harness.verdict import failed, passed, undecided
from tests.unit.invariants.histories import Tale, ns

OUTAGE = ("cut_link", 2.0, 5.0)
LATER = 1e-9


def consumed(tale: Tale, within: float = 2.0) -> str:
    return ConsumptionResumes(within=within).check(tale.ended()).value


@pytest.mark.parametrize(("start", "value"), [(7.0, "PASS"), (7.0 + LATER, "FAIL")])
def test_consumption_at_the_bound(start: float, value: str) -> None:
    assert consumed(Tale().done("a", at=1, start=start).fault(*OUTAGE)) == value


@pytest.mark.parametrize(("finish", "value"), [(7.0, "PASS"), (7.0 + LATER, "FAIL")])
def test_recovery_and_drain_at_the_bound(finish: float, value: str) -> None:
    history = Tale().done("a", at=1, start=6, finish=finish).fault(*OUTAGE).ended()
    assert RecoversWithin(within=2).check(history).value == value
    assert DrainsWithin(within=2).check(history).value == value


def test_a_bound_of_a_second_is_a_bound() -> None:
    claims = (ConsumptionResumes(within=1.0), DrainsWithin(within=1.0), RecoversWithin(within=1.0))
    assert [list(claim.problems()) for claim in claims] == [[], [], []]
    assert list(ThroughputStaysOver(at_least=1.0).problems()) == list(LatencyStaysUnder(max=1.0).problems()) == []
    assert ConsumptionResumes().within == 30.0


def test_a_job_that_is_in_a_run_or_settled_when_the_fault_is_over_is_not_waiting() -> None:
    assert consumed(Tale().done("a", at=1, start=5.0).fault(*OUTAGE)) == "INCONCLUSIVE"
    assert consumed(Tale().done("a", at=1, start=1.5, finish=5.0).fault(*OUTAGE)) == "INCONCLUSIVE"
    tale = Tale().acked("a", at=1).ran("a", 1.5, 5.0, "failed").ran("a", 50, 51).fault(*OUTAGE)
    assert consumed(tale) == "INCONCLUSIVE"


def test_a_job_whose_worker_died_as_the_fault_was_over_is_waiting() -> None:
    assert consumed(Tale().acked("a", at=1).started("a", 2).died("w1", 1, 5.0).ran("a", 9, 10).fault(*OUTAGE)) == "FAIL"


@pytest.mark.parametrize(("start", "value"), [(6.8, "PASS"), (7.0, "PASS"), (7.2, "INCONCLUSIVE")])
def test_a_retry_that_comes_in_time_shows_that_somebody_works(start: float, value: str) -> None:
    tale = Tale().acked("a", at=1).ran("a", 1.5, 4, "failed").fault(*OUTAGE)
    assert consumed(tale.ran("a", start, 60)) == value


def test_a_job_that_came_and_began_as_the_fault_was_over_has_not_waited() -> None:
    assert consumed(Tale().done("a", at=5, start=5).fault(*OUTAGE)) == "INCONCLUSIVE"


def test_a_job_that_was_done_as_the_work_came_is_not_named() -> None:
    tale = Tale().done("a", at=1, start=1.5, finish=50).fault(*OUTAGE).done("b", at=50, start=60)
    assert ConsumptionResumes(within=2).check(tale.ended()).jobs == (1,)


def test_a_call_refused_as_the_fault_was_over_is_a_sign_of_work() -> None:
    tale = Tale().from_outside().acked("a", at=1).refused("a", 5.0).fault(*OUTAGE).effect("a", 50)
    assert ConsumptionResumes(within=2).check(tale.ended(waiting=None)).value == "PASS"


def test_work_that_was_begun_late_and_lost_after_that_lay_untouched() -> None:
    tale = Tale().acked("a", at=1).fault(*OUTAGE).started("a", 15).died("w1", 1, 16)
    found = ConsumptionResumes(within=2).check(tale.ended())
    assert (found.value, found.jobs, found.measured) == ("FAIL", (0,), {"slowest_s": 10.0})


def test_a_run_before_any_work_takes_no_time() -> None:
    tale = Tale().fault(*OUTAGE).offered("x").ran("x", 6, 7).acked("b", at=50).ran("b", 80, 81)
    assert ConsumptionResumes(within=2).check(tale.ended()).measured == {"slowest_s": 0.0}


def given_up_by_the_queue(died: float | None) -> Tale:
    """A worker dies with the only job there is, and the queue files the job with its dead letters."""
    tale = Tale().acked("a", at=1).started("a", 2).died("w1", 1, 5).fault("kill_worker", 5, 5)
    return tale.letter("a", died=died and ns(died) / 1e9).held("a", "dead")


def test_a_job_that_the_queue_gave_up_is_no_work_from_then_on() -> None:
    says = "Nothing to judge: there was no work to do after any fault."
    assert ConsumptionResumes(within=3).check(given_up_by_the_queue(7).ended()) == undecided(says, of="faults")
    found = ConsumptionResumes(within=3).check(given_up_by_the_queue(7).done("b", at=50).ended())
    assert (found.value, found.measured) == ("PASS", {"slowest_s": 0.1})


def test_a_job_that_the_queue_gave_up_was_work_until_then() -> None:
    says = "After kill_worker was over, work lay untouched for 4.0 s, and no run began any more; 3 s were allowed."
    found = ConsumptionResumes(within=3).check(given_up_by_the_queue(9).done("b", at=50).ended())
    assert (found.value, found.says, found.jobs) == ("FAIL", says, (0,))


@pytest.mark.parametrize(("died", "took"), [(7, 2.0), (1.7, 0.0), (500, 95.0), (None, 95.0)])
def test_a_job_that_the_queue_gave_up_was_settled_when_it_died(died: float | None, took: float) -> None:
    history = given_up_by_the_queue(died).ended()
    assert RecoversWithin(within=99).check(history).measured == {"seconds": took}
    assert DrainsWithin(within=99).check(history).measured == {"seconds": took, "outstanding": 0}


def test_a_run_that_ends_soon_after_the_fault_leaves_consumption_open() -> None:
    tale = Tale().acked("a", at=1).fault("cut_link", 2, 99).held("a", "queued")
    says = "The history stopped 1.0 s after cut_link, before any run began."
    expected = undecided(says, examined=1, of="faults", slowest_s=1.0)
    assert ConsumptionResumes(within=2).check(tale.ended(waiting=1)) == expected


def test_nobody_knows_whether_the_queue_has_the_missing_jobs_of_a_history_cut_short() -> None:
    tale = Tale().acked("a", at=1).fault(*OUTAGE).state(60, queued=1, active=0, delayed=0)
    says = "Nothing to judge: there was no work to do after any fault."
    assert ConsumptionResumes(within=2).check(tale.cut()) == undecided(says, of="faults")
    says = "Nothing to judge: no fault was injected."
    assert ConsumptionResumes(within=2).check(Tale().done("a").ended()) == undecided(says, of="faults")


def test_the_slowest_resumption_is_told_and_one_that_never_came_is_slower() -> None:
    tale = Tale().done("a", at=1, start=5.1234).fault(*OUTAGE).done("b", at=20, start=24).fault("pause", 21, 22, n=1)
    says = "2 faults; a run began at most 2.0 s after (pause)."
    found = ConsumptionResumes(within=3).check(tale.ended())
    assert found == passed(says, examined=2, of="faults", slowest_s=2.0)
    tale.acked("c", at=80).fault("freeze", 81, 99, n=2).held("c", "queued")
    assert ConsumptionResumes(within=3).check(tale.ended(waiting=1)).says.startswith("The history stopped 1.0 s after")
    tale = Tale().done("a", at=1, start=5.1234).fault(*OUTAGE)
    assert ConsumptionResumes(within=3).check(tale.ended()).measured == {"slowest_s": 0.123}


def test_the_jobs_that_drained_last_are_named_first() -> None:
    tale = Tale().done("in time", at=1, finish=3.0).done("late", at=1, finish=3.2).done("latest", at=1, finish=5.1234)
    says = "The last job was completed 4.1 s after load and faults; 2 s were allowed."
    found = DrainsWithin(within=2).check(tale.ended())
    assert found == failed(says, examined=3, of="acked jobs", jobs=[2, 1], seconds=4.123, outstanding=0)


def test_what_is_not_drained_is_said() -> None:
    says = "1 acked job had not completed 9.0 s after load and faults; 5 s were allowed."
    assert DrainsWithin(within=5).check(Tale().done("a").acked("b", at=1).ended(at=10)).says == says
    says = "1 acked job had not completed when the history stopped, 9.0 s after load and faults."
    assert DrainsWithin(within=9).check(Tale().done("a").acked("b", at=1).ended(at=10)).says == says


def test_what_was_done_before_the_load_ended_has_drained_at_once() -> None:
    found = DrainsWithin(within=2).check(Tale().done("a").rejected("b", at=50).ended())
    assert found == passed("Drained in 0 ms.", examined=1, of="acked jobs", seconds=0.0, outstanding=0)
    assert DrainsWithin(within=2).check(Tale().rejected("b").ended()) == passed(
        "No job was acked.", examined=0, of="acked jobs"
    )


def cut_with(jobs: int, faults: int) -> str:
    tale = Tale().planned(jobs, faults).acked("a").dropped("b").fault(*OUTAGE).state(60)
    return DrainsWithin(within=5).check(tale.cut()).value


def test_a_drain_is_judged_before_the_end_only_when_load_and_faults_are_over() -> None:
    assert cut_with(jobs=2, faults=1) == "FAIL"
    assert cut_with(jobs=3, faults=1) == cut_with(jobs=2, faults=2) == "INCONCLUSIVE"
    found = DrainsWithin(within=5).check(Tale().acked("a").state(60).cut())
    says = "Not drained, but the run was cut short while load or faults may have been to come."
    assert found == undecided(says, examined=1, of="acked jobs", jobs=[0], seconds=60.0, outstanding=1)


def test_a_drain_in_time_is_not_doubted_for_a_fault_that_lasts() -> None:
    tale = Tale().done("a", at=0, finish=2).fault("cut_link", 1).amiss("cut_link", 3, "unhealed", "no")
    assert DrainsWithin(within=2).check(tale.ended()).value == "PASS"


def test_a_drain_a_little_too_late_is_doubted_for_a_fault_that_lasts() -> None:
    tale = Tale().done("a", at=0, finish=2.2).fault("cut_link", 1).amiss("cut_link", 3, "unhealed", "no")
    assert DrainsWithin(within=2).check(tale.ended()).says == "Not drained, but still broken: cut_link."


def test_every_job_beyond_a_broken_bound_is_named() -> None:
    tale = Tale().done("a", at=0, finish=2).done("b", at=0, finish=4).done("c", at=0, finish=6)
    assert LatencyStaysUnder(p50=3, max=5).check(tale.ended()).jobs == (2, 1)
    assert LatencyStaysUnder(p50=4, max=5).check(tale.ended()).jobs == (2,)


def test_jobs_to_come_may_better_any_rank_but_the_last() -> None:
    tale = Tale().phase("calm", 0, 10).done("a", at=0, finish=5).state(9)
    assert LatencyStaysUnder(p99=4, phase="calm").check(tale.cut()).value == "INCONCLUSIVE"
    assert LatencyStaysUnder(p99=4, max=4, phase="calm").check(tale.cut()).value == "FAIL"
    assert LatencyStaysUnder(p99=4, phase="calm").check(tale.state(10).cut()).value == "FAIL"


def test_a_pace_is_judged_when_its_phase_is_over() -> None:
    tale = Tale().phase("calm", 0, 10).done("a").state(9)
    says = "1 job completed in 9.0 s in phase calm: 0.1111/s, less than 1/s, but the run was cut short."
    found = ThroughputStaysOver(at_least=1, phase="calm").check(tale.cut())
    assert found == undecided(says, examined=1, of="completed jobs", per_second=0.111, seconds=9.0)
    assert ThroughputStaysOver(at_least=1, phase="calm").check(tale.state(10).cut()).value == "FAIL"
    assert ThroughputStaysOver(at_least=1).check(tale.cut()).value == "PASS"


def test_the_jobs_that_recovered_last_are_named_first() -> None:
    tale = Tale().done("in time", at=1, finish=7.0).done("late", at=5, start=6, finish=7.2).fault(*OUTAGE)
    history = tale.done("latest", at=1, finish=9.1234).done("later", at=5 + LATER, start=6, finish=30).ended()
    found = RecoversWithin(within=2).check(history)
    assert (found.jobs, found.measured) == ((2, 1), {"seconds": 4.123})


def test_a_job_acked_as_the_fault_was_over_has_to_recover() -> None:
    assert RecoversWithin(within=2).check(Tale().done("a", at=5, finish=8).fault(*OUTAGE).ended()).jobs == (0,)
    assert RecoversWithin(within=2).check(Tale().done("a", at=6, finish=8).fault(*OUTAGE).ended()).value == (
        "INCONCLUSIVE"
    )


def test_what_was_done_before_the_fault_was_over_recovered_at_once() -> None:
    history = Tale().done("a", at=1).fault(*OUTAGE).ended()
    assert RecoversWithin(within=2).check(history).measured == {"seconds": 0.0}


def test_the_fault_after_which_recovery_took_longest_is_told() -> None:
    tale = Tale().done("a", at=1, finish=9).fault(*OUTAGE).done("b", at=50, finish=53).fault("freeze", 51, 52, n=1)
    says = "2 faults; everything acked before was done at most 4.0 s after (cut_link)."
    assert RecoversWithin(within=5).check(tale.ended()).says == says


def test_the_history_may_stop_before_the_time_for_recovery_is_up() -> None:
    says = "The history stopped 1.0 s after cut_link, with jobs from before it not completed."
    found = RecoversWithin(within=1).check(Tale().acked("a").fault("cut_link", 50, 99).ended())
    assert found == undecided(says, examined=1, of="faults", seconds=float("inf"))


def test_a_pace_at_the_bound_is_kept() -> None:
    tale = Tale().phase("calm", 0, 3).done("a", "b").rejected("c")
    found = ThroughputStaysOver(at_least=2 / 3, phase="calm").check(tale.ended())
    assert (found.value, found.measured) == ("PASS", {"per_second": 0.667, "seconds": 3.0})


def test_there_is_no_pace_where_there_was_no_time() -> None:
    says = "No time to measure in phase night."
    history = Tale().phase("dawn", 0, 0).done("a").ended()
    assert ThroughputStaysOver(at_least=1, phase="night").check(history) == undecided(says, of="completed jobs")
    assert ThroughputStaysOver(at_least=1, phase="dawn").check(history).value == "INCONCLUSIVE"


def test_a_system_that_completes_nothing_is_measured_until_the_end() -> None:
    found = ThroughputStaysOver(at_least=1).check(Tale().acked("a", at=98.7654).ended())
    assert found.measured == {"per_second": 0.0, "seconds": 1.235}
    found = ThroughputStaysOver(at_least=1).check(Tale().done("a", at=0, finish=1.2346).ended())
    assert found.measured == {"per_second": 0.81, "seconds": 1.235}


def test_a_fault_that_lasts_is_told_where_it_leaves_nothing_to_judge() -> None:
    history = Tale().acked("a").fault("cut_link", 1).amiss("cut_link", 3, "unhealed", "no").ended()
    for claim in (ConsumptionResumes(within=2), RecoversWithin(within=2)):
        assert claim.check(history) == undecided("Nothing to judge: still broken: cut_link.", of="faults")
    says = "Nothing to judge: no fault struck while there were acked jobs."
    assert RecoversWithin(within=2).check(Tale().done("a").ended()) == undecided(says, of="faults")
