"""Lines into columns: reads `events/*.jsonl`, numbers keys, workers, runs and texts densely, and keeps the result
beside them."""

from __future__ import annotations

import json
import os
from array import array
from collections.abc import Callable, Iterator
from typing import Any, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from harness.history.events import (
    Ack,
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

OFFER, ACK, REJECT, UNKNOWN, DROP, START, FINISH, EFFECT, REPLAY, REFUSE = range(10)
DONE, FAILED, DEAD = range(3)
KINDS = ("offer", "ack", "reject", "unknown", "drop", "start", "finish", "effect", "replay", "refuse")
OUTCOMES = ("done", "failed", "dead")

_COLUMNS = {"t": "q", "kind": "B", "job": "i", "who": "i", "run": "i", "num": "i", "text": "i"}
_FORMAT = 1


class Unreadable(msgspec.Struct, frozen=True):
    """A line that is not an event."""

    file: str
    line: int
    text: str
    why: str


class Columns(msgspec.Struct, frozen=True):
    """A history's events of jobs in columns sorted by time, its tables, and the run's events as they were written."""

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
        self.columns = {name: array(code) for name, code in _COLUMNS.items()}
        self.jobs, self.whos, self.runs, self.texts = Table(), Table(), Table(), Table()
        self.texts[""]
        self.intended: dict[int, int] = {}
        self.notes: list[OfRun] = []
        self.unreadable: list[Unreadable] = []

    def add(self, event: OfJob | OfRun, source: str) -> None:
        """Put one event where it belongs; `source` tells apart runs of the same name from different files."""
        put = _PUT.get(type(event))
        if put is None:
            self.notes.append(cast(OfRun, event))
        else:
            put(self, event, source)

    def row(self, kind: int, event: OfJob, *, who: int = -1, run: int = -1, num: int = 0, text: str = "") -> None:
        columns = self.columns
        columns["t"].append(event.t)
        columns["kind"].append(kind)
        columns["job"].append(self.jobs[event.key])
        columns["who"].append(who)
        columns["run"].append(run)
        columns["num"].append(num)
        columns["text"].append(self.texts[text])

    def columns_by_time(self) -> Columns:
        """Everything added, in order of time."""
        arrays = {
            name: np.frombuffer(data, dtype=data.typecode) if data else np.empty(0, code)
            for (name, code), data in zip(_COLUMNS.items(), self.columns.values(), strict=True)
        }
        order = np.argsort(arrays["t"], kind="stable")
        intended = np.zeros(len(self.jobs), np.int64)
        intended[list(self.intended)] = list(self.intended.values())
        return Columns(
            **{name: data[order] for name, data in arrays.items()},
            intended=intended,
            keys=list(self.jobs),
            whos=list(self.whos),
            texts=list(self.texts),
            runs=len(self.runs),
            notes=tuple(sorted(self.notes, key=lambda note: note.t)),
            unreadable=tuple(self.unreadable),
        )


def _offer(builder: Builder, event: Offer, source: str) -> None:
    builder.row(OFFER, event)
    builder.intended[builder.jobs[event.key]] = event.intended


def _drop(builder: Builder, event: Drop, source: str) -> None:
    builder.row(DROP, event, text=event.why)
    builder.intended[builder.jobs[event.key]] = event.intended


def _ack(builder: Builder, event: Ack, source: str) -> None:
    builder.row(ACK, event)


def _reject(builder: Builder, event: Reject, source: str) -> None:
    builder.row(REJECT, event, text=event.why)


def _unknown(builder: Builder, event: Unknown, source: str) -> None:
    builder.row(UNKNOWN, event, text=event.why)


def _start(builder: Builder, event: Start, source: str) -> None:
    who = builder.whos[event.worker, event.pid]
    builder.row(START, event, who=who, run=builder.runs[who, event.run], num=event.attempt)


def _finish(builder: Builder, event: Finish, source: str) -> None:
    who = builder.whos[event.worker, event.pid]
    run = builder.runs[who, event.run]
    builder.row(FINISH, event, who=who, run=run, num=OUTCOMES.index(event.outcome), text=event.note)


def _effect(builder: Builder, event: Effect, source: str) -> None:
    builder.row(EFFECT, event, who=builder.whos[event.worker, 0])


def _replay(builder: Builder, event: Replay, source: str) -> None:
    builder.row(REPLAY, event, who=builder.whos[event.worker, 0])


def _refuse(builder: Builder, event: Refuse, source: str) -> None:
    builder.row(REFUSE, event, who=builder.whos[event.worker, 0], text=event.how)


_PUT: dict[type, Callable[[Builder, Any, str], None]] = {
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
}


def read_lines(files: list[str]) -> Columns:
    """The history that these files hold; an unreadable line is kept as Unreadable, a torn last line is passed over."""
    builder = Builder()
    decoder = msgspec.json.Decoder(OfJob | OfRun)
    for file in files:
        for number, line in enumerate(_whole_lines(file), 1):
            try:
                builder.add(decoder.decode(line), file)
            except (msgspec.DecodeError, UnicodeDecodeError, OverflowError) as error:
                builder.unreadable.append(
                    Unreadable(os.path.basename(file), number, line[:200].decode("utf-8", "replace"), str(error))
                )
    return builder.columns_by_time()


def _whole_lines(file: str) -> Iterator[bytes]:
    with open(file, "rb") as lines:
        yield from (line for line in lines if line.endswith(b"\n") and line.strip())


def save(columns: Columns, folder: str, stamp: object) -> None:
    """Keep the columns in a folder, with the stamp of the lines they were made from."""
    os.makedirs(folder, exist_ok=True)
    for name in (*_COLUMNS, "intended"):
        np.save(os.path.join(folder, f"{name}.npy"), getattr(columns, name))
    tables = {
        "format": _FORMAT,
        "stamp": stamp,
        "whos": columns.whos,
        "texts": columns.texts,
        "runs": columns.runs,
        "notes": columns.notes,
        "unreadable": columns.unreadable,
    }
    with open(os.path.join(folder, "keys.json"), "wb") as file:
        file.write(msgspec.json.encode(columns.keys))
    with open(os.path.join(folder, "tables.json"), "wb") as file:
        file.write(msgspec.json.encode(tables))


class _Tables(msgspec.Struct, frozen=True):
    format: int
    stamp: Any
    whos: list[tuple[str, int]]
    texts: list[str]
    runs: int
    notes: tuple[OfRun, ...]
    unreadable: tuple[Unreadable, ...]


def load(folder: str, stamp: object) -> Columns | None:
    """The columns kept in a folder, or None when there are none made from lines with this stamp."""
    try:
        with open(os.path.join(folder, "tables.json"), "rb") as file:
            tables = msgspec.json.decode(file.read(), type=_Tables)
    except (FileNotFoundError, msgspec.DecodeError):
        return None
    if tables.format != _FORMAT or (stamp is not None and tables.stamp != json.loads(json.dumps(stamp))):
        return None
    with open(os.path.join(folder, "keys.json"), "rb") as file:
        keys = msgspec.json.decode(file.read(), type=list[str])
    arrays = {name: np.load(os.path.join(folder, f"{name}.npy"), mmap_mode="r") for name in (*_COLUMNS, "intended")}
    return Columns(
        **arrays,
        keys=keys,
        whos=tables.whos,
        texts=tables.texts,
        runs=tables.runs,
        notes=tables.notes,
        unreadable=tables.unreadable,
    )
