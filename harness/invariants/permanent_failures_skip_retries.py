"""What can never succeed is not tried again."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec

from harness.history import columns as c
from harness.invariants._by_job import by_job
from harness.invariants._given_up import put_back
from harness.invariants._wording import counted
from harness.verdict import Finding, failed, passed

if TYPE_CHECKING:
    from harness.history.history import Bools, History, Runs


class PermanentFailuresSkipRetries(msgspec.Struct, frozen=True):
    """No job that failed with a permanent error is run again, unless a person put it back.

    Usually broken by retrying on any exception: a card that was refused, a payload that cannot be read, burn all
    their retries and keep workers from jobs that could succeed. Tell errors apart, and end a job at once whose error
    no retry can mend.
    """

    needs: ClassVar[tuple[str, ...]] = ("attempts",)

    def check(self, history: History) -> Finding:
        import numpy as np

        failed_for_good, runs, again = _again(history)
        allowed = np.maximum(history.count(c.OFFER) - 1, 0)  # each offer may be a job of its own in the queue
        times = np.maximum(np.bincount(runs.job[again], minlength=history.jobs) - allowed, 0)
        examined, of = int(np.count_nonzero(failed_for_good)), "jobs that failed for good"
        jobs = np.flatnonzero(times)
        measured = {"retried": len(jobs), "runs": int(times.sum())}
        if len(jobs):
            says = f"{counted(len(jobs), 'job')} of {examined:,} that failed for good ran again, {times.sum():,} times."
            worst = jobs[np.argsort(-times[jobs], kind="stable")]
            return failed(says, examined=examined, of=of, jobs=worst, **measured)
        says = f"{counted(examined, 'job')} failed for good, none of them ran again."
        return passed(says, examined=examined, of=of, **measured)


def _again(history: History) -> tuple[Bools, Runs, Bools]:
    """Which jobs failed for good; their runs; and which of these began after such a failure and were not asked for."""
    import numpy as np

    rows = history.rows(c.FINISH)
    at = np.flatnonzero(history.noted(c.FINISH, "Permanent"))
    jobs = np.zeros(history.jobs, bool)
    jobs[rows.job[at]] = True
    runs = history.runs_of(jobs)
    failures = by_job(rows.job[at], rows.t[at])
    place, first = failures.places(runs.job, runs.start), failures.firsts(runs.job)
    failure = at[np.append(failures.order, -1)[np.where(place > first, place - 1, -1)]]
    asked = put_back(history)
    revived = asked.counts(runs.job, runs.start, at=True) > asked.counts(runs.job, rows.t[failure])
    # Who dies having said so may have said it to nobody else, and the queue hands the job out again.
    buried = (rows.num[failure] == c.DEAD) & (history.died(rows.who[failure], rows.t[failure]) <= runs.start)
    return jobs, runs, (place > first) & ~revived & ~buried
