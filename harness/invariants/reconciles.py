"""What should have happened has, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec

from harness.history import columns as c
from harness.invariants._outstanding import outstanding
from harness.invariants._wording import counted
from harness.verdict import Finding, failed, passed, undecided

if TYPE_CHECKING:
    from harness.history.history import Bools, History


class Reconciles(msgspec.Struct, frozen=True):
    """Every acked job that is not given up or waiting has its effect, and no effect is without such a job.

    It is what a nightly reconciliation would find. Usually broken by a job that is taken for done without its effect,
    by one that is lost, or by an effect whose job was refused or given up, so that nobody knows of it. Make effect and
    acknowledgement agree: guard the effect with the job's key, and acknowledge after it.
    """

    needs: ClassVar[tuple[str, ...]] = ()

    def check(self, history: History) -> Finding:
        import numpy as np

        effects, left = history.count(c.EFFECT) > 0, outstanding(history)
        gone = [job for job in left.missing if not effects[job]]
        certain = 0 if left.unnamed is None else max(0, len(gone) - left.unnamed)
        hollow = np.flatnonzero(history.acked & history.completed & ~effects).tolist()
        surplus = np.flatnonzero(effects & (_refused(history) | history.dead)).tolist()
        examined, of = int((history.acked | effects).sum()), "jobs and effects"
        measured = {"missing": len(hollow) + certain, "surplus": len(surplus)}
        jobs = sorted(hollow + gone + surplus)
        if jobs and not history.ended:
            says = "The run was cut short, before jobs and effects could agree."
            return undecided(says, examined=examined, of=of, jobs=jobs)
        if measured["missing"] or surplus:
            missed, extra = counted(measured["missing"], "acked job"), counted(len(surplus), "effect")
            says = f"{missed} without an effect, {extra} of a job that was refused or given up."
            return failed(says, examined=examined, of=of, jobs=jobs, **measured)
        if gone:
            says = f"{counted(len(gone), 'acked job')} without an effect, and the queue does not say which it holds."
            return undecided(says, examined=examined, of=of, jobs=gone, **measured)
        return passed(f"{counted(examined, 'job')} and their effects agree.", examined=examined, of=of, **measured)


def _refused(history: History) -> Bools:
    """Per job: offered, and every offer of it was refused."""
    offers, refusals = history.count(c.OFFER), history.count(c.REJECT)
    refused: Bools = (offers > 0) & (refusals >= offers) & ~history.acked & (history.count(c.UNKNOWN) == 0)
    return refused
