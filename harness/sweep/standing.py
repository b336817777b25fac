"""How a point of a sweep stands: what its runs came to, and each figure with the spread of its repeats."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log
from typing import Literal

import msgspec

from harness.measurements import BY_NAME
from harness.sweep.grid import Point
from harness.sweep.journal import Made

Stands = Literal["PASS", "FAIL", "INCONCLUSIVE", "ERROR", "not run"]
WORST: tuple[Stands, ...] = ("FAIL", "ERROR", "INCONCLUSIVE", "not run", "PASS")


class Spread(msgspec.Struct, frozen=True):
    """A figure over the repeats of a point: its mean, the least and the most."""

    mean: float
    low: float
    high: float

    @property
    def share(self) -> float:
        """Half of the spread as a share of the mean."""
        return (self.high - self.low) / 2 / abs(self.mean) if self.mean else 0.0


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """A point with its runs; only one that passed every time may be called best."""

    point: Point
    stands: Stands
    failing: tuple[str, ...]
    """The invariants that failed in any run."""
    says: str
    """What the first run of the worst kind said."""
    runs: tuple[Made, ...]
    figures: dict[str, Spread]


def standing(point: Point, runs: Sequence[Made], repeat: int) -> Standing:
    """The point as its runs leave it: the worst of them counts, and a repeat that is missing is no pass."""
    kinds = [_kind(one) for one in runs] + (["not run"] if len(runs) < repeat else [])
    stands = next(kind for kind in WORST if kind in kinds)
    telling = next((one for one in runs if _kind(one) == stands), None)
    names = dict.fromkeys(name for one in runs for name in one.measured)
    return Standing(
        point=point,
        stands=stands,
        failing=tuple(dict.fromkeys(name for one in runs for name in one.failing)),
        says=telling.says if telling else f"{len(runs)} of {repeat} runs were made",
        runs=tuple(runs),
        figures={name: spread(name, [one.measured[name] for one in runs if name in one.measured]) for name in names},
    )


def _kind(one: Made) -> Stands:
    return next((kind for kind in ("PASS", "FAIL", "ERROR") if kind == one.value), "INCONCLUSIVE")


def spread(name: str, values: Sequence[float]) -> Spread:
    """The mean is geometric where a comparison's would be."""
    ratio = BY_NAME[name].ratio(values)
    mean = exp(sum(map(log, values)) / len(values)) if ratio else sum(values) / len(values)
    # Rounding must not put the mean of equal values beside them.
    return Spread(min(max(mean, min(values)), max(values)), min(values), max(values))
