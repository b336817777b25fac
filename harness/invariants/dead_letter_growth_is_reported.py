"""The queue says how many dead letters there are, while they come."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec

from harness.history.events import Revive, State
from harness.invariants._given_up import first_given_up
from harness.invariants._wording import counted
from harness.verdict import Finding, failed, passed, undecided

LATE = 1_000_000_000
"""Nanoseconds after the worker's word by which the queue has filed the job."""

if TYPE_CHECKING:
    from harness.history.history import History, Ints


class DeadLetterGrowthIsReported(msgspec.Struct, frozen=True):
    """The queue's own count of dead letters grows as jobs are given up, so that the rate can be watched.

    Usually broken by a system that drops what has failed for good, or counts it nowhere: a flood of failures then
    looks like a queue that works fast. Keep dead letters, and raise an alarm on how fast they grow, not on how many
    there are.
    """

    needs: ClassVar[tuple[str, ...]] = ("attempts", "state")

    def check(self, history: History) -> Finding:
        import numpy as np

        notes = history.of(State)
        t, dead = np.array([(note.t, note.dead) for note in notes if note.dead is not None], np.int64).reshape(-1, 2).T
        died = _between(first_given_up(history), t, history)
        examined, of = len(died), "jobs given up while the queue was asked"
        grown = _grown(t, dead, history)
        per_second = examined / max(1.0, (died[-1] - died[0]) / 1e9) if examined else 0.0
        measured = {"given_up": examined, "counted": grown, "per_second": round(per_second, 3)}
        told = f"{counted(examined, 'job')} given up, {measured['per_second']:g} a second"
        if grown >= examined:
            return passed(f"{told}; the queue counted {grown:,}.", examined=examined, of=of, **measured)
        if not history.ended or not notes:
            why = "the run was cut short" if notes else "the queue could never be asked"
            return undecided(f"{told}; but {why}.", examined=examined, of=of, **measured)
        counts = f"count of dead letters grew by {grown:,}" if len(t) else "state has no count of dead letters"
        return failed(f"{told}, and the queue's {counts}.", examined=examined, of=of, **measured)


def _between(died: Ints, looks: Ints, history: History) -> Ints:
    """Those that died after the first look at the queue, and early enough to be seen by the last."""
    since, until = (looks[0], looks[-1]) if len(looks) else (0, history.ends)
    some: Ints = died[(died > since) & (died <= until - LATE)]
    return some


def _grown(looks: Ints, dead: Ints, history: History) -> int:
    """By how much the count grew from look to look in all; letters that were taken out meanwhile had come in before."""
    import numpy as np

    taken = np.sort(np.array([one.t for one in history.of(Revive) if one.outcome != "missing"], np.int64))
    out = np.diff(np.searchsorted(taken, looks, side="right"))
    return int(np.maximum(np.diff(dead) + out, 0).sum())
