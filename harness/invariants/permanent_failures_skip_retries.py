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
    from harness.history.history import Bools, History, Ints


class PermanentFailuresSkipRetries(msgspec.Struct, frozen=True):
    """No job that failed with a permanent error is run again, unless a person put it back.

    Usually broken by retrying on any exception: a card that was refused, a payload that cannot be read, burn all
    their retries and keep workers from jobs that could succeed. Tell errors apart, and end a job at once whose error
    no retry can mend.
    """

    needs: ClassVar[tuple[str, ...]] = ("attempts",)

    def check(self, history: History) -> Finding:
        import numpy as np

        failed_for_good, again = _again(history)
        times = np.bincount(again, minlength=history.jobs)
        examined, of = int(np.count_nonzero(failed_for_good)), "jobs that failed for good"
        jobs = np.flatnonzero(times)
        measured = {"retried": len(jobs), "runs": int(times.sum())}
        if len(jobs):
            says = f"{counted(len(jobs), 'job')} of {examined:,} that failed for good ran again, {times.sum():,} times."
            worst = jobs[np.argsort(-times[jobs], kind="stable")]
            return failed(says, examined=examined, of=of, jobs=worst, **measured)
        says = f"{counted(examined, 'job')} failed for good, none of them ran again."
        return passed(says, examined=examined, of=of, **measured)


def _again(history: History) -> tuple[Bools, Ints]:
    """Which jobs failed for good; and the job of each run that began after such a failure and that nobody asked for."""
    import numpy as np

    rows = history.rows(c.FINISH)
    at = np.flatnonzero(history.noted(c.FINISH, "Permanent"))
    jobs = np.zeros(history.jobs, bool)
    jobs[rows.job[at]] = True
    starts, failures, asked = history.rows(c.START).of(jobs), by_job(rows.job[at], rows.t[at]), put_back(history)
    place, first = failures.places(starts.job, starts.t), failures.firsts(starts.job)
    after = np.flatnonzero(place > first)
    job, began, failure = starts.job[after], starts.t[after], at[failures.order[place[after] - 1]]
    revived = asked.counts(job, began, at=True) > asked.counts(job, rows.t[failure])
    # Who dies having said so may have said it to nobody else, and the queue hands the job out again.
    buried = (rows.num[failure] == c.DEAD) & (history.died(rows.who[failure], rows.t[failure]) <= began)
    again = ~revived & ~buried
    return jobs, _beyond(history, job[again], began[again])


def _beyond(history: History, job: Ints, began: Ints) -> Ints:
    """The jobs of those runs that are more than the offers before them: each offer that was not refused may be a job
    of its own in the queue."""
    import numpy as np

    some = np.zeros(history.jobs, bool)
    some[job] = True
    offers, refused = (history.rows(kind).of(some) for kind in (c.OFFER, c.REJECT))
    ordered = by_job(job, began)
    before = ordered.places(job, began) - ordered.firsts(job)
    taken = by_job(offers.job, offers.t).counts(job, began, at=True)
    allowed = taken - by_job(refused.job, refused.t).counts(job, began, at=True) - 1
    beyond: Ints = job[before >= allowed]
    return beyond
