"""Who offers a job is told soon when the queue cannot take it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, ClassVar

import msgspec

from harness.history import columns as c
from harness.invariants._outages import outages
from harness.invariants._wording import counted, seconds
from harness.units import Duration
from harness.verdict import Finding, failed, passed, undecided

if TYPE_CHECKING:
    from harness.history.history import Bools, History, Ints


class ProducerFailsFast(msgspec.Struct, frozen=True, kw_only=True):
    """While something is broken, every offer is answered within the given time: taken, or refused.

    Usually broken by a client that keeps commands while it has no connection (an offline queue), or that retries
    without end: requests pile up in the web application, and what it had kept is gone when it is restarted. Fail
    fast: turn the offline queue off, bound retries and timeouts of the client that enqueues, and tell the user.
    """

    within: Annotated[Duration, "how long an answer may take"] = 5.0

    needs: ClassVar[tuple[str, ...]] = ()
    seen: ClassVar[bool] = True

    def problems(self) -> Iterator[str]:
        if self.within <= 0:
            yield "within must be more than 0s"

    def check(self, history: History) -> Finding:
        import numpy as np

        offered, answered = _times(history)
        struck = np.flatnonzero(_during(history, offered))
        waited = np.minimum(answered, history.ends)[struck] - offered[struck]
        slow = struck[waited > self.within * 1e9]
        worst = int(waited.max(initial=0))
        measured = {"worst_s": round(worst / 1e9, 3), "slow": len(slow)}
        of = "jobs offered while something was broken"
        if len(slow):
            order = np.argsort(-waited[waited > self.within * 1e9], kind="stable")
            says = (
                f"{counted(len(slow), 'job')} offered while something was broken had no answer for {self.within:g} s."
            )
            return failed(says, examined=len(struck), of=of, jobs=slow[order], **measured)
        refused = int(np.count_nonzero((history.count(c.REJECT) + history.count(c.UNKNOWN))[struck]))
        if len(struck) and not refused:
            says = "Nothing to judge: every job offered while something was broken was taken."
            return undecided(says, examined=len(struck), of=of, **measured)
        says = (
            f"{counted(len(struck), 'job')} offered while something was broken, each answered within {seconds(worst)}."
        )
        return passed(says, examined=len(struck), of=of, **measured)


def _times(history: History) -> tuple[Ints, Ints]:
    """Per job: when it was first offered, and first answered."""
    import numpy as np

    kinds = (c.ACK, c.REJECT, c.UNKNOWN)
    return history.first_time(c.OFFER), np.minimum.reduce([history.first_time(kind) for kind in kinds])


def _during(history: History, times: Ints) -> Bools:
    """Which of these moments lie between a fault and its heal."""
    import numpy as np

    inside = np.zeros(len(times), bool)
    for outage in outages(history):
        inside |= (times >= outage.injected) & (times < outage.over)
    return inside
