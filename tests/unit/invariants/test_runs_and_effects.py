"""Claims about single jobs: attempts_are_bounded, no_overlapping_runs, every_completion_has_its_effect,
no_unexpected_jobs."""

import pytest

from harness.invariants.attempts_are_bounded import AttemptsAreBounded
from harness.invariants.every_completion_has_its_effect import EveryCompletionHasItsEffect
from harness.invariants.no_duplicate_effects import NoDuplicateEffects
from harness.invariants.no_overlapping_runs import NoOverlappingRuns
from harness.invariants.no_unexpected_jobs import NoUnexpectedJobs
from harness.verdict import failed, passed, undecided
from tests.unit.invariants.histories import Tale


def test_as_many_runs_as_allowed_pass() -> None:
    history = Tale().done("a").ran("a", 2, 3, "failed").ran("b", 4, 5).ended()
    assert AttemptsAreBounded(most=2).check(history) == passed(
        "2 jobs ran, none more than 2 times.", examined=2, of="jobs that ran", most=2
    )


def test_one_run_too_many_fails_worst_first() -> None:
    tale = Tale().acked("a", "b")
    for key, times in (("a", 2), ("b", 3)):
        for turn in range(times):
            tale.started(key, 1 + turn)
    found = AttemptsAreBounded(most=1).check(tale.ended())
    assert found == failed(
        "2 jobs ran more than 1 time; the worst 3 times.", examined=2, of="jobs that ran", jobs=[1, 0], most=3
    )


def test_a_bound_below_one_is_refused() -> None:
    assert list(AttemptsAreBounded(most=0).problems()) == ["most must be at least 1, got 0"]
    assert not list(AttemptsAreBounded(most=1).problems())


def test_runs_one_after_the_other_do_not_overlap() -> None:
    history = Tale().ran("a", 1, 2, "failed").ran("a", 2, 3).ran("b", 1, 3).ended()
    assert NoOverlappingRuns().check(history) == passed(
        "3 runs, no two of one job at once.", examined=3, of="runs", overlapping=0
    )


def test_a_run_that_begins_before_the_other_ends_overlaps() -> None:
    history = Tale().ran("a", 1, 5).ran("b", 1, 2).ran("a", 3, 4, worker="w2").ended()
    says = "1 job ran twice at the same time, for up to 1.0 s."
    assert NoOverlappingRuns().check(history) == failed(
        says, examined=3, of="runs", jobs=[0], overlapping=1, longest_s=1.0
    )


@pytest.mark.parametrize("ends", ["died", "gone"])
def test_the_death_of_a_process_ends_its_run(ends: str) -> None:
    tale = getattr(Tale().started("a", 1), ends)("w1", 1, 2)
    assert NoOverlappingRuns().check(tale.ran("a", 3, 4, pid=2).ended()).value == "PASS"


def test_the_death_of_another_process_of_the_worker_does_not() -> None:
    history = Tale().started("a", 1).died("w1", 99, 2).ran("a", 3, 4, pid=2).ended()
    assert NoOverlappingRuns().check(history).jobs == (0,)


def test_a_run_that_never_ends_goes_on() -> None:
    assert NoOverlappingRuns().check(Tale().started("a", 1).ran("a", 50, 51, worker="w2").ended()).value == "FAIL"


def test_a_death_before_the_start_was_another_process_with_that_pid() -> None:
    history = Tale().died("w1", 1, 0.5).started("a", 1).ran("a", 3, 4, worker="w2").ended()
    assert NoOverlappingRuns().check(history).value == "FAIL"


def test_a_long_run_that_swallows_two_short_ones_is_found() -> None:
    history = Tale().ran("a", 1, 10).ran("a", 2, 3, worker="w2").ran("a", 4, 5, worker="w2").ended()
    assert NoOverlappingRuns().check(history).jobs == (0,)


def test_the_same_run_id_in_two_workers_is_two_runs() -> None:
    tale = Tale().started("a", 1, worker="w1", run="7").started("a", 2, worker="w2", run="7")
    tale.finished("a", 3, worker="w2", run="7").finished("a", 4, worker="w1", run="7")
    found = NoOverlappingRuns().check(tale.ended())
    assert (found.value, found.examined, found.measured["longest_s"]) == ("FAIL", 2, 1.0)


def test_a_finish_without_a_start_completes_its_job_and_is_no_run() -> None:
    history = Tale().acked("a").effect("a", 1).finished("a", 2, run="x").done("b").ended()
    assert NoOverlappingRuns().check(history).examined == 1
    assert AttemptsAreBounded(most=1).check(history).examined == 1
    assert EveryCompletionHasItsEffect().check(history).examined == 2


def test_an_effect_at_the_moment_of_completion_is_in_time() -> None:
    says = "1 completed job, each with its side effect."
    assert EveryCompletionHasItsEffect().check(Tale().done("a").ended()) == passed(
        says, examined=1, of="completed jobs", without=0
    )


def test_a_replay_is_as_good_as_an_effect() -> None:
    assert EveryCompletionHasItsEffect().check(Tale().replay("a", 1).ran("a", 0.5, 2).ended()).value == "PASS"


def test_a_completion_without_effect_fails() -> None:
    history = Tale().done("a").ran("b", 1, 2).ended()
    says = "1 job of 2 ended `done` before any side effect had happened."
    assert EveryCompletionHasItsEffect().check(history) == failed(
        says, examined=2, of="completed jobs", jobs=[1], without=1
    )


