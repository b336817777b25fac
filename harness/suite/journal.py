"""The suite's journal: each run's outcome on a line of its own as it ends, never rewritten.

It lies beside the reports. What a suite that was interrupted need not run again, how long each cell takes and which
failures were expected are all read from it.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from datetime import datetime
from typing import Literal, Self

import msgspec

from harness import journal
from harness.cell import Cell

Mark = Literal["pass", "FAIL", "INCONCLUSIVE", "ERROR"]


class Begun(msgspec.Struct, frozen=True, tag_field="e", tag="begun"):
    """A suite begins anew: what was written before is no part of it."""

    at: datetime


class Ended(msgspec.Struct, frozen=True, tag_field="e", tag="ended"):
    """One run of a cell has ended."""

    cell: Cell
    digest: str
    turn: int
    """Which repeat of the cell it was, from 1."""
    mark: Mark
    code: int
    says: str
    run: str = ""
    """The run's folder, within the reports."""
    value: str = ""
    """The run's own verdict: FAIL, where a broken variant was caught."""
    seconds: float = 0.0
    reruns: int = 0
    beside: int = 0
    """The most other runs that went on at the same time, and may have disturbed what it measured."""


class Journal:
    """The journal of one suite, or of one shard of it; one process at a time may write it."""

    def __init__(self, reports: str, shard: str = "") -> None:
        self.path = os.path.join(reports, f"suite{shard}.jsonl")
        self._journal = journal.Journal(self.path, writer="suite", remedy="give this one a folder with --reports")

    def __enter__(self) -> Self:
        self._journal.__enter__()
        return self

    def __exit__(self, *exit: object) -> None:
        self._journal.__exit__(*exit)

    def begin(self, at: datetime) -> None:
        """From here on it is another suite's."""
        self.write(Begun(at))

    def write(self, line: Begun | Ended) -> None:
        """Append a line."""
        self._journal.write(line)

    def unfinished(self) -> list[Ended]:
        """What the suite that began last has come to so far, here or in shards that began later than it did here."""
        begun, found = _last(self.path)
        shards = _journals(os.path.dirname(self.path), "-[0-9]*-of-[0-9]*")
        others = [_last(path) for path in shards if path != self.path]
        later = [ended for at, ended in sorted(others, key=lambda other: other[0]) if at >= begun]
        return [one for some in [*later, found] for one in some]


def _last(path: str) -> tuple[float, list[Ended]]:
    """When the suite of a journal that began last did so, in seconds since the epoch, and its runs."""
    begun, found = 0.0, list[Ended]()
    for line in lines(path):
        if isinstance(line, Begun):
            begun, found = line.at.timestamp(), []
        else:
            found.append(line)
    return begun, found


def _journals(reports: str, suffix: str = "*") -> list[str]:
    return sorted(glob.glob(os.path.join(glob.escape(reports), f"suite{suffix}.jsonl")))


def earlier(reports: str) -> Iterator[Ended]:
    """Every run that a suite in this folder ever made."""
    for path in _journals(reports):
        yield from (line for line in lines(path) if isinstance(line, Ended))


def foretold(reports: str) -> frozenset[str]:
    """The runs that failed as their scenario's variant says they must."""
    return frozenset(ended.run for ended in earlier(reports) if ended.mark == "pass" and ended.value == "FAIL")


def lines(path: str) -> Iterator[Begun | Ended]:
    """What a journal holds."""
    return journal.lines(path, Begun | Ended)
