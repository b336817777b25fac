"""What can never succeed is not tried again."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec

from harness.history import columns as c
from harness.history.events import Revive
from harness.history.history import NEVER
from harness.invariants._wording import counted
from harness.verdict import Finding, failed, passed

if TYPE_CHECKING:
    from harness.history.history import History


class PermanentFailuresSkipRetries(msgspec.Struct, frozen=True):
    """No job that failed with a permanent error is run again, unless a person put it back.

    Usually broken by retrying on any exception: a card that was refused, a payload that cannot be read, burn all
    their retries and keep workers from jobs that could succeed. Tell errors apart, and end a job at once whose error
    no retry can mend.
    """

    needs: ClassVar[tuple[str, ...]] = ("attempts",)
    seen: ClassVar[bool] = True

    def check(self, history: History) -> Finding:
        import numpy as np

        rows, of = history.rows(c.FINISH), "jobs that failed for good"
        at = np.flatnonzero(history.noted(c.FINISH, "Permanent"))
        first = np.full(history.jobs, NEVER, np.int64)
        first[rows.job[at][::-1]] = rows.t[at][::-1]
        starts = history.rows(c.START)
        again = np.bincount(starts.job[starts.t > first[starts.job]], minlength=history.jobs)
        put_back = [history.job_of[one.key] for one in history.of(Revive) if one.key in history.job_of]
        again[put_back] = 0
        examined, jobs = int((first != NEVER).sum()), np.flatnonzero(again)
        measured = {"retried": len(jobs), "runs": int(again.sum())}
        if len(jobs):
            says = f"{counted(len(jobs), 'job')} of {examined:,} that failed for good ran again, {again.sum():,} times."
            return failed(
                says, examined=examined, of=of, jobs=jobs[np.argsort(-again[jobs], kind="stable")], **measured
            )
        says = f"{counted(examined, 'job')} failed for good, none of them ran again."
        return passed(says, examined=examined, of=of, **measured)
