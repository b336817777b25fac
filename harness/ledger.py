"""The side effects that a query lists, for an application whose database is the record of what it did."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Protocol

from harness import clock
from harness.history.events import Effect
from harness.history.recorder import Recorder

Row = tuple[str | None, ...]


class Unlisted(Exception):
    """The query gave something else than effects."""


class Database(Protocol):
    """A server that answers queries."""

    async def rows(self, sql: str) -> list[Row]: ...


class Ledger:
    """Asks again and again, and records each row that has come since as an effect."""

    def __init__(self, database: Database, sql: str, recorder: Recorder) -> None:
        self._database, self._sql, self._recorder = database, sql, recorder
        self._known: Counter[str] = Counter()

    async def look(self) -> None:
        """Record what is new; OSError while nobody answers, Unlisted when the answer is no list of effects."""
        for event in self._new(await self._database.rows(self._sql)):
            self._recorder.record(event)

    def _new(self, rows: Sequence[Row]) -> list[Effect]:
        """A row has no name of its own: the latest of a key are those that were not there before."""
        times: defaultdict[str, list[int]] = defaultdict(list)
        for row in rows:
            key, t = _read(row)
            times[key].append(t)
        fresh = [(t, key) for key, all_of_it in times.items() for t in sorted(all_of_it)[self._known[key] :]]
        self._known.update(key for _, key in fresh)
        return [Effect(t=t, key=key) for t, key in sorted(fresh)]


def _read(row: Row) -> tuple[str, int]:
    """A key, and its time; now where the query gives none."""
    if len(row) not in (1, 2) or not row[0]:
        raise Unlisted(f"the query of `effects` gave the row {row!r}; expected a key, or a key and seconds")
    if len(row) == 1:
        return row[0], clock.now()
    try:
        return row[0], round(float(row[1] or "") * 1e6) * 1000
    except ValueError:
        message = f"the query of `effects` gave the time {row[1]!r}; expected seconds since the epoch"
        raise Unlisted(f"{message}, such as `extract(epoch from created_at)`") from None
