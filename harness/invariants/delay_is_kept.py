"""A delayed job runs when it is due."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, ClassVar

import msgspec

from harness.history import columns as c
from harness.history.history import NEVER
from harness.invariants._wording import counted, seconds
from harness.units import Duration
from harness.verdict import Finding, failed, passed, undecided

if TYPE_CHECKING:
    from harness.history.history import History, Ints


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

        due, latest = _due(history)
        began, of = history.first_time(c.START), "delayed jobs"
        early, late = began < due - EARLY, np.minimum(began, history.ends) > latest + self.late * 1e9
        judged = (due != NEVER) & (history.acked | early)
        early, late = early & judged, late & judged & history.acked
        waiting = int(np.count_nonzero(judged & (began == NEVER) & ~late))
        examined = int(np.count_nonzero(judged)) - waiting
        worst = (np.minimum(began, history.ends) - latest)[judged & history.acked].max(initial=0)
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


def _due(history: History) -> tuple[Ints, Ints]:
    """Per job: when it may first run, counted from its first offer, and when it must at the latest, counted from the
    first ack: a job that was refused and offered again is due later; NEVER where it was not delayed."""
    import numpy as np

    offers = history.rows(c.OFFER)
    first = np.flatnonzero(offers.num > 0)[::-1]
    delay = np.zeros(history.jobs, np.int64)
    delay[offers.job[first]] = offers.num[first].astype(np.int64) * 1_000_000
    delayed = delay > 0
    due = np.where(delayed, np.where(delayed, history.first_time(c.OFFER), 0) + delay, NEVER)
    acked = np.where(history.acked, history.first_time(c.ACK), 0)
    return due, np.where(delayed & history.acked, acked + delay, NEVER)
