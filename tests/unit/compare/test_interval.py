"""The intervals keep their promise for few pairs, for any shape of scatter, and for all figures together."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from harness.compare.interval import Interval, intervals, needed


def column(*values: float) -> NDArray[np.float64]:
    return np.array([values], np.float64).T


def test_too_few_pairs_give_no_interval() -> None:
    assert [needed(error) for error in (0.5, 0.25, 0.04)] == [2, 3, 6]
    assert [needed(0.04, vary) for vary in (1, 2, 8, 9)] == [6, 7, 9, 9]
    assert intervals(column(1.0, 1.1, 1.0, 0.9, 1.0), 0.04) == [None]


def test_what_never_differs_differs_by_nothing() -> None:
    assert intervals(column(*[0.0] * 6), 0.04) == [Interval(0.0, 0.0)]


def test_a_difference_that_does_not_scatter_is_known() -> None:
    (found,) = intervals(column(*[1.0] * 6), 0.04)
    assert found is not None
    assert (found.low, found.high) == (pytest.approx(1.0, abs=1e-4), pytest.approx(1.0, abs=1e-4))


def test_the_mean_lies_in_the_middle() -> None:
    differences = np.random.default_rng(1).normal(3, 5, (12, 1))
    (found,) = intervals(differences, 0.05)
    assert found is not None and (found.low + found.high) / 2 == pytest.approx(differences.mean())


def test_a_pair_that_lacks_a_figure_counts_for_the_others_only() -> None:
    both = np.random.default_rng(2).normal(1, 1, (10, 2))
    both[0, 1] = np.nan
    found = intervals(both, 0.05)
    assert found[0] is not None and (found[0].low + found[0].high) / 2 == pytest.approx(both[:, 0].mean())
    assert found[1] is not None and (found[1].low + found[1].high) / 2 == pytest.approx(both[1:, 1].mean())


def test_figures_that_move_together_cost_no_more_than_one() -> None:
    one = np.random.default_rng(3).normal(0, 1, (10, 1))
    alone, among = intervals(one, 0.04)[0], intervals(np.hstack([one, 2 * one, -one]), 0.04)[0]
    assert alone and among and (alone.low, alone.high) == pytest.approx((among.low, among.high))


@pytest.mark.parametrize("pairs", [6, 8, 10, 20])
@pytest.mark.parametrize("shape", ["normal", "standard_cauchy", "laplace"])
def test_they_miss_as_seldom_as_they_say(pairs: int, shape: str) -> None:
    random = np.random.default_rng(pairs)
    times = 300 if pairs <= 16 else 60
    found = [intervals(getattr(random, shape)(size=(pairs, 1)), 0.05)[0] for _ in range(times)]
    missed = sum(not one.low <= 0 <= one.high for one in found if one)
    assert len(found) == times and missed <= times * 0.05 + 3 * (times * 0.05 * 0.95) ** 0.5


@pytest.mark.parametrize("together", [0.0, 0.9])
def test_nine_figures_miss_together_as_seldom_as_one(together: float) -> None:
    random, times = np.random.default_rng(4), 300
    missed = 0
    for _ in range(times):
        shared, own = random.normal(size=(10, 1)), random.normal(size=(10, 9))
        found = intervals(together * shared + (1 - together) * own, 0.05)
        missed += any(not one.low <= 0 <= one.high for one in found if one)
    assert missed <= times * 0.05 + 3 * (times * 0.05 * 0.95) ** 0.5
