"""The calls of the provider, as the provider saw them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from harness.history import columns as c

if TYPE_CHECKING:
    from harness.history.history import History, Ints

SECOND = 1_000_000_000


class Calls(msgspec.Struct, frozen=True):
    """Every call that reached the provider, in order of time."""

    t: Ints
    job: Ints


def calls(history: History) -> Calls:
    """Those that were done, known already, or refused."""
    import numpy as np

    rows = [history.rows(kind) for kind in (c.EFFECT, c.REPLAY, c.REFUSE)]
    t, job = np.concatenate([some.t for some in rows]), np.concatenate([some.job for some in rows])
    order = np.argsort(t, kind="stable")
    return Calls(t[order], job[order].astype(np.int64))


def busiest(times: Ints) -> int:
    """The most of these moments, which are in order, within one second."""
    import numpy as np

    if not len(times):
        return 0
    return int((np.searchsorted(times, times + SECOND) - np.arange(len(times))).max())


def offered_rate(history: History) -> float:
    """Jobs offered a second, over the time that the load lasted or, in a load that is not even, in its fullest."""
    import numpy as np

    offers = history.rows(c.OFFER).t
    if not len(offers):
        return 0.0
    seconds = history.planned.seconds if history.planned else 0.0
    mean = len(offers) / (seconds or max(1.0, (int(offers[-1]) - int(offers[0])) / SECOND))
    # As they were meant to come: those that a slow machine sends late come all together.
    return max(mean, float(busiest(np.sort(history.columns.intended[history.offered]))))
