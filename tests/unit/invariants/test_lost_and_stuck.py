"""no_lost_jobs and no_stuck_jobs: what became of the acked jobs that never completed."""

from harness.invariants.no_lost_jobs import NoLostJobs
from harness.invariants.no_stuck_jobs import NoStuckJobs
from harness.verdict import failed, passed
from tests.unit.invariants.histories import Tale


def test_jobs_that_completed_are_not_lost() -> None:
    expected = passed("None of 2 acked jobs was lost.", examined=2, of="acked jobs", acked=2, at_risk=0, lost=0)
    assert NoLostJobs().check(Tale().done("a", "b").ended()) == expected


def test_an_acked_job_that_is_nowhere_is_lost() -> None:
    says = "1 of 2 acked jobs vanished: never completed, not dead, not in the queue."
    expected = failed(says, examined=2, of="acked jobs", jobs=[1], acked=2, at_risk=0, lost=1)
    assert NoLostJobs().check(Tale().done("a").acked("b").ended()) == expected


def test_a_rejected_or_unanswered_job_cannot_be_lost() -> None:
    assert NoLostJobs().check(Tale().done("a").rejected("b").offered("c").ended()).value == "PASS"


def test_a_job_whose_handler_was_killed_after_its_effect_is_lost() -> None:
    history = Tale().acked("a").started("a", 1).effect("a", 1.5).died("w1", 1, 2).ended()
    assert NoLostJobs().check(history).jobs == (0,)


def test_the_sentence_says_how_many_jobs_were_at_risk_during_a_fault() -> None:
    history = (
        Tale()
        .done("early")
        .acked("a", "b", at=1)
        .fault("restart_server", 2, 3, evidence={"server": "redis"})
        .ran("a", 4, 5)
        .ended()
    )
    found = NoLostJobs().check(history)
    assert (
        found.says
        == "1 of 3 acked jobs vanished: never completed, not dead, not in the queue; 2 of the 3 were at risk, "
        "unfinished while a fault was at work (restart_server)."
    )
    assert found.measured == {"acked": 3, "at_risk": 2, "lost": 1}


def test_a_dead_job_is_not_lost() -> None:
    assert NoLostJobs().check(Tale().acked("a").ran("a", 1, 2, "dead").ended()).value == "PASS"


def test_a_job_in_the_queues_dead_list_is_neither_lost_nor_stuck() -> None:
    tale = Tale().acked("a").ran("a", 1, 2, "failed").held("a", "dead")
    assert NoLostJobs().check(tale.ended()).value == NoStuckJobs().check(tale.cut()).value == "PASS"


def test_a_held_job_is_stuck_and_not_lost() -> None:
    history = Tale().acked("a", "b").held("a", "active").ended(waiting=1)
    assert NoLostJobs().check(history).jobs == (1,)
    says = "After the drain: 1 acked job still in the queue."
    assert NoStuckJobs().check(history) == failed(
        says, examined=2, of="acked jobs", jobs=[0], stuck=1, held=1, running=0
    )


def test_a_completed_job_that_the_queue_still_holds_is_not_stuck() -> None:
    assert NoStuckJobs().check(Tale().done("a").held("a", "active").ended(waiting=1)).value == "PASS"


def test_a_queue_that_gives_only_a_number_leaves_at_least_the_rest_lost() -> None:
    found = NoLostJobs().check(Tale().acked("a", "b", "c").ended(waiting=1))
    assert (found.value, found.measured["lost"]) == ("FAIL", 2)
    assert found.says.startswith("At least 2 of 3 acked jobs vanished")


def test_a_queue_that_may_hold_them_all_leaves_it_open() -> None:
    history = Tale().acked("a", "b").ended(waiting=2)
    assert NoLostJobs().check(history).value == "INCONCLUSIVE"
    assert NoStuckJobs().check(history).value == "FAIL"


def test_a_queue_that_says_nothing_leaves_both_open() -> None:
    history = Tale().acked("a").ended(waiting=None)
    assert NoLostJobs().check(history).value == NoStuckJobs().check(history).value == "INCONCLUSIVE"


def test_a_run_still_going_on_is_stuck_and_not_lost() -> None:
    history = Tale().acked("a").started("a", 1).died("w1", 1, 101, code=0).ended(at=100, waiting=1)
    assert NoLostJobs().check(history).value == "INCONCLUSIVE"
    assert NoStuckJobs().check(history).measured == {"stuck": 1, "held": 0, "running": 1}


def test_a_history_cut_short_leaves_both_open_unless_all_is_done() -> None:
    assert NoLostJobs().check(Tale().acked("a").cut()).value == "INCONCLUSIVE"
    assert NoStuckJobs().check(Tale().acked("a").cut()).value == "INCONCLUSIVE"
    assert NoLostJobs().check(Tale().done("a").cut()).value == "PASS"
    assert NoStuckJobs().check(Tale().done("a").cut()).value == "PASS"


def test_a_drain_without_patience_cannot_accuse_a_queue_of_keeping_a_job() -> None:
    found = NoStuckJobs().check(Tale().acked("a").held("a", "active").ended(why="patience ended after 5 s"))
    assert (found.value, found.jobs) == ("INCONCLUSIVE", (0,))


def test_a_lost_job_is_not_stuck() -> None:
    assert NoStuckJobs().check(Tale().done("b").acked("a").ended()).value == "PASS"


