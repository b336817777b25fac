"""Lines into columns: reads `events/*.jsonl`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import BinaryIO

import msgspec

from harness.history.columns import Builder, Columns, Unreadable
from harness.history.events import OfJob, OfRun

_BLOCK = 1 << 20
_decoder: msgspec.json.Decoder[OfJob | OfRun] = msgspec.json.Decoder(OfJob | OfRun)
# A deeply nested line exhausts the stack of whoever decodes it.
_BAD = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def read_lines(files: list[str]) -> Columns:
    """The history that these files hold; an unreadable line is kept as Unreadable, a torn last line is passed over."""
    builder = Builder()
    for name in files:
        with open(name, "rb") as file:
            number = 1
            for lines in _blocks(file):
                for event in _events(lines, os.path.basename(name), number):
                    if isinstance(event, Unreadable):
                        builder.unreadable.append(event)
                    else:
                        builder.add(event)
                number += len(lines)
    return builder.columns_by_time()


def _blocks(file: BinaryIO) -> Iterator[list[bytes]]:
    """The whole lines of a file, many at a time."""
    while lines := file.readlines(_BLOCK):
        if not lines[-1].endswith(b"\n"):
            lines.pop()
        yield lines


def _events(lines: list[bytes], file: str, first: int) -> Iterator[OfJob | OfRun | Unreadable]:
    """Decode many lines at once, and one by one where that does not give one event for each."""
    block = b"".join(lines)
    events = _decoded(block) if _one_each(block, len(lines)) else []
    if len(events) == len(lines):
        yield from events
    else:
        yield from (_event(line, file, number) for number, line in enumerate(lines, first) if line.strip())


def _one_each(block: bytes, lines: int) -> bool:
    """Whether each line looks like one object; the decoder would not mind one over two lines, or two on one."""
    return block.startswith(b"{") and block.endswith(b"}\n") and block.count(b"}\n{") == lines - 1


def _decoded(block: bytes) -> list[OfJob | OfRun]:
    try:
        return _decoder.decode_lines(block)
    except _BAD:
        return []


def _event(line: bytes, file: str, number: int) -> OfJob | OfRun | Unreadable:
    try:
        return _decoder.decode(line)
    except _BAD as error:
        return Unreadable(file, number, line[:200].decode("utf-8", "replace"), str(error))
