"""Every bound of the judgement on waves of retries, from both sides."""

from math import sqrt

import numpy as np
import pytest

from harness.invariants import _waves as w
from harness.invariants._waves import BackOff, Spread, Wave, backs_off, spread

Columns = tuple[list[int], list[int], list[float], list[float]]


def retries(*delays: list[float], failed: list[float] | None = None) -> Columns:
    """One list of delays for each number; the jobs of a number fail together, or at the moments given."""
    rows = [
        (job, number + 1, (failed[job] if failed else 0.0), delay)
        for number, some in enumerate(delays)
        for job, delay in enumerate(some)
    ]
    job, attempt, failed_at, delay = (list(column) for column in zip(*rows, strict=True))
    return job, attempt, failed_at, [at + wait for at, wait in zip(failed_at, delay, strict=True)]


def pairs_apart(one: float, other: float) -> tuple[bool, bool]:
    """Whether two delays are apart, on a busy machine and on a quiet one."""
    pairs, busy, quiet = w._pairs(w._judged(*retries([one] + [other] * 9)))
    assert pairs.tolist() == [45]
    assert {*busy.tolist(), *quiet.tolist()} <= {0, 9}
    return bool(busy[0]), bool(quiet[0])


@pytest.mark.parametrize(
    ("one", "other", "busy", "quiet"),
    [
        (0.0, 0.14, False, False),
        (0.0, 0.15, False, False),
        (0.0, 0.17, False, True),
        (0.0, 0.9, False, True),
        (0.0, 1.0, True, True),
        (0.44, 0.8, False, True),
        (0.4, 0.8, False, True),
        (0.35, 0.8, True, True),
        (3.725, 4.275, False, False),
        (3.675, 4.325, True, True),
        (20.0, 21.4, False, False),
        (20.0, 21.6, True, True),
    ],
)
def test_two_delays_are_apart_by_more_than_queueing_makes(one: float, other: float, busy: bool, quiet: bool) -> None:
    assert pairs_apart(one, other) == pairs_apart(other, one) == (busy, quiet)


def test_each_retry_is_compared_with_its_ten_neighbours() -> None:
    assert spread(*retries([2.0] * 30)).pairs == sum(30 - step for step in range(1, 11))
    assert spread(*retries([2.0] * 30, [2.0] * 11)).pairs == 245 + 55


def test_long_delays_weigh_more() -> None:
    found = spread(*retries([2.0, 4.0] * 5, [8.0] * 10))
    apart, margin = 3 * 25 / (3 * 45 + 8 * 45), 0.4 * sqrt(10 * 9 + 10 * 64) / (10 * 3 + 10 * 8)
    worst = Wave(at=0.0, attempt=2, jobs=10, delay=8.0, width=0.0, witnesses=tuple(range(10)))
    assert (found.apart_busy, found.apart_quiet, found.margin) == pytest.approx((apart, apart, margin))
    assert (found.verdict, found.threshold, found.retries, found.pairs) == ("lockstep", 0.42, 20, 90)
    assert (found.waves, found.worst) == (2, worst)


def test_a_number_weighs_by_its_mean_delay_and_not_by_its_size() -> None:
    found = spread(*retries([2.0, 4.0] * 15, [8.0] * 10))
    assert found.apart_busy == pytest.approx(3 * 125 / (3 * 245 + 8 * 45))


def test_retries_without_delay_are_in_lockstep() -> None:
    found = spread(*retries([0.0] * 10))
    assert (found.verdict, found.apart_quiet) == ("lockstep", 0.0)
    assert found.margin == pytest.approx(0.4 / sqrt(10))


def test_ten_retries_of_a_number_are_judged_and_nine_are_not() -> None:
    assert spread(*retries([2.0] * 9)) == Spread("too_few", 0.0, 0.0, 0.42, 0.0, 0, 0, 0, None)
    assert spread(*retries([2.0] * 10, [2.0] * 9)).retries == 10
    assert backs_off(*retries([2.0] * 10, [2.0] * 9)) == BackOff("too_few", 0.0, 0.0, 0.0, 10, 1)


def test_a_start_before_the_failure_is_no_delay() -> None:
    assert w._judged(*retries([-1.0] * 10)).delay.tolist() == [0.0] * 10


def test_retries_are_spread_or_not_from_the_margin_on() -> None:
    assert w._verdict(0.42 + 0.1, 1.0, 0.1) == "spread"
    assert w._verdict(0.51, 0.42 - 0.1, 0.1) == w._verdict(0.51, 0.51, 0.1) == "unclear"
    assert w._verdict(0.0, 0.31, 0.1) == "lockstep"


def test_a_second_without_a_failure_ends_a_wave() -> None:
    failed = [0.0, 1.0, 1.9, 3.0, 3.25, 3.5, 3.75, 4.0, 4.25, 4.5]
    found = spread(*retries([4.0] * 10, failed=failed))
    assert found.waves == 2
    assert found.worst == Wave(at=3.0, attempt=1, jobs=7, delay=4.0, width=0.0, witnesses=tuple(range(3, 10)))


def test_the_worst_wave_is_the_largest_of_the_number_that_came_back_closest() -> None:
    found = spread(*retries([2.0, 4.0] * 5, [8.0] * 26 + [4.0] * 4))
    assert found.worst is not None
    assert (found.worst.attempt, found.worst.jobs, found.waves) == (2, 30, 2)
    found = spread(*retries([8.0] * 12, [2.0, 4.0] * 15))
    assert found.worst is not None
    assert (found.worst.attempt, found.worst.jobs) == (1, 12)


