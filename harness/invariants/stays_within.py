"""A measured figure stays within a bound."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, ClassVar

import msgspec

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
        for text in filter(None, (self.most, self.least)):
            try:
                self._bound(text)
            except ValueError as error:
                yield str(error)

    def check(self, history: History) -> Finding:
        from harness.measurements import measure

        value, of = measure(history).get(self.figure), "figures"
        if value is None:
            return undecided(f"The history does not allow {self.figure} to be measured.", of=of)
        if not history.ended:
            return undecided(f"The run was cut short; so far {self.figure} is {self._shown(value)}.", examined=1, of=of)
        over = bool(self.most) and value > self._bound(self.most)
        under = bool(self.least) and value < self._bound(self.least)
        bounds = " and ".join(
            filter(None, (self.most and f"at most {self.most}", self.least and f"at least {self.least}"))
        )
        says = f"{self.figure} is {self._shown(value)}; {bounds} was wanted."
        return (failed if over or under else passed)(says, examined=1, of=of, value=value)

    def _bound(self, text: str) -> float:
        from harness.measurements import BY_NAME
        from harness.units import Misread, parse

        unit = BY_NAME[self.figure].unit
        try:
            return parse(unit, text) if unit else float(text)
        except Misread as error:
            raise ValueError(f"expected {error.expected}, got `{text}`") from error

    def _shown(self, value: float) -> str:
        from harness.measurements import BY_NAME
        from harness.units import write

        unit = BY_NAME[self.figure].unit
        return write(unit, round(value, 3)) if unit else f"{value:.3g}"
