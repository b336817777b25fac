"""The faults that struck a run, each with the moment from which the system should recover."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from harness.history.history import History


class Outage(msgspec.Struct, frozen=True):
    """A fault that was injected, and when it was healed if it ever was."""

    n: int
    fault: str
    injected: int
    healed: int | None

    @property
    def over(self) -> int:
        """From here on nothing is broken: healed, or injected for a fault (a kill) that has nothing to heal."""
        return self.injected if self.healed is None else self.healed


def outages(history: History) -> list[Outage]:
    """Every injected fault, in order of injection."""
    healed = {note.n: note.t for note in history.faults if note.state == "healed"}
    struck = {note.n: note for note in reversed(history.faults) if note.state == "injected"}
    found = [Outage(n, note.fault, note.t, healed.get(n)) for n, note in struck.items()]
    return sorted(found, key=lambda outage: outage.injected)
