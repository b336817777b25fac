"""No acked job disappears."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec

from harness.history.events import Fault
from harness.invariants._outstanding import Outstanding, outstanding
from harness.invariants._wording import counted
from harness.verdict import Finding, failed, passed, undecided

if TYPE_CHECKING:
    from harness.history.history import History

_DISRUPTIVE = ("kill", "restart")


class NoLostJobs(msgspec.Struct, frozen=True):
    """Every acked job is completed, is dead where it can be seen, or is still held by the queue.

    Usually broken by acknowledging a job before its handler has ended (a killed worker takes the job with it), by a
    queue server that keeps its data in memory only, or by one that evicts keys when memory is short. Acknowledge
    late, let the system take back the jobs of a dead worker, write the server's log to disk on every enqueue, and
    set `noeviction`.
    """

    needs: ClassVar[tuple[str, ...]] = ("attempts", "state")

    def check(self, history: History) -> Finding:
        acked = int(history.acked.sum())
        left = outstanding(history)
        measured = {"acked": acked, "at_risk": _at_risk(history), "lost": left.lost if history.ended else 0}
        if history.ended and left.lost:
            return failed(_lost(left, history), examined=acked, of="acked jobs", jobs=left.missing, **measured)
        if doubt := _doubt(left, history):
            return undecided(doubt, examined=acked, of="acked jobs", jobs=left.running + left.missing, **measured)
        return passed(_kept(left, acked, history), examined=acked, of="acked jobs", **measured)


def _lost(left: Outstanding, history: History) -> str:
    who = counted(left.lost, "acked job")
    exact = (
        who
        if left.lost == len(left.missing)
        else f"At least {left.lost:,} of {counted(len(left.missing), 'acked job')}"
    )
    return f"{exact} vanished: never completed, not dead, not in the queue{_when(history)}."


def _doubt(left: Outstanding, history: History) -> str:
    open_jobs = len(left.missing) + len(left.running)
    if not open_jobs:
        return ""
    if not history.ended:
        return f"The run was cut short while {counted(open_jobs, 'acked job')} had not completed."
    if left.running:
        return f"{counted(len(left.running), 'acked job')} had a run that was still going on when the drain ended."
    return (
        f"{counted(len(left.missing), 'acked job')} had not completed, and the queue does not say which jobs it holds."
    )


def _kept(left: Outstanding, acked: int, history: History) -> str:
    still = f"; {len(left.held):,} still in the queue" if left.held else ""
    return f"{counted(acked, 'acked job')}, none lost{still}{_when(history)}."


def _when(history: History) -> str:
    fault = _first_disruption(history)
    if fault is None:
        return ""
    server = fault.evidence.get("server")
    struck = f"{server} went down" if isinstance(server, str) else f"{fault.fault} struck"
    return f"; {counted(_at_risk(history), 'acked job')} had not completed when {struck}"


def _at_risk(history: History) -> int:
    """Jobs that were acked and not completed when the first kill or restart struck."""
    from harness.history import columns as c

    fault = _first_disruption(history)
    if fault is None:
        return 0
    return int(((history.first_time(c.ACK) <= fault.t) & (history.completed_at > fault.t)).sum())


def _first_disruption(history: History) -> Fault | None:
    struck = (note for note in history.faults if note.state == "injected" and note.fault.startswith(_DISRUPTIVE))
    return next(struck, None)
