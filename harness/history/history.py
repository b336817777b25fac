"""A history as invariants see it: the columns, and what follows from them, each worked out once."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from harness.history import columns as c
from harness.history import kept
from harness.history.events import Drained, End, Exit, Fault, Gone, Held, Letter, Phase, Planned, Revive, Run
from harness.history.lines import read_lines
from harness.history.runs import NEVER as NEVER
from harness.history.runs import Bools as Bools
from harness.history.runs import Deaths, died
from harness.history.runs import Ints as Ints
from harness.history.runs import Rows as Rows
from harness.history.runs import Runs as Runs

N = TypeVar("N")


def _grouped(columns: c.Columns) -> c.Columns:
    """The same columns with the rows of each kind together."""
    kind = columns.kind
    if (kind[1:] >= kind[:-1]).all():
        return columns
    order = np.argsort(kind, kind="stable")
    return msgspec.structs.replace(columns, **{name: getattr(columns, name)[order] for name in c.ROW.names or ()})


class History:
    """Everything that a run left, ready to be judged."""

    def __init__(self, columns: c.Columns) -> None:
        self.columns = _grouped(columns)
        self.keys = columns.keys
        self.notes = columns.notes
        bounds = np.searchsorted(self.columns.kind, np.arange(len(c.KINDS) + 1)).tolist()
        self._slices = [slice(since, until) for since, until in pairwise(bounds)]
        self._first_times: dict[int, Ints] = {}
        self._made: dict[Callable[[History], Any], Any] = {}

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

    def rows(self, kind: int) -> Rows:
        """The events of this kind."""
        at, columns = self._slices[kind], self.columns
        return Rows(columns.t[at], columns.job[at], columns.who[at], columns.run[at], columns.num[at])

    def noted(self, kind: int, note: str) -> Bools:
        """Per event of this kind: whether its text is `note`, in whatever module or package of the target's."""
        texts = self.columns.texts
        like = np.array([re.split(r"[.:]", text)[-1] == note for text in texts], bool)
        found: Bools = like[self.columns.text[self._slices[kind]]]
        return found

    def once(self, make: Callable[[History], N]) -> N:
        """What this function makes of the history, made when it is first asked for."""
        if make not in self._made:
            self._made[make] = make(self)
        made: N = self._made[make]
        return made

    def count(self, kind: int) -> Ints:
        """Per job: how many events of this kind it has."""
        return np.bincount(self.rows(kind).job, minlength=self.jobs)

    def first_time(self, kind: int) -> Ints:
        """Per job: when it first had an event of this kind; NEVER where it had none."""
        if kind not in self._first_times:
            rows = self.rows(kind)
            self._first_times[kind] = self._first(rows.job, rows.t)
        return self._first_times[kind]

    def last_time(self, kind: int) -> Ints:
        """Per job: when it last had an event of this kind; 0 where it had none."""
        rows = self.rows(kind)
        return self._last(rows.job, rows.t)

    def _last(self, job: NDArray[np.int32], t: Ints) -> Ints:
        times = np.zeros(self.jobs, np.int64)
        times[job] = t
        return times

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
        """Every run that began."""
        return Runs(self.rows(c.START), self.rows(c.FINISH), self.columns, self.deaths)

    def runs_of(self, jobs: Bools) -> Runs:
        """The runs of some of the jobs."""
        return Runs(self.rows(c.START).of(jobs), self.rows(c.FINISH).of(jobs), self.columns, self.deaths)

    @cached_property
    def deaths(self) -> Deaths:
        """When each process that ran handlers ended, in order; a pid may have come again."""
        times: Deaths = {}
        for note in self.notes:
            if isinstance(note, Exit | Gone):
                times.setdefault((note.process, note.pid), []).append(note.t)
        return times

    def died(self, who: NDArray[np.int32], since: Ints) -> Ints:
        """Per process and moment: when it ended, at that moment or later; NEVER while it lived."""
        return died(self.columns.whos, self.deaths, who, since)

    @cached_property
    def acked(self) -> Bools:
        return self._has(self.rows(c.ACK).job)

    @cached_property
    def offered(self) -> Bools:
        return self._has(self.rows(c.OFFER).job)

    @cached_property
    def from_outside(self) -> bool:
        """Whether nobody told of attempts, so that a job is completed when its side effect is there."""
        run = self.first(Run)
        return run is not None and run.completes == "effect"

    @cached_property
    def completed_at(self) -> Ints:
        """Per job: when a run of it first ended `done` or, seen from outside, its first side effect; NEVER where there
        was none."""
        if self.from_outside:
            return self.first_time(c.EFFECT)
        rows = self.rows(c.FINISH)
        done = rows.num == c.DONE
        return self._first(rows.job[done], rows.t[done])

    @cached_property
    def completed(self) -> Bools:
        done: Bools = self.completed_at != NEVER
        return done

    @cached_property
    def dead(self) -> Bools:
        """Per job: given up by the system, as a worker said (and it neither ran nor was put back after) or the queue
        showed."""
        rows = self.rows(c.FINISH)
        given_up = np.flatnonzero(rows.num == c.DEAD)
        dead = self._has(rows.job[given_up])
        if len(given_up):
            since = np.maximum(self.last_time(c.START), self.put_back_at)
            dead &= self._last(rows.job[given_up], rows.t[given_up]) >= since
        dead[[job for job, where in self.held.items() if where in ("failed", "dead")]] = True
        return dead & ~self.completed

    @cached_property
    def put_back_at(self) -> Ints:
        """Per job: when a dead letter of it was last put back into the queue; 0 where none was."""
        times = np.zeros(self.jobs, np.int64)
        for note in self.of(Revive):
            if note.outcome == "replayed" and note.key in self.job_of:
                times[self.job_of[note.key]] = note.t
        return times

    @cached_property
    def settled_at(self) -> Ints:
        """Per job: when it was completed or, given up, last ended a run or died in the queue; NEVER while outstanding.
        One that was given up and put back was settled before: what becomes of it then is up to who put it back."""
        settled = np.minimum(self.completed_at, self._given_up_before)
        if not self.dead.any():
            return settled
        rows = self.rows(c.FINISH)
        last = np.full(self.jobs, self.ends, np.int64)
        last[rows.job] = rows.t
        last = np.where(self._buried_at, self._buried_at, last)
        return np.where(self.dead, np.minimum(last, settled), settled)

    @cached_property
    def _given_up_before(self) -> Ints:
        """Per job: when its last run had ended `dead` before it was first put back; NEVER where it was not so."""
        asked = [note for note in self.of(Revive) if note.outcome == "replayed" and note.key in self.job_of]
        back = np.full(self.jobs, -1, np.int64)
        for note in reversed(asked):
            back[self.job_of[note.key]] = note.t
        starts, rows = self.rows(c.START).of(back >= 0), self.rows(c.FINISH).of(back >= 0)
        began, ended = starts.t <= back[starts.job], rows.t <= back[rows.job]
        dead = np.zeros(self.jobs, bool)
        dead[rows.job[ended]] = rows.num[ended] == c.DEAD
        last = self._last(rows.job[ended], rows.t[ended])
        dead &= last >= self._last(starts.job[began], starts.t[began])
        return np.where(dead, last, NEVER)

    @cached_property
    def _buried_at(self) -> Ints:
        """Per job: when the queue itself gave it up, as its dead letter says and no worker did; 0 elsewhere. A time in
        whole seconds is too early: nothing dies before it last began."""
        rows = self.rows(c.FINISH)
        told, began = self._has(rows.job[rows.num == c.DEAD]), self.last_time(c.START)
        times = np.zeros(self.jobs, np.int64)
        for letter in self.of(Letter):
            job = self.job_of.get(letter.key)
            if job is not None and letter.died is not None and not told[job]:
                times[job] = max(int(began[job]), min(round(letter.died * 1e9), self.ends))
        return times

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
        where = {note.key: note.where for note in self.of(Held)}
        return {job: where[key] for job, key in enumerate(self.keys) if key in where} if where else {}

    @cached_property
    def ended(self) -> bool:
        """Whether the run went all the way; one that was cut short cannot say that something never happened."""
        return self.first(End) is not None and self.first(Drained) is not None

    @cached_property
    def at_rest(self) -> bool:
        """Whether the drain went on until nothing more could be expected to happen."""
        drained = self.first(Drained)
        return drained is not None and not drained.why.startswith("patience")

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
        return min(
            [int(self.columns.t[at][0]) for at in self._slices if at.stop > at.start]
            + [note.t for note in self.notes if not isinstance(note, Run)],
            default=0,
        )

    @cached_property
    def ends(self) -> int:
        return max(
            [int(self.columns.t[at][-1]) for at in self._slices if at.stop > at.start]
            + [note.t for note in self.notes],
            default=0,
        )


def read(path: str) -> History:
    """The history of a run's folder, or of one file of lines; columns that fit the lines are used, others are made."""
    if os.path.isfile(path):
        return History(read_lines([path]))
    files = sorted(glob.glob(os.path.join(path, "events", "*.jsonl")))
    folder = os.path.join(path, "history")
    stamp = [[os.path.basename(file), os.path.getsize(file), os.stat(file).st_mtime_ns] for file in files]
    columns = kept.load(folder, stamp if files else None)
    if columns is None:
        columns = read_lines(files)
        # They only save time: an archive may be read-only, a disk full.
        with suppress(OSError):
            kept.save(columns, folder, stamp)
    return History(columns)
