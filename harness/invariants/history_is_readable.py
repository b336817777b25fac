"""The record can be trusted."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec

from harness.invariants._wording import counted
from harness.verdict import Finding, passed, undecided

if TYPE_CHECKING:
    from harness.history.history import History


class HistoryIsReadable(msgspec.Struct, frozen=True):
    """Every line of the history could be read, and the run went all the way.

    Checked in every run. A line that nobody can read may have been the one that mattered, and a run that was cut
    short cannot say that something never happened, so both are INCONCLUSIVE.
    """

    needs: ClassVar[tuple[str, ...]] = ()

    def check(self, history: History) -> Finding:
        examined, bad = history.events + len(history.notes), history.columns.unreadable
        if bad:
            says = (
                f"{counted(len(bad), 'line')} could not be read, the first {bad[0].file}:{bad[0].line}: {bad[0].why}."
            )
            return undecided(says, examined=examined, of="events", unreadable=len(bad))
        if not history.ended:
            return undecided(
                "The history stops before the end of the run.", examined=examined, of="events", unreadable=0
            )
        return passed(
            f"{counted(examined, 'event')}, all readable, to the end of the run.",
            examined=examined,
            of="events",
            unreadable=0,
        )
