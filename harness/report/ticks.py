"""Round values for an axis."""

from __future__ import annotations

from math import ceil, floor, log10

import msgspec

_CLOCK = (30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400)


class Axis(msgspec.Struct, frozen=True):
    """From 0 to `top`, with a tick at every `step`."""

    top: float
    step: float
    unit: str = ""
    clock: float = 0.0
    """Where labels read like a clock: seconds in the label's larger part, 60 for `2:30`, 3600 for `1:15` hours."""

    @property
    def ticks(self) -> list[float]:
        return [i * self.step for i in range(floor(self.top / self.step + 1e-9) + 1)]

    def share(self, value: float) -> float:
        """Where a value stands, 0 to 1."""
        return value / self.top

    def label(self, value: float) -> str:
        """The tick's text, with no more decimals than its step has."""
        if self.clock:
            whole, rest = divmod(round(value), int(self.clock))
            return f"{whole}:{rest * 60 // int(self.clock):02}"
        decimals = max(0, -floor(log10(self.step) + 1e-9))
        return f"{value:,.{decimals}f}"


def values(largest: float, *, most: int = 4) -> Axis:
    """An axis that ends on a tick at or above the largest value."""
    step = _step(largest if largest > 0 else 1.0, most)
    return Axis(max(1, ceil(largest / step - 1e-9)) * step, step)


def times(seconds: float, *, most: int = 6) -> Axis:
    """An axis that ends exactly with the run, in seconds, or like a clock where it is long."""
    if seconds <= 120:
        return Axis(seconds, _step(seconds, most), "seconds")
    step = next((float(step) for step in _CLOCK if seconds / step <= most), 86400.0 * ceil(seconds / 86400 / most))
    if seconds < 7200:
        return Axis(seconds, step, "minutes:seconds", 60)
    return Axis(seconds, step, "hours:minutes", 3600)


def _step(largest: float, most: int) -> float:
    power = 10.0 ** floor(log10(largest / most))
    return next(step * power for step in (1, 2, 5, 10) if largest / (step * power) <= most * (1 + 1e-9))
