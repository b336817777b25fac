"""By how much points of a sweep must differ before that can be more than noise."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
ERROR = 0.05
"""How often a grid whose points are all the same may tell any of them apart."""
DRAWN = 20_000
EXCHANGES = 500
ENOUGH = 50
"""Ways to place one point that is unlike the others, from which on exchanges can show it."""


def margin(values: Floats) -> float | None:
    """The least difference of two points' means that tells them apart; None when there are too few turns to tell.

    A row is a turn, a column a point. What is left of the values without their point's mean and their turn's is noise,
    of the same size everywhere: with few turns that is the only way to know it. The range of the means of noise alone,
    in units of its own scatter, seldom exceeds what is given here. In a large grid a run far out is likely, which no
    normal distribution foresees; there the values of each turn are exchanged as well.
    """
    turns, points = values.shape
    if points < 2 or turns < 2:
        return None
    bounds = [_yardstick(turns, points)]
    if points ** (turns - 1) >= ENOUGH:
        whole = np.broadcast_to(values, (EXCHANGES, turns, points))
        bounds.append(_quantile(np.random.default_rng(0).permuted(whole, axis=2)))
    return max(bounds) * float(_scatter(values))


@lru_cache
def _yardstick(turns: int, points: int) -> float:
    """The range of the means in units of the scatter that noise exceeds this seldom."""
    drawn = np.random.default_rng(0).normal(size=(max(200, DRAWN // points), turns, points))
    return _quantile(drawn)


def _quantile(tables: Floats) -> float:
    """The range of the means in units of the scatter that few of the tables exceed."""
    ranges, scatter = np.ptp(tables.mean(axis=1), axis=1), _scatter(tables)
    return float(np.quantile(np.divide(ranges, scatter, out=np.zeros_like(ranges), where=scatter > 0), 1 - ERROR))


def _scatter(values: Floats) -> Floats:
    """The standard deviation of what is left within points and turns; tables may be stacked."""
    left = values - values.mean(axis=-2, keepdims=True) - values.mean(axis=-1, keepdims=True)
    left = left + values.mean(axis=(-2, -1), keepdims=True)
    freedom = (values.shape[-2] - 1) * (values.shape[-1] - 1)
    return np.asarray(np.sqrt((left**2).sum(axis=(-2, -1)) / freedom), np.float64)
