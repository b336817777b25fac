"""Who is asked to wait, waits."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec

from harness.history import columns as c
from harness.history.history import NEVER
from harness.invariants._calls import Calls, calls
from harness.invariants._wording import counted, seconds
from harness.verdict import Finding, failed, passed

SLACK = 1_000_000
"""Nanoseconds by which two clocks of one machine may be read apart."""

if TYPE_CHECKING:
    from harness.history.history import History, Ints


class HonoursRetryAfter(msgspec.Struct, frozen=True):
    """After a 429, the next call for the same job comes no sooner than its Retry-After asked for.

    Usually broken by a back-off that knows nothing of the answer: the provider says how long to stay away, and is
    called again before that, which keeps the limit exhausted. Read Retry-After, and give it to the retry as its
    delay, with jitter on top.
    """

    needs: ClassVar[tuple[str, ...]] = ()
    seen: ClassVar[bool] = True

    def check(self, history: History) -> Finding:
        import numpy as np

        made, refusals = calls(history), history.rows(c.REFUSE)
        asked = np.flatnonzero(refusals.num > 0)
        due = refusals.t[asked] + refusals.num[asked].astype(np.int64) * 1_000_000
        again = _next(made, refusals.job[asked].astype(np.int64), refusals.t[asked])
        judged = again != NEVER
        early = np.flatnonzero(judged & (again < due - SLACK))
        examined, of = int(judged.sum()), "calls that were told to wait and came again"
        measured = {"early": len(early), "told": len(asked)}
        if len(early):
            soonest = np.argsort(again[early] - due[early], kind="stable")
            jobs = dict.fromkeys(refusals.job[asked][early][soonest].tolist())
            worst = seconds((due - again)[early].max())
            says = f"{counted(len(early), 'call')} of {examined:,} told to wait came too soon, by up to {worst}."
            return failed(says, examined=examined, of=of, jobs=list(jobs), **measured)
        says = f"{counted(examined, 'call')} told to wait came again, none too soon."
        return passed(says, examined=examined, of=of, **measured)


def _next(made: Calls, job: Ints, after: Ints) -> Ints:
    """For each job and moment: when the next call for it came; NEVER where none did."""
    import numpy as np

    order = np.lexsort((made.t, made.job))
    jobs, times = made.job[order], made.t[order]
    place = np.array(
        [np.searchsorted(times[lo:hi], t, side="right") + lo for lo, hi, t in _spans(jobs, job, after)], np.int64
    )
    if not len(place):
        return np.zeros(0, np.int64)
    inside = (place < len(jobs)) & (jobs[np.minimum(place, len(jobs) - 1)] == job)
    return np.where(inside, times[np.minimum(place, len(jobs) - 1)], NEVER)


def _spans(jobs: Ints, job: Ints, after: Ints) -> list[tuple[int, int, int]]:
    import numpy as np

    low, high = np.searchsorted(jobs, job, side="left"), np.searchsorted(jobs, job, side="right")
    return list(zip(low.tolist(), high.tolist(), after.tolist(), strict=True))
