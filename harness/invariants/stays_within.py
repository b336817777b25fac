"""A measured figure stays within a bound."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, ClassVar

import msgspec

from harness.invariants._wording import counted
from harness.verdict import Finding, failed, passed, undecided

if TYPE_CHECKING:
    from harness.history.history import History


class StaysWithin(msgspec.Struct, frozen=True, kw_only=True):
    """A figure that every run measures (recovery, age, calls of the provider, memory, ...) keeps to its bounds.

    `harness compare --help` and the page on scenarios list the figures. What breaks it depends on the figure: look at
    the chart of it, and at what was broken when it went out of bounds.
    """

    figure: Annotated[str, "the figure: recovery.first, age, calls.peak, ..."]
    most: Annotated[str, "the most it may be, in its unit: 5s, 1.5, 64mb"] = ""
    least: Annotated[str, "the least it may be"] = ""

    needs: ClassVar[tuple[str, ...]] = ()

    def problems(self) -> Iterator[str]:
        from harness.measurements import BY_NAME
        from harness.problems import nearest

        if self.figure not in BY_NAME:
            yield f"unknown figure `{self.figure}`; {nearest(self.figure, BY_NAME)}"
            return
        if not (self.most or self.least):
            yield "give `most` or `least`"
        try:
            least, most = (self._bound(text) if text else None for text in (self.least, self.most))
        except ValueError as error:
            yield str(error)
            return
        if least is not None and most is not None and least > most:
            yield f"`least` {self.least} is more than `most` {self.most}"

    def check(self, history: History) -> Finding:
        from harness.measurements import measure

        value, of = history.once(measure).get(self.figure), "figures"
        if value is None:
            return undecided(f"The history does not allow {self.figure} to be measured.", of=of)
        if not history.ended:
            return undecided(f"The run was cut short; so far {self.figure} is {self._shown(value)}.", examined=1, of=of)
        over = bool(self.most) and value > self._bound(self.most)
        under = bool(self.least) and value < self._bound(self.least)
        says = f"{self.figure} is {self._shown(value)}; {self._wanted()} was wanted."
        if not over and self.most and (open_jobs := self._unsettled(history)):
            says = f"{says[:-1]}, and {counted(open_jobs, 'acked job')} never came to an end."
            return undecided(says, examined=1, of=of, value=value)
        return (failed if over or under else passed)(says, examined=1, of=of, value=value)

    def _wanted(self) -> str:
        bounds = (self.most and f"at most {self.most}", self.least and f"at least {self.least}")
        return " and ".join(filter(None, bounds))

    def _unsettled(self, history: History) -> int:
        """How many jobs make a duration the least that it can be."""
        from harness.measurements import BY_NAME

        return int(history.outstanding.sum()) if BY_NAME[self.figure].unit == "duration" else 0

    def _bound(self, text: str) -> float:
        from math import isfinite

        from harness.measurements import BY_NAME
        from harness.units import Misread, parse

        unit = BY_NAME[self.figure].unit
        try:
            value = parse(unit, text) if unit else float(text)
        except Misread as error:
            raise ValueError(f"expected {error.expected}, got `{text}`") from error
        except ValueError:
            raise ValueError(f"expected a number such as 1.5, got `{text}`") from None
        if not isfinite(value):
            raise ValueError(f"expected a finite number, got `{text}`")
        return value

    def _shown(self, value: float) -> str:
        from harness.measurements import BY_NAME
        from harness.units import write

        unit = BY_NAME[self.figure].unit
        return write(unit, round(value, 3)) if unit else f"{value:.3g}"
