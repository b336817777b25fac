"""No acked job disappears."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec

from harness.invariants._outages import at_risk
from harness.invariants._outstanding import Outstanding, outstanding
from harness.invariants._wording import counted, listed
from harness.verdict import Finding, failed, passed, undecided

if TYPE_CHECKING:
    from harness.history.history import History


class NoLostJobs(msgspec.Struct, frozen=True):
    """Every acked job is completed, is dead where it can be seen, or is still held by the queue.

    Usually broken by acknowledging a job before its handler has ended (a killed worker takes the job with it), by a
    queue server that keeps its data in memory only, or by one that evicts keys when memory is short. Acknowledge
    late, let the system take back the jobs of a dead worker, write the server's log to disk on every enqueue, and
    set `noeviction`. A system that tells nothing of itself is judged from outside: a job is lost when its side effect
    is missing after every lease and retry is over.
    """

    needs: ClassVar[tuple[str, ...]] = ()

    def check(self, history: History) -> Finding:
        acked = int(history.acked.sum())
        left = outstanding(history)
        risk = int(at_risk(history).sum())
        measured = {"acked": acked, "at_risk": risk, "lost": left.lost if history.ended else 0}
        if history.ended and left.lost:
            says = f"{_lost(history, left, acked)}{_tested(history, acked, risk)}."
            return failed(says, examined=acked, of="acked jobs", jobs=left.missing, **measured)
        if doubt := _doubt(left, history):
            return undecided(doubt, examined=acked, of="acked jobs", jobs=left.running + left.missing, **measured)
        says = f"{_kept(left, acked)}{_tested(history, acked, risk)}."
        return passed(says, examined=acked, of="acked jobs", **measured)


def _lost(history: History, left: Outstanding, acked: int) -> str:
    exact = f"{left.lost:,}" if left.lost == len(left.missing) else f"At least {left.lost:,}"
    if history.from_outside:
        return f"{exact} of {counted(acked, 'acked job')} vanished: no side effect after every lease and retry was over"
    return f"{exact} of {counted(acked, 'acked job')} vanished: never completed, not dead, not in the queue"


def _kept(left: Outstanding, acked: int) -> str:
    still = f"; {len(left.held):,} not completed but still in the queue" if left.held else ""
    return f"None of {counted(acked, 'acked job')} was lost{still}"


def _tested(history: History, acked: int, risk: int) -> str:
    """How hard the faults put the claim to the test."""
    struck = dict.fromkeys(note.fault for note in history.faults if note.state == "injected")
    if not struck:
        return ""
    unfinished = f"unfinished while a fault was at work ({listed(list(struck))})"
    if not risk:
        return f"; but no job was {unfinished}, so that no fault put this to the test"
    return f"; {risk:,} of the {acked:,} {'was' if risk == 1 else 'were'} at risk, {unfinished}"


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
