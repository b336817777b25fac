"""A dead letter that is put back is done."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec

from harness.history import columns as c
from harness.history.events import Revive
from harness.invariants._wording import counted
from harness.verdict import Finding, failed, passed, undecided

if TYPE_CHECKING:
    from harness.history.history import History


class DeadLettersReplay(msgspec.Struct, frozen=True):
    """Every dead letter that was put back into the queue is completed afterwards.

    Usually broken by a replay that loses the payload or the options of the job (it starts with no retries left), or
    that leaves the letter where it was. Replay with the system's own tool, by id and by time, and only once the cause
    is mended.
    """

    needs: ClassVar[tuple[str, ...]] = ("attempts",)

    def check(self, history: History) -> Finding:
        import numpy as np

        put_back = [one for one in history.of(Revive) if one.outcome != "discarded"]
        of = "dead letters put back"
        failures = np.array([one.outcome == "missing" or not _done(history, one) for one in put_back], bool)
        jobs = [history.job_of[one.key] for one, bad in zip(put_back, failures, strict=True) if bad]
        if len(jobs) and not history.ended:
            says = f"The run was cut short while {counted(len(jobs), 'replayed job')} had not completed."
            return undecided(says, examined=len(put_back), of=of, jobs=jobs)
        if len(jobs):
            says = f"{counted(len(jobs), 'dead letter')} of {len(put_back):,} put back were not completed afterwards."
            return failed(says, examined=len(put_back), of=of, jobs=jobs, failed=len(jobs))
        says = f"{counted(len(put_back), 'dead letter')} put back, each completed afterwards."
        return passed(says, examined=len(put_back), of=of, failed=0)


def _done(history: History, one: Revive) -> bool:
    """Whether a run of the job ended `done` after it was put back."""
    job = history.job_of.get(one.key)
    rows = history.rows(c.FINISH)
    return bool(((rows.job == job) & (rows.num == c.DONE) & (rows.t >= one.t)).any())
