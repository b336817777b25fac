"""The jobs that a worker gave up, what was kept of them, and which were put back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.history import columns as c
from harness.history.events import Letter, Revive
from harness.invariants._by_job import ByJob, by_job

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from harness.history.history import Bools, History, Ints


def given_up(history: History) -> Bools:
    """Per job: whether a worker said that it will not be tried again, and it neither ran nor was put back since, nor
    was ever completed."""
    import numpy as np

    rows = history.rows(c.FINISH)
    dead = np.flatnonzero(rows.num == c.DEAD)
    times = np.zeros(history.jobs, np.int64)
    times[rows.job[dead]] = rows.t[dead]
    since: Bools = (history.last_time(c.START) > times) | (history.put_back_at > times)
    return (times > 0) & ~since & ~history.completed


def first_given_up(history: History) -> Ints:
    """In order: when each job was given up for the first time; one that was completed before that is left out, and
    one whose worker died having said so, before it ran again: the queue had not heard of it."""
    import numpy as np

    from harness.history.history import NEVER

    rows = history.rows(c.FINISH)
    dead = np.flatnonzero(rows.num == c.DEAD)
    dead = dead[~_unheard(history, rows.job[dead], rows.t[dead], rows.who[dead])][::-1]
    first = np.full(history.jobs, NEVER, np.int64)
    first[rows.job[dead]] = rows.t[dead]
    return np.sort(first[(first != NEVER) & (history.completed_at > first)])


def _unheard(history: History, job: NDArray[np.int32], t: Ints, who: NDArray[np.int32]) -> Bools:
    """Per run that ended so: whether its process died before the job's next run began."""
    import numpy as np

    some = np.zeros(history.jobs, bool)
    some[job] = True
    starts = history.rows(c.START).of(some)
    ordered = by_job(starts.job, starts.t)
    place = ordered.places(job, t, at=True)
    again = np.append(ordered.job, -1)[place] == job
    unheard: Bools = again & (history.died(who, t) <= np.append(ordered.t, 0)[place])
    return unheard


def put_back(history: History) -> ByJob:
    """When dead letters of known jobs were put back into the queue."""
    import numpy as np

    asked = [one for one in history.of(Revive) if one.outcome == "replayed"]
    found = [(history.job_of[one.key], one.t) for one in asked if one.key in history.job_of]
    job, t = np.array(found, np.int64).reshape(-1, 2).T
    return by_job(job, t)


def visible(history: History) -> Bools:
    """Per job: whether it can be found among the dead, or was removed at somebody's word."""
    import numpy as np

    found = {letter.key for letter in history.of(Letter)}
    found |= {one.key for one in history.of(Revive) if one.outcome == "discarded"}
    shown = np.zeros(history.jobs, bool)
    shown[[history.job_of[key] for key in found if key in history.job_of]] = True
    shown[[job for job, where in history.held.items() if where in ("failed", "dead")]] = True
    return shown
