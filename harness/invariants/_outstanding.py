"""What became of the acked jobs that were neither completed nor given up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from harness.history.history import History


class Outstanding(msgspec.Struct, frozen=True):
    """The outstanding jobs, each in one place, and what the queue last said of itself."""

    held: list[int]
    """Named by the queue as still held, or handed out by it later."""
    running: list[int]
    """In a run that had not ended when the drain did, on a process that lived."""
    missing: list[int]
    """Neither: gone, unless the queue holds them without naming them."""
    unnamed: int | None
    """How many jobs the queue holds without naming them; None when it says nothing."""

    @property
    def lost(self) -> int:
        """How many of the missing are certainly gone."""
        return 0 if self.unnamed is None else max(0, len(self.missing) - self.unnamed)


def outstanding(history: History) -> Outstanding:
    """Where the outstanding jobs stood when the drain ended."""
    import numpy as np

    jobs = [int(job) for job in np.flatnonzero(history.outstanding)]
    held = {job for job, where in history.held.items() if where in ("queued", "active", "delayed")}
    running = _running(history) if jobs else set()
    held |= _begun_later(history) if jobs else set()
    return Outstanding(
        held=[job for job in jobs if job in held],
        running=[job for job in jobs if job in running - held],
        missing=[job for job in jobs if job not in held and job not in running],
        unnamed=_unnamed(history),
    )


def _running(history: History) -> set[int]:
    """Jobs with a run that was open when the drain ended; the workers that the harness stops afterwards were alive
    then."""
    moment, runs = _drained(history), history.runs
    return {int(job) for job in runs.job[(runs.start <= moment) & (runs.end > moment)]}


def _begun_later(history: History) -> set[int]:
    """Jobs that were on their way to a worker when the drain ended: the queue named them nowhere, and had them."""
    return {int(job) for job in history.runs.job[history.runs.start > _drained(history)]}


def _drained(history: History) -> int:
    """When the drain ended or, of a history that was cut short, its end."""
    from harness.history.events import Drained

    drained = history.first(Drained)
    return drained.t if drained else history.ends


def _unnamed(history: History) -> int | None:
    from harness.history.events import State

    if history.held:
        return 0
    said = [note for note in history.of(State) if (note.queued, note.active, note.delayed) != (None, None, None)]
    if not said and history.from_outside:
        # Nobody can be asked; once every lease and retry is over, what has not happened will not happen.
        return 0 if history.at_rest else None
    if not said or (not history.at_rest and None in (said[-1].queued, said[-1].active, said[-1].delayed)):
        return None
    return said[-1].waiting
