"""Events in order of their job, and of time within each job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from harness.history.history import Ints


class ByJob(msgspec.Struct, frozen=True):
    """Jobs and times so ordered; `order` is where each of them stood before."""

    job: Ints
    t: Ints
    order: Ints

    def places(self, job: Any, t: Ints, *, at: bool = False) -> Ints:
        """For each job and moment: how many events stand before it, and with `at` also at it."""
        import numpy as np

        if not len(job):
            return np.zeros(0, np.int64)
        count = len(self.job)
        ours = np.arange(count + len(job)) < count
        later = ~ours if at else ours
        order = np.lexsort((later, np.concatenate([self.t, t]), np.concatenate([self.job, job])))
        found = np.empty(len(order), np.int64)
        found[order] = np.cumsum(ours[order])
        return found[count:]

    def firsts(self, job: Any) -> Ints:
        """For each job: how many events stand before its first."""
        import numpy as np

        places: Ints = np.searchsorted(self.job, job).astype(np.int64)
        return places

    def counts(self, job: Any, t: Ints, *, at: bool = False) -> Ints:
        """For each job and moment: how many events the job had before it, and with `at` also at it."""
        return self.places(job, t, at=at) - self.firsts(job)


def by_job(job: Any, t: Ints) -> ByJob:
    import numpy as np

    order = np.lexsort((t, job))
    return ByJob(job[order].astype(np.int64), t[order], order)
