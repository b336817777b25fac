"""The backlog is cleared in time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, ClassVar

import msgspec

from harness.history.history import NEVER
from harness.invariants._delays import due
from harness.invariants._outages import lasting, outages
from harness.invariants._wording import counted, listed, seconds
from harness.units import Duration
from harness.verdict import Finding, failed, passed, undecided

if TYPE_CHECKING:
    from harness.history.history import History, Ints


class DrainsWithin(msgspec.Struct, frozen=True, kw_only=True):
    """Once the load has ended and every fault is healed, the last acked job is completed (or given up) within the
    given time.

    Usually broken by jobs that wait for the lease of a dead worker, by retry delays that grow past the outage, or by
    too little spare capacity to work off a backlog. Lost jobs never complete and break it too. Shorten the lease,
    cap the back-off, add workers. The time of a delayed job counts from when it is due.
    """

    within: Annotated[Duration, "how long the last job may take"]

    needs: ClassVar[tuple[str, ...]] = ()

    def problems(self) -> Iterator[str]:
        if self.within <= 0:
            yield "within must be more than 0s"

    def check(self, history: History) -> Finding:
        import numpy as np

        acked, since = int(history.acked.sum()), _since(history)
        if not acked:
            return passed("No job was acked.", examined=0, of="acked jobs")
        left = np.flatnonzero(history.acked & (history.settled_at == NEVER))
        late = np.where(history.acked, np.minimum(history.settled_at, history.ends) - _owed(history, since), 0)
        took = int(late[left if len(left) else history.acked].max())
        measured = {"seconds": round(max(0, took) / 1e9, 3), "outstanding": len(left)}
        if took > self.within * 1e9 and (doubt := _doubt(history)):
            return undecided(f"Not drained, but {doubt}.", examined=acked, of="acked jobs", jobs=left, **measured)
        if took > self.within * 1e9:
            slow = np.flatnonzero(late > self.within * 1e9)
            worst = slow[np.argsort(history.settled_at[slow], kind="stable")[::-1]]
            return failed(self._late(took, len(left)), examined=acked, of="acked jobs", jobs=worst, **measured)
        if len(left):
            says = (
                f"{counted(len(left), 'acked job')} had not completed when the history stopped, "
                f"{seconds(max(0, took))} after load and faults."
            )
            return undecided(says, examined=acked, of="acked jobs", jobs=left, **measured)
        return passed(f"Drained in {seconds(max(0, took))}.", examined=acked, of="acked jobs", **measured)

    def _late(self, took: int, left: int) -> str:
        if left:
            return (
                f"{counted(left, 'acked job')} had not completed {seconds(took)} after load and faults; "
                f"{self.within:g} s were allowed."
            )
        return f"The last job was completed {seconds(took)} after load and faults; {self.within:g} s were allowed."


def _doubt(history: History) -> str:
    """Why nobody can say that load and faults were over."""
    if broken := lasting(history):
        return f"still broken: {listed(broken)}"
    return "the run was cut short while load or faults may have been to come" if _more_to_come(history) else ""


def _more_to_come(history: History) -> bool:
    import numpy as np

    from harness.history import columns as c

    if history.ended or history.planned is None:
        return not history.ended
    offers = history.count(c.OFFER)
    if (offers > 1).any():  # nobody can tell how many more will be offered again
        return True
    arrived = int(np.count_nonzero(offers + history.count(c.DROP)))
    fired = {note.n for note in history.faults}
    return arrived < history.planned.jobs or len(fired) < history.planned.faults


def _owed(history: History, since: int) -> Ints:
    """Per job: from when on its completion is waited for: a delayed job may be due only after load and faults."""
    import numpy as np

    return np.maximum(history.once(due), since)


def _since(history: History) -> int:
    """When the load had been offered and nothing was broken any more."""
    from harness.history import columns as c

    offers = history.rows(c.OFFER).t
    last = [int(offers[-1])] if len(offers) else []
    return max(last + [outage.over for outage in outages(history)], default=history.begins)
