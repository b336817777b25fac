"""The jobs that a worker gave up, and what was kept of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.history import columns as c
from harness.history.events import Letter, Revive

if TYPE_CHECKING:
    from harness.history.history import Bools, History, Ints


def given_up_at(history: History) -> Ints:
    """Per job: when a worker last said that it will not be tried again; 0 where none did, or it ran again since."""
    import numpy as np

    rows = history.rows(c.FINISH)
    dead = np.flatnonzero(rows.num == c.DEAD)
    times = np.zeros(history.jobs, np.int64)
    times[rows.job[dead]] = rows.t[dead]
    times[history.last_time(c.START) > times] = 0
    return times


def visible(history: History) -> Bools:
    """Per job: whether it can be found among the dead, or was removed at somebody's word."""
    import numpy as np

    found = {letter.key for letter in history.of(Letter)}
    found |= {one.key for one in history.of(Revive) if one.outcome == "discarded"}
    shown = np.zeros(history.jobs, bool)
    shown[[history.job_of[key] for key in found if key in history.job_of]] = True
    shown[[job for job, where in history.held.items() if where in ("failed", "dead")]] = True
    return shown
