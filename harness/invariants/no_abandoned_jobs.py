"""Nobody gives a job up."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec

from harness.invariants._wording import counted
from harness.verdict import Finding, failed, passed, undecided

if TYPE_CHECKING:
    from harness.history.history import History


class NoAbandonedJobs(msgspec.Struct, frozen=True):
    """No acked job is given up: none has failed for good, none is filed with the dead letters.

    For faults that pass: an outage, a crash, a restart. Usually broken by jobs that have no retries, by retries that
    are used up before the outage is over, or by a system that files the job of a dead worker as failed (RQ without
    `Retry`, asynq after its last one). Let the delays of all retries together outlast the longest outage.
    """

    needs: ClassVar[tuple[str, ...]] = ("attempts",)

    def check(self, history: History) -> Finding:
        import numpy as np

        acked = int(history.acked.sum())
        dead = np.flatnonzero(history.acked & history.dead)
        left = np.flatnonzero(history.outstanding | (history.acked & history.dead))
        if len(left) and not history.ended:  # who was given up may be replayed
            says = f"The run was cut short while {counted(len(left), 'acked job')} had not completed."
            return undecided(says, examined=acked, of="acked jobs", jobs=left, abandoned=len(dead))
        if len(dead):
            says = f"{counted(len(dead), 'job')} of {acked:,} acked given up: failed for good, or a dead letter."
            return failed(says, examined=acked, of="acked jobs", jobs=dead, abandoned=len(dead))
        return passed(
            f"None of {counted(acked, 'acked job')} was given up.", examined=acked, of="acked jobs", abandoned=0
        )
