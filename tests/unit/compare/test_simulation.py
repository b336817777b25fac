"""What a comparison promises, over many machines that only exist as numbers: silence on A/A, a word on a slowdown."""

from __future__ import annotations

import numpy as np
import pytest

from harness.cli.compare import REPEAT
from harness.compare.comparison import Comparison, compare
from tests.unit.compare.pairs import scattered

TIMES = 200
SLOWER = ("latency.p50", "latency.p95", "latency.p99")


def compared(random: np.random.Generator, noise: float, by: float = 1.0) -> Comparison:
    pairs = [(scattered(random, noise), scattered(random, noise, SLOWER, by)) for _ in range(REPEAT)]
    return compare(pairs, a="a", b="b", allowed={})


def differing(comparison: Comparison) -> set[str]:
    return {figure.name for figure in comparison.figures if figure.word in ("better", "worse")}


@pytest.mark.parametrize("noise", [0.005, 0.03, 0.2])
def test_a_against_a_says_no_difference_of_any_figure_95_times_in_100(noise: float) -> None:
    random = np.random.default_rng(7)
    said = [differing(compared(random, noise)) for _ in range(TIMES)]
    assert sum(map(bool, said)) <= 0.05 * TIMES


def test_a_slowdown_by_a_fifth_is_mostly_found_on_a_noisy_machine() -> None:
    random = np.random.default_rng(10)
    found = [compared(random, 0.1, by=1.2) for _ in range(TIMES)]
    assert sum(bool(set(comparison.regressions) & set(SLOWER)) for comparison in found) >= 0.75 * TIMES


def test_a_slowdown_by_a_fifth_is_found_at_the_default_number_of_repeats() -> None:
    random = np.random.default_rng(8)
    found = [compared(random, 0.03, by=1.2) for _ in range(TIMES)]
    caught = [comparison for comparison in found if set(comparison.regressions) & set(SLOWER)]
    assert len(caught) >= 0.95 * TIMES
    wrong = [comparison for comparison in found if differing(comparison) - set(SLOWER)]
    assert len(wrong) <= 0.05 * TIMES


def test_a_gain_by_a_fifth_is_found_too_and_is_no_regression() -> None:
    random = np.random.default_rng(9)
    found = [compared(random, 0.03, by=1 / 1.2) for _ in range(TIMES)]
    better = [{figure.name for figure in one.figures if figure.word == "better"} & set(SLOWER) for one in found]
    assert sum(map(bool, better)) >= 0.95 * TIMES
    assert sum(bool(comparison.regressions) for comparison in found) <= 0.05 * TIMES