def test_an_effect_after_the_completion_fails() -> None:
    assert EveryCompletionHasItsEffect().check(Tale().ran("a", 1, 2).effect("a", 3).ended()).jobs == (0,)


def test_a_failed_run_needs_no_effect() -> None:
    assert EveryCompletionHasItsEffect().check(Tale().acked("a").ran("a", 1, 2, "failed").ended()).examined == 0


def test_only_offered_jobs_ran() -> None:
    says = "1 job ran or had a side effect, all of them offered."
    assert NoUnexpectedJobs().check(Tale().done("a").offered("b").ended()) == passed(
        says, examined=1, of="jobs that ran", unexpected=0
    )


def test_a_job_nobody_offered_is_unexpected_whether_it_ran_or_had_an_effect() -> None:
    found = NoUnexpectedJobs().check(Tale().done("a").started("b", 1).effect("c", 1).ended())
    says = "2 jobs ran or had a side effect, and had never been offered."
    assert found == failed(says, examined=3, of="jobs that ran", jobs=[1, 2], unexpected=2)


def test_a_rejected_job_may_run() -> None:
    assert NoUnexpectedJobs().check(Tale().rejected("a").ran("a", 1, 2).ended()).value == "PASS"


def test_a_death_that_was_noticed_late_makes_no_overlap() -> None:
    tale = Tale().started("a", 1).ran("a", 2, 3, worker="w2").died("w1", 1, 2.1)
    assert NoOverlappingRuns().check(tale.ended()).value == "PASS"
    tale = Tale().started("a", 1).ran("a", 2, 3, worker="w2").died("w1", 1, 2.5)
    assert NoOverlappingRuns().check(tale.ended()).value == "FAIL"


def test_a_pid_that_came_again_dies_each_time() -> None:
    tale = Tale().started("a", 1).died("w1", 1, 2).started("a", 3).died("w1", 1, 4).ran("a", 5, 6, worker="w2")
    assert NoOverlappingRuns().check(tale.died("w1", 1, 50).ended()) == passed(
        "3 runs, no two of one job at once.", examined=3, of="runs", overlapping=0
    )


def test_a_run_without_an_end_in_a_history_cut_short_is_in_doubt() -> None:
    tale = Tale().started("a", 1).ran("a", 50, 51, worker="w2").ran("b", 1, 2)
    found = NoOverlappingRuns().check(tale.cut())
    assert (found.value, found.jobs, found.examined) == ("INCONCLUSIVE", (0,), 3)


def test_runs_that_begin_at_the_same_moment_are_ordered_by_their_end() -> None:
    assert NoOverlappingRuns().check(Tale().ran("a", 1, 5).ran("a", 1, 1, worker="w2").ended()).value == "PASS"
    assert NoOverlappingRuns().check(Tale().ran("a", 1, 5).ran("a", 1, 2, worker="w2").ended()).jobs == (0,)


def test_two_effects_of_one_run_are_a_duplicate_and_a_replay_is_none() -> None:
    tale = Tale().done("a", "b").replay("a", 1)
    assert NoDuplicateEffects().check(tale.ended()).value == "PASS"
    assert NoDuplicateEffects().check(tale.effect("b", 0.2).cut()).jobs == (1,)


@pytest.mark.parametrize(("died", "value"), [(2.25, "PASS"), (2.25 + 1e-9, "FAIL")])
def test_a_death_is_noticed_within_a_quarter_of_a_second(died: float, value: str) -> None:
    tale = Tale().started("a", 1).ran("a", 2, 3, worker="w2").died("w1", 1, died)
    assert NoOverlappingRuns().check(tale.ended()).value == value


def test_a_run_that_finished_as_its_process_died_went_on_until_then() -> None:
    assert (
        NoOverlappingRuns().check(Tale().ran("a", 1, 2.1).ran("a", 2, 3, worker="w2").died("w1", 1, 2.1).ended()).jobs
    )


def test_the_longest_overlap_is_named_first() -> None:
    tale = Tale().ran("a", 1, 3).ran("a", 2, 3, worker="w2").ran("b", 1, 4.1234).ran("b", 2, 9, worker="w2")
    says = "2 jobs ran twice at the same time, for up to 2.1 s."
    expected = failed(says, examined=4, of="runs", jobs=[1, 0], overlapping=2, longest_s=2.123)
    assert NoOverlappingRuns().check(tale.ended()) == expected


def test_one_doubtful_pair_of_runs_is_enough_for_doubt() -> None:
    tale = Tale().started("a", 1).ran("a", 2, 3, worker="w2").ran("b", 1, 2).ran("b", 3, 4)
    says = "The run was cut short, and 1 run may have ended before the next began."
    assert NoOverlappingRuns().check(tale.cut()) == undecided(says, examined=4, of="runs", jobs=[0], overlapping=0)


def test_the_job_with_most_effects_is_named_first() -> None:
    tale = Tale().done("a", "b").effect("a", 1).effect("b", 1).effect("b", 2)
    says = "2 jobs of 2 had a side effect more than once; the worst 3 times."
    expected = failed(says, examined=2, of="jobs with an effect", jobs=[1, 0], duplicated=2, extra=3)
    assert NoDuplicateEffects().check(tale.ended()) == expected


def test_where_nothing_ran_nothing_was_examined() -> None:
    expected = passed("0 jobs ran, none more than 0 times.", examined=0, of="jobs that ran", most=0)
    assert AttemptsAreBounded(most=1).check(Tale().ended()) == expected
