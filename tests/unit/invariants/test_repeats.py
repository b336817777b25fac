"""What retries and waits are read from a history."""

import numpy as np

from harness.invariants._repeats import awaited, queued, repeats, retries
from tests.unit.invariants.histories import Tale


def test_retries_are_numbered_within_their_job() -> None:
    tale = Tale().acked("a", "b", "once")
    tale.ran("a", 1, 2, "failed").ran("b", 1.5, 2.5, "failed").ran("a", 3, 4, "failed").ran("a", 7, 8).ran("b", 9, 10)
    found = retries(tale.ran("once", 1, 2).ended())
    assert found.job.tolist() == [0, 0, 1]
    assert found.attempt.tolist() == [1, 2, 1]
    assert found.failed_at.tolist() == [2, 4, 2.5]
    assert found.started_at.tolist() == [3, 7, 9]


def test_a_retry_after_a_death_goes_on_counting() -> None:
    tale = Tale().acked("a").ran("a", 1, 2, "failed").started("a", 3, pid=2).died("w1", 2, 4)
    found = retries(tale.ran("a", 5, 6, "failed").ran("a", 8, 9).ended())
    assert (found.attempt.tolist(), found.failed_at.tolist(), found.started_at.tolist()) == ([1, 2], [2, 6], [3, 8])


def test_each_run_stands_beside_the_next_of_its_job() -> None:
    found = repeats(Tale().ran("a", 1, 2).ran("b", 1, 2).ran("b", 3, 4).ran("a", 5, 6).ended())
    pairs = [found.runs.start[found.before].tolist(), found.runs.start[found.after].tolist()]
    assert found.job.tolist() == [0, 1]
    assert (np.diff(pairs, axis=0) / 1e9).tolist() == [[4, 2]]


def test_the_wait_for_a_worker_is_that_of_the_job_that_last_began() -> None:
    tale = Tale().acked("a", at=0).acked("b", at=1).acked("c", at=5.5).acked("never", at=2)
    tale.ran("a", 2, 3).ran("b", 5, 6).ran("c", 6, 7).ran("c", 9, 10).offered("unacked").ran("unacked", 8, 9)
    waits = queued(tale.ended(), np.array([1.9, 2.0, 4.9, 5.0, 6.0, 50.0]))
    assert waits.tolist() == [0, 2, 2, 4, 0.5, 0.5]


def test_a_job_that_began_before_its_ack_was_heard_of_has_not_waited() -> None:
    assert queued(Tale().ran("a", 1, 2).acked("a", at=1.5).ended(), np.array([3.0])).tolist() == [0]


def test_retries_are_awaited_where_the_history_was_cut_short() -> None:
    tale = Tale().acked("a", "b", "c", "d", "e").ran("a", 1, 2, "failed").ran("b", 1, 2, "failed").ran("b", 3, 4)
    tale.ran("c", 1, 2, "failed").started("c", 3).ran("d", 1, 2, "dead")
    assert awaited(tale.cut()) == 1
    assert awaited(Tale().acked("a").ran("a", 2, 2, "failed").cut()) == 1
    assert awaited(tale.ended()) == 0


def test_a_failure_after_the_completion_is_not_awaited() -> None:
    assert awaited(Tale().acked("a").ran("a", 1, 2).ran("a", 3, 4, "failed").cut()) == 0
