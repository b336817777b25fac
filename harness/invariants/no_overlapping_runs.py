"""No job runs twice at the same time."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec

from harness.invariants._wording import counted, seconds
from harness.verdict import Finding, failed, passed

if TYPE_CHECKING:
    from harness.history.history import History


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

        from harness.invariants._repeats import repeats

        runs, pairs = history.runs, repeats(history)
        examined = int(np.count_nonzero(runs.job >= 0))
        over = runs.end[pairs.before] > runs.start[pairs.after]
        if not over.any():
            return passed(
                f"{counted(examined, 'run')}, no two of one job at once.", examined=examined, of="runs", overlapping=0
            )
        before, after = pairs.before[over], pairs.after[over]
        until = np.minimum(np.minimum(runs.end[before], runs.end[after]), history.ends)
        together = until - runs.start[after]
        jobs = np.array(list(dict.fromkeys(pairs.job[over][np.argsort(-together, kind="stable")].tolist())))
        says = f"{counted(len(jobs), 'job')} ran twice at the same time, for up to {seconds(together.max())}."
        return failed(
            says,
            examined=examined,
            of="runs",
            jobs=jobs,
            overlapping=len(jobs),
            longest_s=round(together.max() / 1e9, 3),
        )
