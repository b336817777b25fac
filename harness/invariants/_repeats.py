"""The runs of jobs that ran more than once, in order: what retries and overlaps are read from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from harness.history.history import Bools, History, Ints, Runs


class Repeats(msgspec.Struct, frozen=True):
    """Each run but the last of a job, beside the job's next run."""

    runs: Runs
    """The runs of those jobs."""
    job: NDArray[np.int32]
    before: Ints
    """The number of the earlier run."""
    after: Ints
    """The number of the next run of the same job."""


class Retries(msgspec.Struct, frozen=True):
    """Each run that followed a failed run of its job; `attempt` is 1 for the job's first retry, times are seconds
    since the run began."""

    job: NDArray[np.int32]
    attempt: Ints
    failed_at: NDArray[np.float64]
    started_at: NDArray[np.float64]


def repeats(history: History) -> Repeats:
    """Neighbouring runs of each job that ran more than once, by job and start."""
    import numpy as np

    from harness.history import columns as c

    runs = history.runs_of(history.count(c.START) > 1)
    order = np.lexsort((runs.end, runs.start, runs.job))
    job = runs.job[order]
    same = np.flatnonzero(job[1:] == job[:-1])
    return Repeats(runs=runs, job=job[same], before=order[same], after=order[same + 1])


def retries(history: History) -> Retries:
    """Every retry; a redelivery after a death is none."""
    from harness.history import columns as c

    pairs = history.once(repeats)
    runs = pairs.runs
    failed = runs.outcome[pairs.before] == c.FAILED
    job, before, after = pairs.job[failed], pairs.before[failed], pairs.after[failed]
    return Retries(
        job=job,
        attempt=_numbered(job),
        failed_at=(runs.finish[before] - history.begins) / 1e9,
        started_at=(runs.start[after] - history.begins) / 1e9,
    )


def awaited(history: History) -> int:
    """How many jobs were waiting for a retry when a history that was cut short stops: of their kind it shows only the
    soonest, which are closer together and have waited less than all."""
    import numpy as np

    from harness.history import columns as c

    if history.ended:
        return 0
    rows = history.rows(c.FINISH)
    last = np.full(history.jobs, -1)
    last[rows.job] = rows.num
    back = history.last_time(c.START) > history.last_time(c.FINISH)
    return int(np.count_nonzero((last == c.FAILED) & ~back & ~history.completed))


def queued(history: History, moments: NDArray[np.float64]) -> NDArray[np.float64]:
    """How long the new job that had last begun by each of these moments had waited since its ack: the wait for a
    worker, which a retry that is due shares. Seconds; the moments are as those of `Retries`."""
    import numpy as np

    from harness.history import columns as c
    from harness.history.history import NEVER

    acked, began = history.first_time(c.ACK), history.first_time(c.START)
    both = (acked != NEVER) & (began != NEVER)
    order = np.argsort(began[both], kind="stable")
    waits = np.maximum(began[both] - acked[both], 0)[order] / 1e9
    at = np.searchsorted((began[both][order] - history.begins) / 1e9, moments, side="right")
    return np.concatenate([[0.0], waits])[at]


def _numbered(job: NDArray[np.int32]) -> Ints:
    """1, 2, 3... within each stretch of equal jobs."""
    import numpy as np

    at = np.arange(len(job))
    first: Bools = np.ones(len(job), bool)
    first[1:] = job[1:] != job[:-1]
    return at - np.maximum.accumulate(np.where(first, at, 0)) + 1
