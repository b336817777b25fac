"""A history as invariants see it: the columns, and what follows from them, each worked out once."""

from __future__ import annotations

import glob
import os
from functools import cached_property
from typing import TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from harness.history import columns as c
from harness.history.events import Drained, End, Exit, Fault, Gone, Held, Phase, Planned, Run

N = TypeVar("N")
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
NEVER = np.iinfo(np.int64).max


class Runs:
    """Every run of a handler: its job, who ran it, when it began and how and when it ended."""

    def __init__(self, columns: c.Columns, deaths: dict[tuple[str, int], int]) -> None:
        starts, finishes = columns.kind == c.START, columns.kind == c.FINISH
        self.job = _scatter(columns.runs, columns.run[starts], columns.job[starts], -1)
        self.who = _scatter(columns.runs, columns.run[starts], columns.who[starts], -1)
        self.attempt = _scatter(columns.runs, columns.run[starts], columns.num[starts], 0)
        self.start = _scatter(columns.runs, columns.run[starts], columns.t[starts], NEVER)
        self.finish = _scatter(columns.runs, columns.run[finishes], columns.t[finishes], NEVER)
        self.outcome = _scatter(columns.runs, columns.run[finishes], columns.num[finishes], -1)
        died = np.array([deaths.get(who, NEVER) for who in columns.whos] + [NEVER], np.int64)
        self.died = np.where(died[self.who] < self.start, NEVER, died[self.who])
        """When the process that ran it ended; NEVER while it lived. A death before the start was another process
        with the same pid."""
        self.end = np.minimum(self.finish, self.died)

    def __len__(self) -> int:
        return len(self.job)


def _scatter(size: int, where: NDArray[np.int32], what: NDArray[np.generic], missing: int) -> Ints:
    out = np.full(size, missing, np.int64)
    out[where] = what
    return out


class Rows(msgspec.Struct, frozen=True):
    """The events of one kind, in order of time."""

    t: Ints
    job: NDArray[np.int32]
    num: NDArray[np.int32]


class History:
    """Everything that a run left, ready to be judged."""

    def __init__(self, columns: c.Columns) -> None:
        self.columns = columns
        self.keys = columns.keys
        self.notes = columns.notes
        self._rows: dict[int, Rows] = {}

    @property
    def events(self) -> int:
        return len(self.columns.t)

    @property
    def jobs(self) -> int:
        return len(self.keys)

    def of(self, kind: type[N]) -> list[N]:
        """The events of the run of one kind, in order."""
        return [note for note in self.notes if isinstance(note, kind)]

    def first(self, kind: type[N]) -> N | None:
        return next(iter(self.of(kind)), None)

    def which(self, kind: int) -> Bools:
        """Which events are of this kind."""
        same: Bools = self.columns.kind == kind
        return same

    def rows(self, kind: int) -> Rows:
        """The events of this kind; picked out once."""
        if kind not in self._rows:
            at = np.flatnonzero(self.which(kind))
            self._rows[kind] = Rows(self.columns.t[at], self.columns.job[at], self.columns.num[at])
        return self._rows[kind]

    def count(self, kind: int) -> Ints:
        """Per job: how many events of this kind it has."""
        return np.bincount(self.rows(kind).job, minlength=self.jobs)

    def first_time(self, kind: int) -> Ints:
        """Per job: when it first had an event of this kind; NEVER where it had none."""
        rows = self.rows(kind)
        return self._first(rows.job, rows.t)

    def _first(self, job: NDArray[np.int32], t: Ints) -> Ints:
        times = np.full(self.jobs, NEVER, np.int64)
        times[job[::-1]] = t[::-1]
        return times

    def _has(self, job: NDArray[np.int32]) -> Bools:
        has = np.zeros(self.jobs, bool)
        has[job] = True
        return has

    @cached_property
    def runs(self) -> Runs:
        return Runs(self.columns, self.deaths)

    @cached_property
    def deaths(self) -> dict[tuple[str, int], int]:
        """When each process that ran handlers ended: by itself, or with its worker's main process."""
        mains = {(note.process, note.pid): note.t for note in self.of(Exit)}
        own = {(note.process, note.pid): note.t for note in self.of(Gone)}
        return {**mains, **own}

    @cached_property
    def acked(self) -> Bools:
        return self._has(self.rows(c.ACK).job)

    @cached_property
    def offered(self) -> Bools:
        return self._has(self.rows(c.OFFER).job)

    @cached_property
    def completed_at(self) -> Ints:
        """Per job: when a run of it first ended `done`; NEVER where none did."""
        rows = self.rows(c.FINISH)
        done = rows.num == c.DONE
        return self._first(rows.job[done], rows.t[done])

    @cached_property
    def completed(self) -> Bools:
        done: Bools = self.completed_at != NEVER
        return done

    @cached_property
    def dead(self) -> Bools:
        """Per job: given up by the system, as a worker said or the queue showed."""
        rows = self.rows(c.FINISH)
        dead = self._has(rows.job[rows.num == c.DEAD])
        dead[[job for job, where in self.held.items() if where in ("failed", "dead")]] = True
        return dead & ~self.completed

    @cached_property
    def settled_at(self) -> Ints:
        """Per job: when it was completed or, given up, last ended a run; NEVER while it is outstanding."""
        if not self.dead.any():
            return self.completed_at
        rows = self.rows(c.FINISH)
        last = np.full(self.jobs, self.ends, np.int64)
        last[rows.job] = rows.t
        return np.where(self.dead, last, self.completed_at)

    @cached_property
    def outstanding(self) -> Bools:
        """Per job: acked, and neither completed nor given up."""
        return self.acked & ~self.completed & ~self.dead

    @cached_property
    def job_of(self) -> dict[str, int]:
        return {key: job for job, key in enumerate(self.keys)}

    @cached_property
    def held(self) -> dict[int, str]:
        """Where each job stood that the queue still held after the drain."""
        notes = self.of(Held)
        return {self.job_of[note.key]: note.where for note in notes if note.key in self.job_of} if notes else {}

    @cached_property
    def ended(self) -> bool:
        """Whether the run went all the way; one that was cut short cannot say that something never happened."""
        return self.first(End) is not None and self.first(Drained) is not None

    @cached_property
    def faults(self) -> list[Fault]:
        return self.of(Fault)

    @cached_property
    def planned(self) -> Planned | None:
        return self.first(Planned)

    @cached_property
    def begins(self) -> int:
        """The run's own time zero: when the first phase began, else the first event."""
        phases = self.of(Phase)
        if phases:
            return phases[0].t
        times = [int(self.columns.t[0])] if self.events else []
        return min(times + [note.t for note in self.notes if not isinstance(note, Run)], default=0)

    @cached_property
    def ends(self) -> int:
        last = [int(self.columns.t[-1])] if self.events else []
        return max(last + [note.t for note in self.notes], default=0)


def read(path: str) -> History:
    """The history of a run's folder, or of one file of lines; columns that fit the lines are used, others are made."""
    if os.path.isfile(path):
        return History(c.read_lines([path]))
    files = sorted(glob.glob(os.path.join(path, "events", "*.jsonl")))
    kept = os.path.join(path, "history")
    stamp = [[os.path.basename(file), os.path.getsize(file), os.stat(file).st_mtime_ns] for file in files]
    columns = c.load(kept, stamp if files else None)
    if columns is None:
        columns = c.read_lines(files)
        c.save(columns, kept, stamp)
    return History(columns)
