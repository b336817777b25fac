"""Workers go on working after a fault."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, ClassVar

import msgspec

from harness.invariants._outages import Outage, outages
from harness.invariants._outstanding import outstanding
from harness.invariants._wording import counted, seconds
from harness.units import Duration
from harness.verdict import Finding, failed, passed, undecided

if TYPE_CHECKING:
    from harness.history.history import Bools, History


class Resumption(msgspec.Struct, frozen=True):
    """A fault after which there was work, how long it took until a run began, and whether one ever did."""

    outage: Outage
    took: int
    began: bool


class ConsumptionResumes(msgspec.Struct, frozen=True, kw_only=True):
    """After each fault, as soon as there is work to do, some run begins within the given time.

    Usually broken by a consumer that does not notice that its connection is gone (no heartbeat, no TCP keep-alive, a
    blocking read without a timeout), that gives up after a number of reconnects, or that nobody starts again after
    its death. Set a read timeout, reconnect without end, supervise the workers. A job that the queue has lost is no
    work.
    """

    within: Annotated[Duration, "how long work may lie untouched"] = 30.0

    needs: ClassVar[tuple[str, ...]] = ("attempts",)

    def problems(self) -> Iterator[str]:
        if self.within <= 0:
            yield "within must be more than 0s"

    def check(self, history: History) -> Finding:
        found = _resumptions(history)
        if not found:
            why = "there was no work to do after any fault" if outages(history) else "no fault was injected"
            return undecided(f"Nothing to judge: {why}.", of="faults")
        slow = [one for one in found if one.took > self.within * 1e9]
        worst = max(slow or found, key=lambda one: (not one.began, one.took))
        measured = {"slowest_s": round(worst.took / 1e9, 3)}
        if slow:
            return failed(
                self._idle(worst), examined=len(found), of="faults", jobs=_untouched(history, worst), **measured
            )
        if not worst.began:
            says = f"The history stopped {seconds(worst.took)} after {worst.outage.fault}, before any run began."
            return undecided(says, examined=len(found), of="faults", **measured)
        says = (
            f"{counted(len(found), 'fault')}; a run began at most {seconds(worst.took)} after ({worst.outage.fault})."
        )
        return passed(says, examined=len(found), of="faults", **measured)

    def _idle(self, worst: Resumption) -> str:
        what = "no run began" if not worst.began else "the next run began only"
        after = f"in the {seconds(worst.took)}" if not worst.began else seconds(worst.took)
        return (
            f"There was work, and {what} {after} after {worst.outage.fault} was over; {self.within:g} s were allowed."
        )


def _resumptions(history: History) -> list[Resumption]:
    struck = outages(history)
    workable = _workable(history) if struck else None
    judged = [_resumption(history, outage, workable) for outage in struck if workable is not None]
    return [one for one in judged if one is not None]


def _workable(history: History) -> Bools:
    """Per job: acked, and not certainly lost."""
    left = outstanding(history)
    workable = history.acked.copy()
    if left.unnamed == 0:
        workable[left.missing] = False
    return workable


def _resumption(history: History, outage: Outage, workable: Bools) -> Resumption | None:
    import numpy as np

    from harness.history import columns as c

    work = _work_since(history, outage.over, workable)
    if work is None:
        return None
    starts = history.rows(c.START).t
    place = int(np.searchsorted(starts, outage.over))
    began = place < len(starts)
    until = int(starts[place]) if began else history.ends
    return Resumption(outage, max(0, until - work), began)


def _work_since(history: History, moment: int, workable: Bools) -> int | None:
    """The moment, if a job was waiting then; else when the next job was acked; None if there was nothing more to do."""
    import numpy as np

    from harness.history import columns as c

    acks = history.rows(c.ACK)
    if _waiting(history, moment, workable).any():
        return moment
    place = int(np.searchsorted(acks.t, moment, side="right"))
    return int(acks.t[place]) if place < len(acks.t) else None


def _waiting(history: History, moment: int, workable: Bools) -> Bools:
    """Per job: acked by then, not settled by then, and not in a run that was going on then."""
    from harness.history import columns as c

    waiting: Bools = workable & (history.first_time(c.ACK) <= moment) & (history.settled_at > moment)
    if waiting.any():
        runs = history.runs
        waiting[runs.job[(runs.start <= moment) & (runs.end > moment)]] = False
    return waiting


def _untouched(history: History, one: Resumption) -> list[int]:
    import numpy as np

    return [int(job) for job in np.flatnonzero(_waiting(history, one.outage.over, _workable(history)))]
