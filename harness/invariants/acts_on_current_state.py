"""A job acts on what is true when it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec

from harness.history import columns as c
from harness.invariants._wording import counted
from harness.verdict import Finding, failed, passed

if TYPE_CHECKING:
    from harness.history.history import History


class ActsOnCurrentState(msgspec.Struct, frozen=True):
    """Every side effect acts on the version of its record that was current when its run began.

    Usually broken by a job that carries a copy of the record: the order was cancelled, or the address corrected, while
    the job waited. Enqueue the record's id, read the record when the job runs, and check that what it was meant for
    is still wanted.
    """

    needs: ClassVar[tuple[str, ...]] = ("attempts",)
    seen: ClassVar[bool] = True

    def check(self, history: History) -> Finding:
        effects, of = history.rows(c.EFFECT), "effects on a record that had changed"
        changes: dict[int, list[tuple[int, int]]] = {}
        rows = history.rows(c.CHANGE)
        for job, t, version in zip(rows.job.tolist(), rows.t.tolist(), rows.num.tolist(), strict=True):
            changes.setdefault(job, []).append((t, version))
        starts = _starts(history, changes)
        stale, examined = [], 0
        for job, t, version in zip(effects.job.tolist(), effects.t.tolist(), effects.num.tolist(), strict=True):
            if job not in changes or not version:
                continue
            began = max((start for start in starts.get(job, ()) if start <= t), default=t)
            current = max((number for moment, number in changes[job] if moment <= began), default=1)
            examined += current > 1
            if version < current:
                stale.append(job)
        if stale:
            says = f"{counted(len(stale), 'effect')} of {examined:,} acted on a record as it had been before."
            return failed(says, examined=examined, of=of, jobs=list(dict.fromkeys(stale)), stale=len(stale))
        return passed(
            f"{counted(examined, 'effect')} on a record that had changed, each on its current version.",
            examined=examined,
            of=of,
            stale=0,
        )


def _starts(history: History, changes: dict[int, list[tuple[int, int]]]) -> dict[int, list[int]]:
    """When the runs of each job began whose record has changed."""
    import numpy as np

    some = np.zeros(history.jobs, bool)
    some[list(changes)] = True
    runs, found = history.rows(c.START).of(some), dict[int, list[int]]()
    for job, t in zip(runs.job.tolist(), runs.t.tolist(), strict=True):
        found.setdefault(job, []).append(t)
    return found
