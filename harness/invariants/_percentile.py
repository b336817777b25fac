"""Percentiles by nearest rank: always a value that was measured, and infinity stays infinity."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness.history.history import Ints


def percentiles(values: Ints, ranks: list[float]) -> list[int]:
    """For each rank (50, 99, 100) the smallest value that at least so many per cent of the values do not exceed;
    there is at least one value."""
    import numpy as np

    places = [max(0, ceil(rank / 100 * len(values)) - 1) for rank in ranks]
    ordered = np.partition(values, sorted(set(places)))
    return [int(ordered[place]) for place in places]
