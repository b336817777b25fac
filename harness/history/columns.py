"""Events in columns: keys, workers, runs and texts are numbered densely, so that a check is a few passes."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Callable
from typing import Any, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from harness.history.events import (
    Ack,
    Change,
    Drop,
    Effect,
    Finish,
    Offer,
    OfJob,
    OfRun,
    Refuse,
    Reject,
    Replay,
    Start,
    Unknown,
)

OFFER, ACK, REJECT, UNKNOWN, DROP, START, FINISH, EFFECT, REPLAY, REFUSE, CHANGE = range(11)
DONE, FAILED, DEAD = range(3)
KINDS = ("offer", "ack", "reject", "unknown", "drop", "start", "finish", "effect", "replay", "refuse", "change")
OUTCOMES = ("done", "failed", "dead")

ROW = np.dtype([("t", "<i8"), ("kind", "u1"), *((name, "<i4") for name in ("job", "who", "run", "num", "text"))])
"""One event of a job; its fields are the columns."""
_pack = struct.Struct("<qBiiiii").pack
_OUTCOME = {name: number for number, name in enumerate(OUTCOMES)}


class Unreadable(msgspec.Struct, frozen=True):
    """A line that is not an event."""

    file: str
    line: int
    text: str
    why: str


class Columns(msgspec.Struct, frozen=True):
    """A history's events of jobs in columns, its tables, and the run's events as they were written.

    The rows of each kind are in order of time; a history in which those of one kind stand together is read fastest.
    """

    t: NDArray[np.int64]
    kind: NDArray[np.uint8]
    job: NDArray[np.int32]
    who: NDArray[np.int32]
    run: NDArray[np.int32]
    num: NDArray[np.int32]
    text: NDArray[np.int32]
    intended: NDArray[np.int64]
    """Per job: when it was meant to be offered; 0 where it never was."""
    keys: list[str]
    whos: list[tuple[str, int]]
    texts: list[str]
    runs: int
    notes: tuple[OfRun, ...]
    unreadable: tuple[Unreadable, ...]


class Table(dict[Any, int]):
    """Numbers things densely in the order in which they are first asked for."""

    def __missing__(self, thing: Any) -> int:
        self[thing] = number = len(self)
        return number


class Builder:
    """Collects events into columns."""

    def __init__(self) -> None:
        self.rows = bytearray()
        self.jobs, self.whos, self.runs, self.texts = Table(), Table(), Table(), Table()
        self.texts[""]
        self.intended = array("q")
        self.notes: list[OfRun] = []
        self.unreadable: list[Unreadable] = []

    def add(self, event: OfJob | OfRun) -> None:
        """Put one event where it belongs."""
        put = _PUT.get(type(event))
        if put is None:
            self.notes.append(cast(OfRun, event))
        else:
            put(self, event)

    def row(self, kind: int, event: OfJob, who: int = -1, run: int = -1, num: int = 0, text: str = "") -> int:
        """Append one event of a job, and return the job's number."""
        job = self.jobs[event.key]
        self.rows += _pack(event.t, kind, job, who, run, num, self.texts[text])
        return job

    def intend(self, job: int, moment: int) -> None:
        """Note when the job was first meant to be offered."""
        if job >= len(self.intended):
            self.intended.extend([0] * (job + 1 - len(self.intended)))
        self.intended[job] = min(moment, self.intended[job] or moment)

    def columns_by_time(self) -> Columns:
        """Everything added, by kind, and in order of time."""
        rows = np.frombuffer(self.rows, ROW)
        order = np.argsort(rows["t"], kind="stable")
        order = order[np.argsort(rows["kind"][order], kind="stable")]
        intended = np.zeros(len(self.jobs), np.int64)
        intended[: len(self.intended)] = self.intended
        return Columns(
            **{name: rows[name][order] for name in ROW.names or ()},
            intended=intended,
            keys=list(self.jobs),
            whos=list(self.whos),
            texts=list(self.texts),
            runs=len(self.runs),
            notes=tuple(sorted(self.notes, key=lambda note: note.t)),
            unreadable=tuple(self.unreadable),
        )


def _offer(builder: Builder, event: Offer) -> None:
    builder.intend(builder.row(OFFER, event, num=milliseconds(event.delay)), event.intended)


def _drop(builder: Builder, event: Drop) -> None:
    builder.intend(builder.row(DROP, event, text=event.why), event.intended)


def _ack(builder: Builder, event: Ack) -> None:
    builder.row(ACK, event)


def _reject(builder: Builder, event: Reject) -> None:
    builder.row(REJECT, event, text=event.why)


def _unknown(builder: Builder, event: Unknown) -> None:
    builder.row(UNKNOWN, event, text=event.why)


def _start(builder: Builder, event: Start) -> None:
    who = builder.whos[event.worker, event.pid]
    builder.row(START, event, who, builder.runs[who, event.run], event.attempt)


def _finish(builder: Builder, event: Finish) -> None:
    who = builder.whos[event.worker, event.pid]
    builder.row(FINISH, event, who, builder.runs[who, event.run], _OUTCOME[event.outcome], event.note)


def _effect(builder: Builder, event: Effect) -> None:
    builder.row(EFFECT, event, builder.whos[event.worker, 0], num=event.version)


def _replay(builder: Builder, event: Replay) -> None:
    builder.row(REPLAY, event, builder.whos[event.worker, 0])


def _refuse(builder: Builder, event: Refuse) -> None:
    builder.row(REFUSE, event, builder.whos[event.worker, 0], num=milliseconds(event.after), text=event.how)


def _change(builder: Builder, event: Change) -> None:
    builder.row(CHANGE, event, num=event.version)


def milliseconds(seconds: float) -> int:
    """A duration as the column `num` holds it."""
    return min(max(round(seconds * 1000), 0), 2**31 - 1)


_PUT: dict[type, Callable[[Builder, Any], None]] = {
    Offer: _offer,
    Drop: _drop,
    Ack: _ack,
    Reject: _reject,
    Unknown: _unknown,
    Start: _start,
    Finish: _finish,
    Effect: _effect,
    Replay: _replay,
    Refuse: _refuse,
    Change: _change,
}
