"""The runs of jobs that ran more than once, in order: what retries and overlaps are read from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from harness.history.history import Bools, History, Ints


class Repeats(msgspec.Struct, frozen=True):
    """Each run but the last of a job, beside the job's next run."""

    job: Ints
    before: Ints
    """The number of the earlier run."""
    after: Ints
    """The number of the next run of the same job."""


class Retries(msgspec.Struct, frozen=True):
    """Each run that followed a failed run of its job; `attempt` is 1 for the job's first retry, times are seconds
    since the run began."""

    job: Ints
    attempt: Ints
    failed_at: NDArray[np.float64]
    started_at: NDArray[np.float64]


def repeats(history: History) -> Repeats:
    """Neighbouring runs of each job that ran more than once, by job and start."""
    import numpy as np

    runs = history.runs
    started = runs.job >= 0
    again = np.bincount(runs.job[started], minlength=history.jobs) > 1
    some = np.flatnonzero(started & again[runs.job]) if history.jobs else np.empty(0, np.int64)
    order = some[np.lexsort((runs.end[some], runs.start[some], runs.job[some]))]
    same = runs.job[order[1:]] == runs.job[order[:-1]]
    return Repeats(job=runs.job[order[:-1][same]], before=order[:-1][same], after=order[1:][same])


def retries(history: History) -> Retries:
    """Every retry; a redelivery after a death is none."""
    from harness.history import columns as c

    runs, pairs = history.runs, repeats(history)
    failed = runs.outcome[pairs.before] == c.FAILED
    job, before, after = pairs.job[failed], pairs.before[failed], pairs.after[failed]
    return Retries(
        job=job,
        attempt=_numbered(job),
        failed_at=(runs.finish[before] - history.begins) / 1e9,
        started_at=(runs.start[after] - history.begins) / 1e9,
    )


def _numbered(job: Ints) -> Ints:
    """1, 2, 3... within each stretch of equal jobs."""
    import numpy as np

    at = np.arange(len(job))
    first: Bools = np.ones(len(job), bool)
    first[1:] = job[1:] != job[:-1]
    return at - np.maximum.accumulate(np.where(first, at, 0)) + 1
