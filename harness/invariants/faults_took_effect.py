"""What was to be broken was broken."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec

from harness.history.events import Fault
from harness.invariants._hardship import hardship, untouched
from harness.invariants._wording import counted, listed
from harness.verdict import Finding, passed, undecided

if TYPE_CHECKING:
    from harness.history.history import History


class FaultsTookEffect(msgspec.Struct, frozen=True):
    """Every planned fault was injected, with evidence that it took hold, while there was something for it to harm.

    Checked in every run. A run whose faults missed proves nothing about them, so it is INCONCLUSIVE and never PASS; so
    is one in which nothing went wrong at all, unless the scenario says that it is a load test. Usually a `when` that
    never happened, a worker that had already gone, or a fault that came when every job was done; the sentence says
    which.
    """

    needs: ClassVar[tuple[str, ...]] = ()

    def check(self, history: History) -> Finding:
        if history.planned is None:
            return undecided("The history does not say what was planned.", of="planned faults")
        planned = history.planned.faults
        injected = {note.n: note for note in history.faults if note.state == "injected"}
        if not planned and not history.faults:
            return _without(history)
        measured = {"planned": planned, "injected": len(injected)}
        if trouble := _trouble(history, injected, planned):
            return undecided(trouble, examined=planned, of="planned faults", **measured)
        return passed(
            f"{counted(len(injected), 'fault')} injected, each with evidence.",
            examined=len(injected),
            of="planned faults",
            **measured,
        )


def _without(history: History) -> Finding:
    """Of a run that had no fault."""
    assert history.planned
    if history.planned.load_only in (True, None):
        says = "No fault was planned: a load test."
    elif went_through := hardship(history):
        says = f"No fault was planned; there were {went_through}."
    else:
        return undecided(
            "No fault was planned and nothing went wrong, so that nothing was put to the test; where that is meant, "
            "the scenario says `load_only: true`.",
            of="planned faults",
        )
    return Finding(value="NOT APPLICABLE", says=says, examined=0, of="planned faults")


def _trouble(history: History, injected: dict[int, Fault], planned: int) -> str:
    amiss = [f"{note.fault} {note.state}: {note.says}" for note in history.faults if note.state in ("missed", "failed")]
    if amiss:
        return f"{listed(amiss)}."
    blind = [note.fault for note in injected.values() if not note.evidence]
    if blind:
        return f"No evidence that it took hold: {listed(blind)}."
    if len(injected) < planned:
        return f"{counted(planned, 'fault')} planned, {len(injected):,} injected."
    late = [note.fault for note in injected.values() if untouched(history, note.t)]
    return f"Every job was done before it struck: {listed(late)}." if late else ""
