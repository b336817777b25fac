"""The confidence intervals of few differences, all figures of a comparison together, by swapping A and B.

If A and B are the same, swapping the two runs of a pair changes nothing: every choice of pairs to swap was as likely as
the one that was seen. The largest of all figures' t-statistics is worked out for each choice; beyond what it exceeds
only as seldom as the error allows, a figure differs. This is exact for any number of pairs and any scatter, and figures
that rise and fall together cost no more than one of them, where sharing the error out would charge for each.
"""

from __future__ import annotations

from functools import lru_cache
from math import ceil, log2

import msgspec
import numpy as np
from numpy.typing import NDArray

EXACT = 14
"""Pairs up to which every choice is taken; of more pairs, 2^14 choices drawn at random."""
Floats = NDArray[np.float64]


class Interval(msgspec.Struct, frozen=True):
    """Holds the true difference, at the confidence that was asked for."""

    low: float
    high: float


def intervals(differences: Floats, error: float) -> list[Interval | None]:
    """For each column the interval of its centre; all hold together but with a probability of `error`.

    A row is a pair, nan where it lacks the figure. None where a column has too few pairs for so small an error.
    Differences far from 0 bound too narrowly when swapped, so what is left of them without their mean is asked, too.
    """
    known = ~np.isnan(differences)
    given, counts = np.where(known, differences, 0.0), known.sum(axis=0)
    vary = (given != 0).any(axis=0)
    centres, errors = _centres(given, counts), _errors(given, counts)
    left = np.where(known, given - centres, 0.0)
    bound = max(_bound(some[:, vary], counts[vary], error) for some in (given, left)) if vary.any() else 0.0
    enough = needed(error, int(vary.sum()))
    return [
        Interval(float(centre - bound * spread), float(centre + bound * spread)) if count >= enough else None
        for centre, spread, count in zip(centres, errors, counts, strict=True)
    ]


def needed(error: float, vary: int = 1) -> int:
    """The fewest pairs that can show a difference: if each figure were at its most extreme in two choices of 2^n."""
    return ceil(log2(2 * max(1, vary) / error) - 1e-9)


def _bound(given: Floats, counts: NDArray[np.int64], error: float) -> float:
    """The t-statistic that the largest of all columns exceeds in at most this share of the choices."""
    signs = _signs(len(given))
    centres = signs @ given / counts
    squares = (given**2).sum(axis=0) / counts
    errors = _error(centres, squares, counts)
    ratios = np.divide(np.abs(centres), errors, out=np.zeros_like(centres), where=errors > 0)
    largest = np.sort(ratios.max(axis=1))
    return float(largest[len(largest) - 1 - int(error * len(largest) * (1 + 1e-9))])


@lru_cache(maxsize=2)
def _signs(pairs: int) -> Floats:
    """1 for a pair that stays and -1 for one that is swapped; the choice that was seen comes first."""
    if pairs <= EXACT:
        return np.asarray(1 - 2 * ((np.arange(2**pairs)[:, None] >> np.arange(pairs)) & 1), np.float64)
    drawn = np.random.default_rng(0).choice([-1.0, 1.0], (2**EXACT, pairs))
    drawn[0] = 1.0
    return np.asarray(drawn, np.float64)


def _centres(given: Floats, counts: NDArray[np.int64]) -> Floats:
    return np.asarray(given.sum(axis=0) / np.maximum(counts, 1), np.float64)


def _errors(given: Floats, counts: NDArray[np.int64]) -> Floats:
    squares = (given**2).sum(axis=0) / np.maximum(counts, 1)
    return _error(_centres(given, counts), squares, counts)


def _error(centres: Floats, squares: Floats, counts: NDArray[np.int64]) -> Floats:
    """The standard error of a mean, from the mean of the squares, which no swap changes; never quite 0 by rounding."""
    scatter = np.maximum(squares - centres**2, 1e-12 * squares)
    return np.asarray(np.sqrt(scatter / np.maximum(counts - 1, 1)), np.float64)
