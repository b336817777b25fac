"""A sweep's journal: what was asked, then each run on a line of its own as it ends, never rewritten."""

from __future__ import annotations

import fcntl
import glob
import os
from collections.abc import Iterator
from typing import Self

import msgspec

from harness.problems import refuse
from harness.sweep.grid import Grid, Point

FILE = "sweep.jsonl"


class Asked(msgspec.Struct, frozen=True, tag_field="e", tag="asked"):
    """What is swept; runs count for another sitting only where all of this is the same."""

    grid: Grid
    digest: str
    """Of the scenario and its target.yaml."""


class Made(msgspec.Struct, frozen=True, tag_field="e", tag="made"):
    """One run of a point has ended."""

    point: Point
    turn: int
    """Which repeat of the point it was, from 0; all of one turn have the same seed."""
    seed: int
    code: int
    value: str
    """The run's verdict; ERROR where it came to none."""
    says: str = ""
    failing: tuple[str, ...] = ()
    """The invariants that failed."""
    run: str = ""
    """The run's folder, within the sweep's."""
    seconds: float = 0.0
    measured: dict[str, float] = {}


class Journal:
    """The journal in a sweep's folder; one process at a time may write it."""

    def __init__(self, folder: str) -> None:
        self._path = os.path.join(folder, FILE)
        self._file = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)

    def __enter__(self) -> Self:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(self._file)
            raise refuse(self._path, "another sweep is writing here", "wait for its end") from error
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)

    def write(self, line: Asked | Made) -> None:
        """Append a line, after a line break of its own: a killed writer may have left half a line."""
        os.write(self._file, b"\n" + msgspec.json.encode(line) + b"\n")

    def made(self) -> list[Made]:
        """Every run so far."""
        return [line for line in _lines(self._path) if isinstance(line, Made)]


def earlier(reports: str, asked: Asked) -> str:
    """The folder of the last sweep that asked the same; empty where there is none."""
    found = sorted(glob.glob(os.path.join(glob.escape(reports), "*-sweep-*", FILE)), reverse=True)
    return next((os.path.dirname(path) for path in found if asked in _lines(path)), "")


def _lines(path: str) -> Iterator[Asked | Made]:
    """What a journal holds; a line that cannot be read is what a killed writer left, and its run counts as not made."""
    decoder = msgspec.json.Decoder(Asked | Made)
    with open(path, "rb") as file:
        for line in filter(bytes.strip, file):
            try:
                yield decoder.decode(line)
            except msgspec.DecodeError:
                continue
