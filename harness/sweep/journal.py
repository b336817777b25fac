"""A sweep's journal: what was asked, then each run on a line of its own as it ends, never rewritten."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from typing import Self

import msgspec

from harness import journal
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
        self._journal = journal.Journal(os.path.join(folder, FILE), writer="sweep", remedy="wait for its end")

    def __enter__(self) -> Self:
        self._journal.__enter__()
        return self

    def __exit__(self, *exit: object) -> None:
        self._journal.__exit__(*exit)

    def write(self, line: Asked | Made) -> None:
        """Append a line."""
        self._journal.write(line)

    def made(self) -> list[Made]:
        """Every run so far."""
        return [line for line in _lines(self._journal.path) if isinstance(line, Made)]


def earlier(reports: str, asked: Asked) -> str:
    """The folder of the last sweep that asked the same; empty where there is none."""
    found = sorted(glob.glob(os.path.join(glob.escape(reports), "*-sweep-*", FILE)), reverse=True)
    return next((os.path.dirname(path) for path in found if asked in _lines(path)), "")


def _lines(path: str) -> Iterator[Asked | Made]:
    return journal.lines(path, Asked | Made)
