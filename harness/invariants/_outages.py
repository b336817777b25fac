"""The faults that struck a run, each with the moment from which the system should recover."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from harness.history.history import History


class Outage(msgspec.Struct, frozen=True):
    """A fault that was injected, and since when nothing of it is broken any more."""

    n: int
    fault: str
    injected: int
    over: int


def outages(history: History) -> list[Outage]:
    """Every injected fault that is over, in order of injection; one without a heal (a kill) is over at once."""
    healed = {note.n: note.t for note in history.faults if note.state == "healed"}
    last = {n for n, _ in _unhealed(history)}
    struck = {note.n: note for note in reversed(history.faults) if note.state == "injected" and note.n not in last}
    found = [Outage(n, note.fault, note.t, healed.get(n, note.t)) for n, note in struck.items()]
    return sorted(found, key=lambda outage: outage.injected)


def lasting(history: History) -> list[str]:
    """The faults that were never healed, as far as the history goes: no clock of recovery begins for them."""
    return [fault for _, fault in _unhealed(history)]


def _unhealed(history: History) -> list[tuple[int, str]]:
    healed = {note.n for note in history.faults if note.state == "healed"}
    said = {note.n for note in history.faults if note.state == "unhealed"}
    struck = {note.n: note.fault for note in history.faults if note.state == "injected"}
    # A history that was cut short may have lost the heal.
    return [(n, fault) for n, fault in struck.items() if n not in healed and (n in said or not history.ended)]
