"""The stretch of a run that a claim speaks of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from harness.history.events import Phase

if TYPE_CHECKING:
    from harness.history.history import Bools, History, Ints


class Window(msgspec.Struct, frozen=True):
    """From `since` until `until`, which is outside."""

    since: int
    until: int

    def holds(self, times: Ints) -> Bools:
        inside: Bools = (times >= self.since) & (times < self.until)
        return inside


def window(history: History, phase: str) -> Window | None:
    """The phase of this name as far as the run got; the whole run for no name; None when there was no such phase."""
    if not phase:
        return Window(history.begins, history.ends + 1)
    found = next((note for note in history.of(Phase) if note.name == phase), None)
    return Window(found.t, min(found.until, history.ends + 1)) if found else None


def cut_off(history: History, phase: str) -> bool:
    """Whether the history stops before this phase is over, or the run where no phase is named: what it does not show
    may outweigh what it does."""
    stretch = next((note.until for note in history.of(Phase) if note.name == phase), None)
    return not history.ended and (stretch is None or stretch > history.ends)


def during(phase: str) -> str:
    """The end of a sentence: ` in phase outage`, or nothing for the whole run."""
    return f" in phase {phase}" if phase else ""
