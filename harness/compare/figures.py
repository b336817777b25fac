"""Which figures differ between A and B, by how much, and how surely."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, exp, log, nan
from typing import Literal

import msgspec
import numpy as np

from harness.compare.allowance import Allowance
from harness.compare.interval import Interval, intervals, needed
from harness.measurements import Measurement

Word = Literal["better", "worse", "no difference shown", "too few repeats to tell"]
Values = Sequence[tuple[float, float] | None]
ERROR = 0.04
"""How often all figures of A against A, together, may claim a difference: 95 of 100 are promised."""
FIFTH = log(1.2)
NONE = Allowance()


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """One measurement of both: means over the pairs, and B's difference from A.

    Of rates, durations and sizes the means are geometric and the interval is that of the ratio, unless a run measured
    0: a run which is twice as slow weighs as much as one which is twice as fast.
    """

    name: str
    unit: str
    a: float
    b: float
    difference: float
    interval: Interval | None
    """Of the difference; None when there are too few pairs for one."""
    pairs: int
    needed: int
    """The fewest pairs that can show a difference."""
    allowed: str
    word: Word
    enough: int = 0
    """About how many pairs would show a change by a fifth; 0 where that is not known, or where these are enough."""

    @property
    def share(self) -> float | None:
        """The difference as a share of A's figure."""
        return self.difference / abs(self.a) if self.a else None


def figures(values: Mapping[Measurement, Values], allowed: Mapping[str, Allowance]) -> tuple[Figure, ...]:
    """Each measurement's pairs, A's value and B's or None where one is missing, made a figure.

    The intervals hold together, whichever figures move as one.
    """
    some = {measurement: pairs for measurement, pairs in values.items() if any(pairs)}
    if not some:
        return ()
    columns = np.array([_differences(one, pairs) for one, pairs in some.items()], np.float64).T
    vary = int(((columns != 0) & ~np.isnan(columns)).any(axis=0).sum())
    return tuple(
        _figure(one, [pair for pair in pairs if pair], allowed.get(one.name, NONE), found, needed(ERROR, vary))
        for (one, pairs), found in zip(some.items(), intervals(columns, ERROR), strict=True)
    )


def _differences(measurement: Measurement, pairs: Values) -> list[float]:
    """Of logarithms where that can be, which is the ratio's; nan for a pair that lacks the figure."""
    ratio = measurement.ratio([value for pair in pairs if pair for value in pair])
    return [nan if pair is None else log(pair[1] / pair[0]) if ratio else pair[1] - pair[0] for pair in pairs]


def _figure(
    measurement: Measurement,
    pairs: Sequence[tuple[float, float]],
    allowance: Allowance,
    found: Interval | None,
    enough: int,
) -> Figure:
    ratio = measurement.ratio([value for pair in pairs for value in pair])
    a, b = (_mean(side, geometric=ratio) for side in zip(*pairs, strict=True))
    shown = Interval(a * (exp(found.low) - 1), a * (exp(found.high) - 1)) if found and ratio else found
    return Figure(
        name=measurement.name,
        unit=measurement.unit,
        a=a,
        b=b,
        difference=b - a,
        interval=shown,
        pairs=len(pairs),
        needed=enough,
        allowed=allowance.text,
        word=_word(shown, allowance.of(a), measurement.better),
        enough=_enough(found, len(pairs)) if ratio and found else 0,
    )


def _mean(side: Sequence[float], *, geometric: bool) -> float:
    return exp(sum(map(log, side)) / len(side)) if geometric else sum(side) / len(side)


def _enough(found: Interval, pairs: int) -> int:
    """Intervals narrow with the root of the pairs; a change is found nine times in ten from 1.4 of their halves on."""
    half = 1.4 * (found.high - found.low) / 2
    return ceil(pairs * (half / FIFTH) ** 2) if half > FIFTH else 0


def _word(found: Interval | None, allowed: float, better: Literal["more", "less"]) -> Word:
    if found is None:
        return "too few repeats to tell"
    if found.low > allowed:
        return "better" if better == "more" else "worse"
    if found.high < -allowed:
        return "worse" if better == "more" else "better"
    return "no difference shown"
