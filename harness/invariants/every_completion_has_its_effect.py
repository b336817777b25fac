"""A job that says it is done has done its work."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec

from harness.invariants._wording import counted
from harness.verdict import Finding, failed, passed

if TYPE_CHECKING:
    from harness.history.history import History


class EveryCompletionHasItsEffect(msgspec.Struct, frozen=True):
    """Every completed job had its side effect by the time it was completed.

    Usually broken by a guard against duplicates that is set before the work and survives its failure: the retry
    finds the guard and ends `done` without having done anything. An error that the handler swallows does the same.
    Set the guard in the transaction that does the work, or remove it when the attempt fails.
    """

    needs: ClassVar[tuple[str, ...]] = ("attempts",)

    def check(self, history: History) -> Finding:
        import numpy as np

        from harness.history import columns as c

        worked = np.minimum(history.first_time(c.EFFECT), history.first_time(c.REPLAY))
        examined = int(history.completed.sum())
        without = np.flatnonzero(history.completed & (worked > history.completed_at))
        if not len(without):
            says = f"{counted(examined, 'completed job')}, each with its side effect."
            return passed(says, examined=examined, of="completed jobs", without=0)
        says = f"{counted(len(without), 'job')} of {examined:,} ended `done` before any side effect had happened."
        return failed(says, examined=examined, of="completed jobs", jobs=without, without=len(without))
