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

        due = _due(history)
        judged = (due != NEVER) & history.acked
        began, of = history.first_time(c.START), "delayed jobs"
        examined = int((judged & (began != NEVER)).sum())
        early = np.flatnonzero(judged & (began < due - EARLY))
        late = np.flatnonzero(judged & (np.minimum(began, history.ends) > due + self.late * 1e9))
        lateness = (np.minimum(began, history.ends) - due)[judged]
        measured = {"early": len(early), "late": len(late), "worst_s": round(float(lateness.max(initial=0)) / 1e9, 3)}
        if len(early) or len(late):
            told = f"{len(early):,} ran too early, {len(late):,} over {self.late:g} s late"
            says = f"Of {counted(examined, 'delayed job')} {told}."
            return failed(says, examined=max(examined, len(early) + len(late)), of=of, jobs=[*early, *late], **measured)
        if (judged & (began == NEVER)).any() and not history.ended:
            return undecided("The run was cut short before every delayed job was due.", examined=examined, of=of)
        says = f"{counted(examined, 'delayed job')}, none early, the latest by {seconds(lateness.max(initial=0))}."
        return passed(says, examined=examined, of=of, **measured)


def _due(history: History) -> Ints:
    """Per job: when it may first run; NEVER where it was not delayed."""
    import numpy as np

    offers = history.rows(c.OFFER)
    delayed = np.flatnonzero(offers.num > 0)
    due = np.full(history.jobs, NEVER, np.int64)
    times = offers.t[delayed] + offers.num[delayed].astype(np.int64) * 1_000_000
    due[offers.job[delayed][::-1]] = times[::-1]
    return due
