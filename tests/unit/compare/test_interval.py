"""The interval keeps its promise for few pairs and for any shape of scatter."""

from __future__ import annotations

import numpy as np
import pytest

from harness.compare.interval import Interval, interval, needed


def test_the_means_of_all_subsets_are_the_ends() -> None:
    assert interval([1.0, 2.0, 4.0], 0.25) == Interval(1.0, 4.0)
    assert interval([1.0, 2.0, 4.0], 0.5) == Interval(1.5, 3.0)


def test_too_few_pairs_give_no_interval() -> None:
    assert [needed(error) for error in (0.5, 0.25, 0.05, 0.05 / 9)] == [2, 3, 6, 9]
    assert interval([1.0] * 5, 0.05) is None
    assert interval([1.0] * 6, 0.05) == Interval(1.0, 1.0)


def test_the_mean_lies_within() -> None:
    differences = np.random.default_rng(1).normal(3, 5, 12).tolist()
    found = interval(differences, 0.05)
    assert found is not None and found.low < float(np.mean(differences)) < found.high


@pytest.mark.parametrize("pairs", [6, 8, 10, 20])
@pytest.mark.parametrize("shape", ["normal", "standard_cauchy", "laplace"])
def test_it_misses_as_seldom_as_it_says(pairs: int, shape: str) -> None:
    random = np.random.default_rng(pairs)
    times = 400 if pairs <= 16 else 60
    found = [interval(getattr(random, shape)(size=pairs).tolist(), 0.05) for _ in range(times)]
    missed = sum(not one.low <= 0 <= one.high for one in found if one)
    assert len(found) == times and missed <= times * 0.05 + 3 * (times * 0.05 * 0.95) ** 0.5
