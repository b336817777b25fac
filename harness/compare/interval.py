"""Confidence intervals for the centre of paired differences, by resampling, without assuming how runs scatter.

The means of all subsets of n differences cut the line into 2^n stretches, each of which holds the centre of a symmetric
distribution equally often (Hartigan's typical values). This is exact for any n, where a bootstrap of few repeats
promises more than it keeps; and if A and B are the same, the difference of a pair is symmetric whatever a run is like.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log2

import msgspec
import numpy as np
from numpy.typing import NDArray

EXACT = 14
"""Pairs up to which every subset is taken; of more pairs, 2^14 subsets drawn at random."""


class Interval(msgspec.Struct, frozen=True):
    """Holds the true difference, at the confidence that was asked for."""

    low: float
    high: float


def interval(differences: Sequence[float], error: float) -> Interval | None:
    """Misses the centre with a probability of at most `error`; None when there are too few differences for that."""
    if len(differences) < needed(error):
        return None
    means = np.sort(_means(np.asarray(differences, np.float64)))
    # The line has one stretch more than there are means.
    beyond = int(error / 2 * (len(means) + 1) * (1 + 1e-9))
    return Interval(float(means[beyond - 1]), float(means[len(means) - beyond]))


def needed(error: float) -> int:
    """The fewest pairs from which an interval can have so small an error: two stretches of 2^n lie outside it."""
    return ceil(log2(2 / error) - 1e-9)


def _means(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean of every subset that is not empty, or of many that are drawn at random."""
    if len(differences) > EXACT:
        members = np.random.default_rng(0).random((2**EXACT - 1, len(differences))) < 0.5
        members = members[members.any(axis=1)]
        return np.asarray(members @ differences / members.sum(axis=1), np.float64)
    sums, sizes = np.zeros(1), np.zeros(1)
    for difference in differences:
        sums, sizes = np.concatenate([sums, sums + difference]), np.concatenate([sizes, sizes + 1])
    return np.asarray(sums[1:] / sizes[1:], np.float64)
