"""A job acts on what is true when it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec

from harness.history import columns as c
from harness.invariants._by_job import by_job
from harness.invariants._wording import counted
from harness.verdict import Finding, failed, passed

if TYPE_CHECKING:
    from harness.history.history import History, Ints, Rows, Runs


class ActsOnCurrentState(msgspec.Struct, frozen=True):
    """Every side effect acts on the version of its record that was current when its run began.

    Usually broken by a job that carries a copy of the record: the order was cancelled, or the address corrected, while
    the job waited. Enqueue the record's id, read the record when the job runs, and check that what it was meant for
    is still wanted.
    """

    needs: ClassVar[tuple[str, ...]] = ("attempts",)

    def check(self, history: History) -> Finding:
        import numpy as np

        effects, current = _effects(history)
        changed = current > 1
        stale = effects.job[changed & (effects.num < current)]
        examined, of = int(np.count_nonzero(changed)), "effects on a record that had changed"
        if len(stale):
            says = f"{counted(len(stale), 'effect')} of {examined:,} acted on a record as it had been before."
            jobs = list(dict.fromkeys(stale.tolist()))
            return failed(says, examined=examined, of=of, jobs=jobs, stale=len(stale))
        says = f"{counted(examined, 'effect')} on a record that had changed, each on its current version."
        return passed(says, examined=examined, of=of, stale=0)


def _effects(history: History) -> tuple[Rows, Ints]:
    """The effects on records that change some time, and which version was current when the run of each began."""
    import numpy as np

    rows = history.rows(c.CHANGE)
    changed = np.zeros(history.jobs, bool)
    changed[rows.job] = True
    effects = history.rows(c.EFFECT).of(changed)
    changes = by_job(rows.job, rows.t)
    began = _began(history.runs_of(changed), effects)
    place, first = changes.places(effects.job, began), changes.firsts(effects.job)
    version = np.append(rows.num[changes.order], 1)[np.where(place > first, place - 1, -1)]
    return effects, np.where(effects.num > 0, version, 0)


def _began(runs: Runs, effects: Rows) -> Ints:
    """Per effect: when the first run began that was open at its time, else the last before it; 0 where none is known.

    Where runs overlap nobody knows whose effect it is.
    """
    import numpy as np

    starts = by_job(runs.job, runs.start)
    first, until = starts.firsts(effects.job), starts.places(effects.job, effects.t, at=True)
    effect, run = _pairs(first, until)
    still = np.flatnonzero(runs.end[starts.order][run] >= effects.t[effect])
    began = np.append(starts.t, 0)[np.where(until > first, until - 1, -1)]
    np.minimum.at(began, effect[still], starts.t[run[still]])
    return began


def _pairs(first: Ints, until: Ints) -> tuple[Ints, Ints]:
    """Each number with every place from its first until its last."""
    import numpy as np

    counts = until - first
    number = np.repeat(np.arange(len(first)), counts)
    skipped = np.cumsum(counts) - counts
    return number, np.arange(len(number)) + (first - skipped)[number]