def test_acks_said_twice_count_once() -> None:
    assert NoLostJobs().check(Tale().done("a").acked("a", at=0.05).ended()).examined == 1


def test_nothing_acked_is_nothing_examined() -> None:
    assert NoLostJobs().check(Tale().ended()).examined == NoStuckJobs().check(Tale().ended()).examined == 0


def test_a_fault_that_met_no_unfinished_job_proves_little_and_the_sentence_says_so() -> None:
    says = (
        "None of 1 acked job was lost; but no job was unfinished while a fault was at work (kill_worker), so that no "
        "fault put this to the test."
    )
    expected = passed(says, examined=1, of="acked jobs", acked=1, at_risk=0, lost=0)
    assert NoLostJobs().check(Tale().done("a").fault("kill_worker", 50, 50).ended()) == expected


def test_a_job_counts_as_at_risk_once_however_many_faults_it_met() -> None:
    tale = Tale().done("a", at=1, start=9).done("b", at=3.5, start=3.6).fault("cut_link", 2, 4)
    history = tale.fault("cut_link", 3, 5, n=1).fault("kill_worker", 8, 8, n=2).done("c", at=6, start=6.1).ended()
    assert NoLostJobs().check(history).measured == {"acked": 3, "at_risk": 2, "lost": 0}


def test_a_fault_that_never_healed_puts_all_later_jobs_at_risk() -> None:
    tale = Tale().fault("cut_link", 1).amiss("cut_link", 2, "unhealed", "no").done("a", at=50)
    assert NoLostJobs().check(tale.ended()).measured["at_risk"] == 1


def test_a_dead_job_that_was_tried_again_and_killed_is_lost() -> None:
    tale = Tale().acked("a").ran("a", 1, 2, "dead").started("a", 5, pid=2).died("w1", 2, 6)
    assert NoLostJobs().check(tale.ended()).jobs == (0,)


def test_an_unknown_outcome_that_completed_is_no_acked_job() -> None:
    assert NoLostJobs().check(Tale().offered("a").ran("a", 1, 2).ended()).examined == 0


def test_a_queue_that_tells_only_a_part_after_a_short_drain_leaves_it_open() -> None:
    tale = Tale().acked("a").state(100, queued=0)
    assert NoLostJobs().check(tale.ended(why="patience ended after 5 s", waiting=None)).value == "INCONCLUSIVE"
    tale = Tale().acked("a").state(100, queued=0)
    assert NoLostJobs().check(tale.ended(waiting=None)).value == "FAIL"


def test_a_run_that_ended_with_the_drain_is_not_going_on() -> None:
    ended = Tale().acked("a").started("a", 1).died("w1", 1, 100).ended()
    assert NoLostJobs().check(ended).value == "FAIL"
    assert NoLostJobs().check(Tale().acked("a").started("a", 1).died("w1", 1, 2).ended()).value == "FAIL"
    began = Tale().acked("a").started("a", 100).state(101)
    assert NoLostJobs().check(began.ended()).value == "INCONCLUSIVE"


def test_the_queue_is_believed_in_what_it_said_last() -> None:
    assert NoLostJobs().check(Tale().acked("a").state(5, queued=5, active=0, delayed=0).ended()).value == "FAIL"
    short = "patience ended after 5 s"
    assert NoLostJobs().check(Tale().acked("a").state(5, queued=5).ended(why=short)).value == "FAIL"
    told = Tale().acked("a").state(5, queued=0, active=0, delayed=0)
    for part in ({"queued": 0, "active": 0}, {"queued": 0, "delayed": 0}, {"active": 0, "delayed": 0}):
        assert NoLostJobs().check(told.state(99, **part).ended(why=short, waiting=None)).value == "INCONCLUSIVE"


def test_the_doubt_is_told() -> None:
    says = "The run was cut short while 2 acked jobs had not completed."
    found = NoLostJobs().check(Tale().acked("a", "b").started("a", 1).cut())
    assert (found.says, found.measured["lost"]) == (says, 0)
    assert NoStuckJobs().check(Tale().acked("a", "b").cut()).says == says
    says = "1 acked job had a run that was still going on when the drain ended."
    assert NoLostJobs().check(Tale().acked("a").started("a", 1).ended()).says == says
    says = "1 acked job had not completed, and the queue does not say which jobs it holds."
    assert NoLostJobs().check(Tale().acked("a").ended(waiting=1)).says == says
    says = "1 acked job had not completed, and the queue does not say what it holds."
    assert NoStuckJobs().check(Tale().acked("a").ended(waiting=None)).says == says


def test_only_faults_that_struck_put_jobs_to_the_test() -> None:
    tale = Tale().done("a").amiss("kill_worker", 1, "missed", "no worker")
    assert NoLostJobs().check(tale.ended()).says == "None of 1 acked job was lost."
    tale = Tale().done("a", at=1, finish=3).fault("cut_link", 2, 4)
    says = "None of 1 acked job was lost; 1 of the 1 was at risk, unfinished while a fault was at work (cut_link)."
    assert NoLostJobs().check(tale.ended()).says == says


def test_a_job_that_was_handed_out_after_the_last_look_was_on_its_way_and_is_not_lost() -> None:
    tale = Tale().acked("moving", "gone").ran("moving", 99, 99.5, "failed").held("gone", "queued")
    history = tale.ran("moving", 100.2, 100.3, "failed").ended(100)
    assert NoLostJobs().check(history).value == "PASS"
    assert NoStuckJobs().check(history).jobs == (0, 1)
