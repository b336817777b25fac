"""By how much points of a sweep must differ before that can be more than noise."""

from __future__ import annotations

from math import factorial

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
ERROR = 0.05
"""How often a grid whose points are all the same may tell any of them apart."""
SHUFFLES = 2000


def margin(values: Floats) -> float | None:
    """The least difference of two points' means that tells them apart; None when there are too few turns to tell.

    A row is a turn, a column a point. If the settings made no difference, the points of a turn could have changed
    places: the range of the means, in units of the scatter that is left within points and turns, is worked out for
    many such exchanges, and few of them exceed what is given here.
    """
    turns, points = values.shape
    if points < 2 or turns < 2 or 1 / factorial(points) ** (turns - 1) > ERROR:
        return None
    seen, scatter = _range(values)
    if scatter == 0:
        return 0.0
    random = np.random.default_rng(0)
    exchanged = sorted([seen, *(_range(random.permuted(values, axis=1))[0] for _ in range(SHUFFLES))])
    return exchanged[len(exchanged) - 1 - int(ERROR * len(exchanged))] * scatter


def _range(values: Floats) -> tuple[float, float]:
    """The range of the points' means in units of the scatter, and the scatter."""
    means = values.mean(axis=0)
    left = values - means - values.mean(axis=1, keepdims=True) + values.mean()
    freedom = (values.shape[0] - 1) * (values.shape[1] - 1)
    # Rounding must not make much of values that do not scatter at all.
    least = 1e-12 * float(values.var())
    scatter = float(np.sqrt(max(float((left**2).sum()) / freedom, least)))
    return (float(np.ptp(means)) / scatter if scatter else 0.0), scatter
