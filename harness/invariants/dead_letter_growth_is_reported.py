"""The queue says how many dead letters there are, while they come."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec

from harness.history import columns as c
from harness.history.events import State
from harness.invariants._wording import counted
from harness.verdict import Finding, failed, passed

LATE = 1_000_000_000
"""Nanoseconds after the worker's word by which the queue has filed the job."""

if TYPE_CHECKING:
    from harness.history.history import History


class DeadLetterGrowthIsReported(msgspec.Struct, frozen=True):
    """The queue's own count of dead letters grows as jobs are given up, so that the rate can be watched.

    Usually broken by a system that drops what has failed for good, or counts it nowhere: a flood of failures then
    looks like a queue that works fast. Keep dead letters, and raise an alarm on how fast they grow, not on how many
    there are.
    """

    needs: ClassVar[tuple[str, ...]] = ("attempts", "state")

    def check(self, history: History) -> Finding:
        samples = [(note.t, note.dead) for note in history.of(State) if note.dead is not None]
        given_up = _times(history, samples[-1][0] if samples else history.ends)
        examined, of = len(given_up), "jobs given up while the queue was asked"
        if not samples and examined:
            says = f"{counted(examined, 'job')} given up, and the queue has no count of dead letters."
            return failed(says, examined=examined, of=of)
        before = samples[0][1] if samples else 0
        grown = max((dead for _, dead in samples), default=0) - before
        seconds = max(1.0, (given_up[-1] - given_up[0]) / 1e9) if examined else 1.0
        measured = {"given_up": examined, "counted": grown, "per_second": round(examined / seconds, 3)}
        if grown < examined:
            says = f"{counted(examined, 'job')} given up, and the queue's count of dead letters grew by {grown:,}."
            return failed(says, examined=examined, of=of, **measured)
        says = f"{counted(examined, 'job')} given up, {measured['per_second']:g} a second; the queue counted {grown:,}."
        return passed(says, examined=examined, of=of, **measured)


def _times(history: History, until: int) -> list[int]:
    """When each job was given up for the first time, as far as a later look at the queue could show it."""
    rows = history.rows(c.FINISH)
    first: dict[int, int] = {}
    for job, t in zip(rows.job[rows.num == c.DEAD].tolist(), rows.t[rows.num == c.DEAD].tolist(), strict=True):
        first.setdefault(job, t)
    return sorted(t for t in first.values() if t <= until - LATE)
