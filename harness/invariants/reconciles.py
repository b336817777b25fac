"""What should have happened has, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec

from harness.history import columns as c
from harness.invariants._wording import counted
from harness.verdict import Finding, failed, passed, undecided

if TYPE_CHECKING:
    from harness.history.history import History


class Reconciles(msgspec.Struct, frozen=True):
    """Every acked job that is not given up or waiting has its effect, and no effect is without such a job.

    It is what a nightly reconciliation would find. Usually broken by a job that is taken for done without its effect,
    by one that is lost, or by an effect whose job was refused or given up, so that nobody knows of it. Make effect and
    acknowledgement agree: guard the effect with the job's key, and acknowledge after it.
    """

    needs: ClassVar[tuple[str, ...]] = ()

    def check(self, history: History) -> Finding:
        import numpy as np

        effects = history.count(c.EFFECT) > 0
        waiting = np.zeros(history.jobs, bool)
        waiting[[job for job, where in history.held.items() if where in ("queued", "active", "delayed")]] = True
        known = history.acked | (history.count(c.UNKNOWN) > 0) | ~history.offered
        missing = history.acked & ~history.dead & ~waiting & ~effects
        surplus = effects & ((history.offered & ~known) | history.dead)
        examined, of = int((history.acked | effects).sum()), "jobs and effects"
        jobs = np.flatnonzero(missing | surplus)
        measured = {"missing": int(missing.sum()), "surplus": int(surplus.sum())}
        if len(jobs) and not history.ended:
            return undecided(
                "The run was cut short, before jobs and effects could agree.", examined=examined, of=of, jobs=jobs
            )
        if len(jobs):
            missed, extra = counted(measured["missing"], "acked job"), counted(measured["surplus"], "effect")
            says = f"{missed} without an effect, {extra} of a job that was refused or given up."
            return failed(says, examined=examined, of=of, jobs=jobs, **measured)
        return passed(f"{counted(examined, 'job')} and their effects agree.", examined=examined, of=of, **measured)
