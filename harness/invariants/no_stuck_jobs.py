"""No acked job is still waiting or running after the drain."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec

from harness.history.events import Drained
from harness.invariants._outstanding import Outstanding, outstanding
from harness.invariants._wording import counted
from harness.verdict import Finding, failed, passed, undecided

if TYPE_CHECKING:
    from harness.history.history import History


class NoStuckJobs(msgspec.Struct, frozen=True):
    """After the drain no acked job is still held by the queue, nor in a run that never ended.

    Usually broken by a job that stays assigned to a worker that is gone (no lease, a lease longer than the drain, a
    restore lock that its dead holder kept), by a consumer that never reconnected, or by a handler that hangs in a
    call without a timeout. Shorten the lease, make the consumer reconnect, and give every call in a handler a
    timeout. A job that was completed and that the queue has not forgotten yet is not stuck.
    """

    needs: ClassVar[tuple[str, ...]] = ("state",)

    def check(self, history: History) -> Finding:
        acked = int(history.acked.sum())
        left = outstanding(history)
        stuck = _stuck(left)
        measured = {"stuck": len(stuck), "held": len(left.held), "running": len(left.running)}
        if doubt := _doubt(left, stuck, history):
            return undecided(doubt, examined=acked, of="acked jobs", jobs=stuck, **measured)
        if stuck:
            return failed(_says(left), examined=acked, of="acked jobs", jobs=stuck, **measured)
        return passed(
            f"{counted(acked, 'acked job')}, none left in the queue.", examined=acked, of="acked jobs", **measured
        )


def _stuck(left: Outstanding) -> list[int]:
    """The jobs that are stuck; where the queue gives only a number, all those that may be."""
    return left.held + left.running + (left.missing if left.unnamed else [])


def _doubt(left: Outstanding, stuck: list[int], history: History) -> str:
    open_jobs = len(stuck) or len(left.missing)
    drained = history.first(Drained)
    if open_jobs and not history.ended:
        return f"The run was cut short while {counted(open_jobs, 'acked job')} had not completed."
    if stuck and drained and not history.at_rest:
        return f"{counted(len(stuck), 'acked job')} still held, but the drain was cut short: {drained.why}."
    if left.missing and left.unnamed is None:
        return f"{counted(len(left.missing), 'acked job')} had not completed, and the queue does not say what it holds."
    return ""


def _says(left: Outstanding) -> str:
    places = [f"{counted(len(left.held), 'acked job')} still in the queue"] if left.held else []
    places += [f"{counted(len(left.running), 'acked job')} in a run that never ended"] if left.running else []
    places += [f"the queue says that it holds {counted(left.unnamed, 'job')}"] if left.unnamed else []
    return f"After the drain: {', '.join(places)}."
