"""Columns on disk: what is kept comes back, and what does not fit is made again."""

import os
from pathlib import Path

import pytest

from harness.history.history import read

LINES = (
    b'{"e":"run","t":1,"id":"r","scenario":"s","target":"t","seed":1}\n'
    b'{"e":"offer","t":2,"key":"a","intended":2}\n{"e":"ack","t":3,"key":"a"}\nnot an event\n'
    b'{"e":"start","t":4,"worker":"w","pid":7,"key":"a","run":"1","attempt":1}\n'
    b'{"e":"finish","t":5,"worker":"w","pid":7,"key":"a","run":"1","outcome":"failed","note":"Boom"}\n'
)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    (tmp_path / "events").mkdir()
    (tmp_path / "events" / "one.jsonl").write_bytes(LINES)
    return tmp_path


def told(run: Path) -> tuple[object, ...]:
    columns = read(str(run)).columns
    arrays = [getattr(columns, name).tolist() for name in ("t", "kind", "job", "who", "run", "num", "text", "intended")]
    return (*arrays, columns.keys, columns.whos, columns.texts, columns.runs, columns.notes, columns.unreadable)


def test_what_is_kept_comes_back(run: Path) -> None:
    first = told(run)
    (run / "events" / "one.jsonl").unlink()
    (run / "events").rmdir()
    assert told(run) == first


def test_lines_that_were_added_are_seen(run: Path) -> None:
    before = read(str(run)).events
    with open(run / "events" / "one.jsonl", "ab") as file:
        file.write(b'{"e":"effect","t":6,"key":"a","worker":"w"}\n')
    assert read(str(run)).events == before + 1


@pytest.mark.parametrize("name", ["t.npy", "keys.json", "tables.json", "intended.npy"])
@pytest.mark.parametrize("damage", ["gone", "empty", "half", "junk"])
def test_columns_that_were_damaged_are_made_again(run: Path, name: str, damage: str) -> None:
    first, file = told(run), run / "history" / name
    whole = file.read_bytes()
    file.unlink()
    if damage != "gone":
        file.write_bytes({"empty": b"", "half": whole[: len(whole) // 2], "junk": b"\xff" * len(whole)}[damage])
    assert told(run) == first


def test_an_archive_that_cannot_be_written_to_is_still_read(run: Path) -> None:
    (run / "history").write_bytes(b"in the way")
    assert read(str(run)).events == 4


def test_nothing_but_the_columns_is_left_in_the_folder(run: Path) -> None:
    read(str(run))
    columns = {f"{name}.npy" for name in ("t", "kind", "job", "who", "run", "num", "text", "intended")}
    assert set(os.listdir(run / "history")) == {*columns, "keys.json", "tables.json"}
