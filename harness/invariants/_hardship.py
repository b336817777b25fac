"""What a run went through without any fault: without hardship, no claim about it was put to the test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from harness.history import columns as c
from harness.history.events import Revive
from harness.history.history import NEVER
from harness.invariants._wording import counted, listed

if TYPE_CHECKING:
    from harness.history.history import History


def hardship(history: History) -> str:
    """Jobs offered again or delivered again, runs that failed, died or outlasted their lease; empty if there were
    none."""
    runs, waits = history.runs, history.planned.waits if history.planned else None
    again = int(np.count_nonzero(history.count(c.OFFER) > 1))
    more = int(np.count_nonzero(history.count(c.START) > np.maximum(history.count(c.OFFER), 1)))
    died = int(np.count_nonzero((runs.died != NEVER) & (runs.died <= runs.finish)))
    failed = int(np.count_nonzero(history.rows(c.FINISH).num != c.DONE))
    ended = np.minimum(runs.end, history.ends)
    outlasted = int(np.count_nonzero(ended - runs.start > waits.lease * 1e9)) if waits and waits.lease else 0
    found = [
        f"{counted(again, 'job')} offered again" if again else "",
        f"{counted(failed, 'run')} that failed" if failed else "",
        f"{counted(died, 'run')} cut short by a death" if died else "",
        f"{counted(outlasted, 'run')} longer than the lease" if outlasted else "",
    ]
    if not any(found) and more:  # any of these would be why
        found.append(f"{counted(more, 'job')} delivered again")
    return listed([one for one in found if one])


def untouched(history: History, since: int) -> bool:
    """Whether every job was done or given up, and none was offered any more, when a fault struck at this moment."""
    return since > history.once(_last_doing)


def _last_doing(history: History) -> int:
    """When a job was last offered or, acked, settled, for good if it was put back; NEVER where one never was."""
    back = [history.job_of[note.key] for note in history.of(Revive) if note.key in history.job_of]
    settled = history.settled_at.copy()
    settled[back] = history.completed_at[back]
    times = (history.rows(c.OFFER).t, settled[history.acked])
    return max(int(some.max(initial=-1)) for some in times)
