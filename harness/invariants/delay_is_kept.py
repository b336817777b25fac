"""A delayed job runs when it is due."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, ClassVar

import msgspec

from harness.history import columns as c
from harness.history.history import NEVER
from harness.invariants._delays import due, soonest
from harness.invariants._wording import counted, seconds
from harness.units import Duration
from harness.verdict import Finding, failed, passed, undecided

if TYPE_CHECKING:
    from harness.history.history import History


EARLY = 50_000_000
"""Nanoseconds by which a clock that counts in coarse steps may run ahead."""


class DelayIsKept(msgspec.Struct, frozen=True, kw_only=True):
    """No delayed job runs before its time, and none much later.

    Early runs come from a delay that was dropped on the way, or from a lease that ends before the delay does (a
    message with an ETA is held by a worker, and is handed out again when the visibility timeout is over). Late ones
    from a poller that looks seldom, or from workers that are busy. Keep delays below the lease, and poll more often.
    """

    late: Annotated[Duration, "how long after its time it may begin"] = 5.0

    needs: ClassVar[tuple[str, ...]] = ("attempts",)

    def problems(self) -> Iterator[str]:
        if self.late <= 0:
            yield "late must be more than 0s"

    def check(self, history: History) -> Finding:
        import numpy as np

        first, latest = soonest(history), history.once(due)
        began, of = history.first_time(c.START), "delayed jobs"
        early, late = began < first - EARLY, np.minimum(began, history.ends) > latest + self.late * 1e9
        judged = (first != NEVER) & (history.acked | early)
        early, late = early & judged, late & judged & (latest > 0)
        waiting = int(np.count_nonzero(judged & (began == NEVER) & ~late))
        examined = int(np.count_nonzero(judged)) - waiting
        worst = (np.minimum(began, history.ends) - latest)[judged & (latest > 0)].max(initial=0)
        measured = {"early": int(early.sum()), "late": int(late.sum()), "worst_s": round(float(worst) / 1e9, 3)}
        if early.any() or late.any():
            told = f"{measured['early']:,} ran too early, {measured['late']:,} over {self.late:g} s late"
            jobs = [*np.flatnonzero(early), *np.flatnonzero(late)]
            return failed(
                f"Of {counted(examined, 'delayed job')} {told}.", examined=examined, of=of, jobs=jobs, **measured
            )
        if waiting:
            says = f"The history stops before {counted(waiting, 'delayed job')} ran or was late."
            return undecided(says, examined=examined, of=of, **measured)
        says = f"{counted(examined, 'delayed job')}, none early, the latest by {seconds(worst)}."
        return passed(says, examined=examined, of=of, **measured)
