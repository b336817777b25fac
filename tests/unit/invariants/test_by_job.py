"""Events in order of their job, asked for by job and moment."""

import numpy as np

from harness.invariants._by_job import by_job

JOB = np.array([2, 0, 2, 0, 2], np.int32)
T = np.array([5, 1, 3, 4, 5], np.int64)


def asked(*pairs: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    job, t = np.array(pairs, np.int64).T
    return job, t


def test_they_are_ordered_by_job_and_then_by_time() -> None:
    found = by_job(JOB, T)
    assert (found.job.tolist(), found.t.tolist(), found.order.tolist()) == (
        [0, 0, 2, 2, 2],
        [1, 4, 3, 5, 5],
        [1, 3, 2, 0, 4],
    )


def test_a_place_is_before_the_events_of_its_moment_or_behind_them() -> None:
    found, where = by_job(JOB, T), asked((0, 0), (0, 1), (0, 9), (1, 4), (2, 4), (2, 5), (2, 6), (3, 0))
    assert found.places(*where).tolist() == [0, 0, 2, 2, 3, 3, 5, 5]
    assert found.places(*where, at=True).tolist() == [0, 1, 2, 2, 3, 5, 5, 5]
    assert found.firsts(where[0]).tolist() == [0, 0, 0, 2, 2, 2, 2, 5]


def test_events_of_one_job_are_counted() -> None:
    found, where = by_job(JOB, T), asked((2, 5), (0, 4), (1, 9))
    assert found.counts(*where).tolist() == [1, 1, 0]
    assert found.counts(*where, at=True).tolist() == [3, 2, 0]


def test_nothing_is_asked_for_or_there() -> None:
    none = np.zeros(0, np.int64)
    assert by_job(JOB, T).places(none, none).tolist() == []
    assert by_job(none, none).counts(*asked((0, 1))).tolist() == [0]
