"""The side effects that a query lists, each recorded once, however often it is asked."""

import asyncio
from pathlib import Path

import pytest

from harness.history.events import Effect
from harness.history.history import read
from harness.history.recorder import Recorder
from harness.ledger import Ledger, Row, Unlisted


class Book:
    """A database with what is put into it."""

    def __init__(self, *rows: Row) -> None:
        self.written = list(rows)

    async def rows(self, sql: str) -> list[Row]:
        return list(self.written)


def looked(book: Book, folder: Path, *more: Row) -> list[tuple[str, int]]:
    """The effects that are in the history after two looks, with `more` written between them."""
    recorder = Recorder(str(folder / "events.jsonl"))
    ledger = Ledger(book, "SELECT", recorder)
    asyncio.run(ledger.look())
    book.written += more
    asyncio.run(ledger.look())
    recorder.close()
    history = read(str(folder / "events.jsonl"))
    rows = history.rows(7)
    return [(history.keys[job], int(t)) for job, t in zip(rows.job, rows.t, strict=True)]


def test_each_row_is_an_effect_of_its_own_time(tmp_path: Path) -> None:
    book = Book(("a", "2.5"), ("b", "1"))
    assert looked(book, tmp_path, ("a", "7.000001")) == [("b", 10**9), ("a", 2_500_000_000), ("a", 7_000_001_000)]


def test_a_row_without_a_time_happened_when_it_was_seen(tmp_path: Path) -> None:
    ((key, t),) = looked(Book(("a",)), tmp_path)
    assert key == "a"
    assert Effect(t=t, key=key).t > 10**18


@pytest.mark.parametrize("row", [(), (None, "1"), ("", "1"), ("a", "1", "2"), ("a", None), ("a", "2026-01-01")])
def test_what_is_no_effect_is_told(tmp_path: Path, row: Row) -> None:
    with pytest.raises(Unlisted):
        looked(Book(row), tmp_path)
