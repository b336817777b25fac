"""The pair that stands for all: its figures differ between A and B about as they do in the others."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from statistics import median

from harness.compare.observed import Observed

Pair = tuple[Observed, Observed]


def typical(pairs: Sequence[Pair]) -> Pair:
    """One of the pairs whose runs were as planned, if there is any."""
    sound = [pair for pair in pairs if pair[0].sound and pair[1].sound] or list(pairs)
    ratios = [_ratios(pair) for pair in sound]
    middle = {name: median(one[name] for one in ratios if name in one) for name in {**ratios[0]}}
    far = [sum(abs(value - middle.get(name, value)) for name, value in one.items()) / (len(one) or 1) for one in ratios]
    return sound[far.index(min(far))]


def _ratios(pair: Pair) -> dict[str, float]:
    a, b = (run.measured for run in pair)
    return {name: log(b[name] / a[name]) for name in a if name in b and a[name] > 0 and b[name] > 0}
