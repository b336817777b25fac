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
        asked = _asked(history)
        undone = _undone(history, asked)
        jobs = dict.fromkeys(history.job_of[one.key] for one in undone if one.key in history.job_of)
        examined, of = len(asked), "dead letters put back"
        if doubt := _doubt(history, list(jobs)) if undone else "":
            return undecided(doubt, examined=examined, of=of, jobs=jobs, failed=len(undone))
        if undone:
            says = f"{counted(len(undone), 'dead letter')} of {examined:,} put back were not completed afterwards."
            return failed(says, examined=examined, of=of, jobs=jobs, failed=len(undone))
        says = f"{counted(examined, 'dead letter')} put back, each completed afterwards."
        return passed(says, examined=examined, of=of, failed=0)


def _asked(history: History) -> list[Revive]:
    """Those that were put back, and those that should have been and were not found, unless they had been taken out
    before."""
    taken, asked = set[tuple[str, str]](), list[Revive]()
    for one in history.of(Revive):
        if one.outcome == "replayed" or (one.outcome == "missing" and (one.key, one.id) not in taken):
            asked.append(one)
        if one.outcome != "missing":
            taken.add((one.key, one.id))
    return asked


def _undone(history: History, asked: list[Revive]) -> list[Revive]:
    """Those of whose job no run ended `done` after they were to be put back, found or not."""
    import numpy as np

    rows = history.rows(c.FINISH)
    done = np.flatnonzero(rows.num == c.DONE)
    last = np.zeros(history.jobs + 1, np.int64)
    last[rows.job[done]] = rows.t[done]
    return [one for one in asked if last[history.job_of.get(one.key, -1)] < one.t]


def _doubt(history: History, jobs: list[int]) -> str:
    """Why those that are not completed may yet be."""
    if not history.ended:
        return f"The run was cut short while {counted(len(jobs), 'replayed job')} had not completed."
    if not history.at_rest and history.outstanding[jobs].any():
        return f"The drain was cut short while {counted(len(jobs), 'replayed job')} had not completed."
    return ""