def test_a_wave_may_be_a_single_job() -> None:
    found = spread(*retries([2.0, 4.0] * 5, [8.0] * 10, failed=[2.0 * job for job in range(10)]))
    assert found.waves == 20
    assert found.worst == Wave(at=0.0, attempt=2, jobs=1, delay=8.0, width=0.0, witnesses=(0,))


def test_witnesses_are_of_the_narrowest_four_fifths() -> None:
    delays = [0.0, 1.0, 5.0, 5.1, 5.2, 5.3, 5.4, 5.5, 5.6, 5.7]
    assert w._narrowest(np.array(delays[::-1])) == (5.0, 5.7)
    wave = w._wave(w._judged(*retries([*delays[1:], 9.0])), slice(0, 10))
    assert wave.witnesses == tuple(range(1, 9))
    assert (wave.width, wave.delay) == pytest.approx((0.7, 5.35))


def test_a_mean_is_that_of_the_shortest_four_fifths() -> None:
    found = w._mean(np.arange(10.0)[::-1])
    assert (found.mean, found.error) == pytest.approx((3.5, sqrt(6) / sqrt(8)))


@pytest.mark.parametrize(
    ("delays", "means"),
    [
        ([1, 2], (1, 1, 2)),
        ([1, 2, 4], (1, 2, 4)),
        ([1, 2, 4, 8], (1, 2, (10 * 4 + 6 * 8) / 16)),
        ([1, 2, 4, 8, 16], (1, 2, (10 * 8 + 6 * 16) / 16)),
    ],
)
def test_early_and_late_retries_are_compared(delays: list[float], means: tuple[float, ...]) -> None:
    found = backs_off(*retries(*([delay] * 10 for delay in delays)))
    assert (found.first, found.early, found.late) == pytest.approx(means)
    assert (found.retries, found.attempts) == (10 * len(delays), len(delays))


def growth(first: float, early: float, late: float, *, error: float = 0.0, late_error: float = 0.0) -> str:
    return w._growth(w._Mean(first, error), w._Mean(early, error), w._Mean(late, late_error))


@pytest.mark.parametrize(
    ("first", "early", "late", "verdict"),
    [
        (1.0, 1.0, 2.06, "backs_off"),
        (1.0, 1.0, 2.04, "unclear"),
        (0.5, 0.5, 1.11, "backs_off"),
        (0.5, 0.5, 1.09, "unclear"),
        (10.0, 10.0, 11.6, "backs_off"),
        (10.0, 10.0, 11.5, "fixed_pace"),
        (10.0, 9.0, 11.5, "unclear"),
        (10.0, 10.0, 11.4, "fixed_pace"),
        (10.0, 9.9, 11.4, "unclear"),
        (0.1, 0.1, 1.06, "backs_off"),
        (0.1, 0.1, 1.05, "unclear"),
        (0.0, 0.0, 1.06, "backs_off"),
        (0.1, 0.1, 0.21, "fixed_pace"),
        (0.1, 0.1, 0.1 * (1 + 1.2), "unclear"),
        (0.1, 0.1, 0.23, "unclear"),
        (0.4, 0.4, 0.5, "unclear"),
        (0.4, 0.4, 0.49, "fixed_pace"),
    ],
)
def test_delays_have_grown_or_kept_their_pace(first: float, early: float, late: float, verdict: str) -> None:
    assert growth(first, early, late) == verdict


def test_a_verdict_on_growth_has_to_be_sure() -> None:
    assert growth(10, 10, 11.78, late_error=0.1) == growth(10, 10, 11.82, error=0.1) == "backs_off"
    assert growth(10, 10, 11.77, late_error=0.1) == growth(10, 10, 11.81, error=0.1) == "unclear"
    assert growth(0.3, 0.3, 0.4, late_error=0.03) == "fixed_pace"
    assert growth(0.3, 0.3, 0.4, late_error=0.05) == "unclear"


def paced(delays: list[float], waits: list[float]) -> str:
    """The verdict on twelve jobs with these delays, in which a new job waited so long for a worker."""
    queued = [wait for wait in waits for _ in range(12)]
    return backs_off(*retries(*([delay] * 12 for delay in delays)), queued).verdict


def test_the_wait_for_a_worker_is_taken_off_an_unclear_growth_only() -> None:
    assert paced([3.5, 3.6, 4.4], [0, 0, 0]) == "unclear"
    assert paced([3.5, 3.6, 4.4], [3, 3, 3]) == "backs_off"
    assert paced([3.5, 4.0, 4.4], [3, 3, 3]) == "fixed_pace"
    assert paced([3.5, 3.6, 4.4], [5, 5, 3]) == "backs_off"


def test_without_a_word_on_queueing_nothing_is_taken_off() -> None:
    assert backs_off(*retries([1.5] * 12, [1.6] * 12, [2.3] * 12)).verdict == "unclear"
    assert paced([1.5, 1.6, 2.3], [1, 1, 1]) == "backs_off"


def test_a_delay_shorter_than_the_wait_for_a_worker_is_none() -> None:
    queued = [3.4] * 24 + [2.8] * 9 + [9.0] * 3
    assert backs_off(*retries([3.5] * 12, [3.6] * 12, [4.4] * 12), queued).verdict == "backs_off"


def test_the_wait_for_a_worker_excuses_no_delay_that_has_not_grown_since_the_first() -> None:
    assert paced([4.0, 3.5, 4.2], [3.9, 3.4, 3.0]) == "unclear"
    assert paced([10.0, 9.0, 11.5], [9.9, 8.9, 3.0]) == "unclear"
