"""When delayed jobs may run, and from when on they are work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.history import columns as c
from harness.history.history import NEVER

if TYPE_CHECKING:
    from harness.history.history import History, Ints

MILLISECOND = 1_000_000


def soonest(history: History) -> Ints:
    """Per job: when it may first run, by whichever of its offers lets it run first; NEVER where none was delayed."""
    import numpy as np

    offers = history.rows(c.OFFER)
    delayed = np.zeros(history.jobs, bool)
    delayed[offers.job[offers.num > 0]] = True
    some = offers.of(delayed)
    times = np.full(history.jobs, NEVER, np.int64)
    np.minimum.at(times, some.job, some.t + some.num.astype(np.int64) * MILLISECOND)
    return times


def due(history: History) -> Ints:
    """Per delayed job that was acked: from when on it is certainly due, by the longest delay that it had been offered
    with when it was first acked; 0 where it was not delayed, or never acked."""
    import numpy as np

    offers, acked = history.rows(c.OFFER), history.first_time(c.ACK)
    at = np.flatnonzero((offers.num > 0) & (offers.t <= acked[offers.job]) & history.acked[offers.job])
    longest = np.zeros(history.jobs, np.int64)
    np.maximum.at(longest, offers.job[at], offers.num[at].astype(np.int64) * MILLISECOND)
    return np.where(longest > 0, np.where(history.acked, acked, 0) + longest, 0)


def ready(history: History) -> Ints:
    """Per job: when it was acked and, where it was delayed, due; NEVER where it was not acked."""
    import numpy as np

    times: Ints = np.maximum(history.first_time(c.ACK), history.once(due))
    return times
