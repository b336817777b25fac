"""What a fault held up is done soon after it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, ClassVar

import msgspec

from harness.invariants._delays import ready
from harness.invariants._outages import Outage, lasting, left_in_peace
from harness.invariants._wording import counted, listed, seconds
from harness.units import Duration
from harness.verdict import Finding, failed, passed, undecided

if TYPE_CHECKING:
    from harness.history.history import History


class RecoversWithin(msgspec.Struct, frozen=True, kw_only=True):
    """After each fault, every job acked before it was over is completed (or given up) within the given time.

    Time counts from the heal, or from the injection of a fault that has nothing to heal; where another fault strikes
    before the time is up, it counts from the end of that one. A delayed job counts only if it was due by then.
    Usually broken by a lease
    or a back-off longer than the outage, and by consumers that reconnect slowly or not at all. Shorten the lease,
    cap the back-off, reconnect without end.
    """

    within: Annotated[Duration, "how long the last of these jobs may take"]

    needs: ClassVar[tuple[str, ...]] = ()

    def problems(self) -> Iterator[str]:
        if self.within <= 0:
            yield "within must be more than 0s"

    def check(self, history: History) -> Finding:
        from harness.history.history import NEVER

        lasts = _recoveries(history, self.within)
        if not lasts:
            return undecided(f"Nothing to judge: {_nothing(history)}.", of="faults")
        # What is known to be late is late, whatever the end of the history leaves open of another fault.
        outage, last = max(lasts, key=lambda pair: (_took(history, *pair), pair[0].injected))
        took = _took(history, outage, last)
        if took > self.within * 1e9:
            jobs = self._late(history, outage)
            says = (
                f"{counted(len(jobs), 'job')} acked before {outage.fault} was over took more than {self.within:g} "
                "s from then on."
            )
            return failed(says, examined=len(lasts), of="faults", jobs=jobs, seconds=_seconds(took, last))
        waiting = [pair for pair in lasts if pair[1] == NEVER]
        if waiting:
            outage, last = max(waiting, key=lambda pair: (_took(history, *pair), pair[0].injected))
            took = _took(history, outage, last)
            says = f"The history stopped {seconds(took)} after {outage.fault}, with jobs from before it not completed."
            return undecided(says, examined=len(lasts), of="faults", seconds=_seconds(took, last))
        says = (
            f"{counted(len(lasts), 'fault')}; everything acked before was done at most {seconds(took)} after "
            f"({outage.fault})."
        )
        return passed(says, examined=len(lasts), of="faults", seconds=_seconds(took, last))

    def _late(self, history: History, outage: Outage) -> list[int]:
        import numpy as np

        late = (history.once(ready) <= outage.over) & (history.settled_at > outage.over + self.within * 1e9)
        jobs = np.flatnonzero(late)
        return [int(job) for job in jobs[np.argsort(history.settled_at[jobs], kind="stable")[::-1]]]


def _took(history: History, outage: Outage, last: int) -> int:
    """How long after the fault its last job was settled, as far as the history goes."""
    return max(0, min(last, history.ends) - outage.over)


def _seconds(took: int, last: int) -> float:
    from harness.history.history import NEVER

    return float("inf") if last == NEVER else round(took / 1e9, 3)


def _nothing(history: History) -> str:
    """Why no fault can be judged."""
    broken = lasting(history)
    return f"still broken: {listed(broken)}" if broken else "no fault struck while there were acked jobs"


def _recoveries(history: History, within: float) -> list[tuple[Outage, int]]:
    """Each fault that some job was acked before, with when the last of those jobs was settled."""
    import numpy as np

    struck = left_in_peace(history, within)
    if not struck:
        return []
    jobs = np.flatnonzero(history.acked)
    since = history.once(ready)[jobs]
    order = np.argsort(since, kind="stable")
    last = np.maximum.accumulate(history.settled_at[jobs][order])
    before = [int(np.searchsorted(since[order], outage.over, side="right")) for outage in struck]
    return [(outage, int(last[count - 1])) for outage, count in zip(struck, before, strict=True) if count]
