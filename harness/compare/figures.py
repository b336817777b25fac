"""Which figures differ between A and B, by how much, and how surely."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from harness.compare.allowance import Allowance
from harness.compare.interval import Interval, interval, needed
from harness.measurements import Measurement

Word = Literal["better", "worse", "no difference shown", "too few repeats to tell"]
Values = Sequence[tuple[float, float]]
ERROR = 0.05
"""How often all figures of A against A, together, may claim a difference."""
NONE = Allowance()


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """One measurement of both: means over the pairs, and B's difference from A."""

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

    @property
    def share(self) -> float | None:
        """The difference as a share of A's figure."""
        return self.difference / abs(self.a) if self.a else None


def figures(values: Mapping[Measurement, Values], allowed: Mapping[str, Allowance]) -> tuple[Figure, ...]:
    """Each measurement's pairs, A's value and B's, made a figure.

    The intervals hold together: the error is shared out among the measurements that differ in any pair, since no
    others can mislead.
    """
    some = {measurement: pairs for measurement, pairs in values.items() if pairs}
    vary = sum(any(a != b for a, b in pairs) for pairs in some.values())
    error = ERROR / max(1, vary)
    return tuple(_figure(one, pairs, allowed.get(one.name, NONE), error) for one, pairs in some.items())


def _figure(measurement: Measurement, pairs: Values, allowance: Allowance, error: float) -> Figure:
    a, b = (sum(side) / len(pairs) for side in zip(*pairs, strict=True))
    found = interval([other - one for one, other in pairs], error)
    return Figure(
        name=measurement.name,
        unit=measurement.unit,
        a=a,
        b=b,
        difference=b - a,
        interval=found,
        pairs=len(pairs),
        needed=needed(error),
        allowed=allowance.text,
        word=_word(found, allowance.of(a), measurement.better),
    )


def _word(found: Interval | None, allowed: float, better: Literal["more", "less"]) -> Word:
    if found is None:
        return "too few repeats to tell"
    if found.low > allowed:
        return "better" if better == "more" else "worse"
    if found.high < -allowed:
        return "worse" if better == "more" else "better"
    return "no difference shown"
