"""No job runs twice at the same time."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec

from harness.invariants._wording import counted, seconds
from harness.verdict import Finding, failed, passed, undecided

if TYPE_CHECKING:
    from harness.history.history import Bools, History, Ints, Runs
    from harness.invariants._repeats import Repeats

NOTICED = 250_000_000
"""Nanoseconds that may pass on a busy machine between a death and its record."""


class NoOverlappingRuns(msgspec.Struct, frozen=True):
    """No two runs of one job go on at the same time.

    Usually broken by a lease that is shorter than the job: the queue takes the worker for dead and hands the job to
    another while the first still works. A paused or cut-off worker does the same. Make the lease longer than the
    longest job, or have the worker renew it while it works, and guard the side effect with a key, since no lease can
    exclude this altogether. A run ends when its handler does or when its process dies.
    """

    needs: ClassVar[tuple[str, ...]] = ("attempts",)

    def check(self, history: History) -> Finding:
        import numpy as np

        from harness.history import columns as c
        from harness.history.history import NEVER
        from harness.invariants._repeats import repeats

        pairs, examined = history.once(repeats), len(history.rows(c.START).t)
        runs = pairs.runs
        over = _certain_end(runs)[pairs.before] > runs.start[pairs.after]
        endless = runs.end[pairs.before] == NEVER
        seen = over if history.ended else over & ~endless
        if seen.any():
            return _overlapping(history, pairs, seen, examined)
        if over.any():
            says = f"The run was cut short, and {counted(int(over.sum()), 'run')} may have ended before the next began."
            return undecided(says, examined=examined, of="runs", jobs=np.unique(pairs.job[over]), overlapping=0)
        says = f"{counted(examined, 'run')}, no two of one job at once."
        return passed(says, examined=examined, of="runs", overlapping=0)


def _certain_end(runs: Runs) -> Ints:
    """Until when each run certainly went on: a death is noticed only some time after it happened."""
    import numpy as np

    return np.where(runs.died < runs.finish, np.maximum(runs.start, runs.died - NOTICED), runs.finish)


def _overlapping(history: History, pairs: Repeats, over: Bools, examined: int) -> Finding:
    import numpy as np

    runs, before, after = pairs.runs, pairs.before[over], pairs.after[over]
    until = np.minimum(np.minimum(runs.end[before], runs.end[after]), history.ends)
    together = until - runs.start[after]
    jobs = list(dict.fromkeys(pairs.job[over][np.argsort(-together, kind="stable")].tolist()))
    measured = {"overlapping": len(jobs), "longest_s": round(float(together.max()) / 1e9, 3)}
    says = f"{counted(len(jobs), 'job')} ran twice at the same time, for up to {seconds(together.max())}."
    return failed(says, examined=examined, of="runs", jobs=jobs, **measured)
