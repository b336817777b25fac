"""A journal: a line for each thing that has ended, appended as it ends, so that who was stopped need not begin anew."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from typing import Any, Self

import msgspec

from harness.problems import refuse


class Journal:
    """A file of lines that are structs; one process at a time may write it."""

    def __init__(self, path: str, *, writer: str, remedy: str) -> None:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        self.path, self._writer, self._remedy = path, writer, remedy
        self._file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)

    def __enter__(self) -> Self:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(self._file)
            raise refuse(self.path, f"another {self._writer} is writing here", self._remedy) from error
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)

    def write(self, line: msgspec.Struct) -> None:
        """Append a line; a line that a killed writer left half written is ended first."""
        torn = os.path.getsize(self.path) and _last_byte(self.path) != b"\n"
        os.write(self._file, (b"\n" if torn else b"") + msgspec.json.encode(line) + b"\n")

    def clear(self) -> None:
        """What was written before is no part of what comes."""
        os.ftruncate(self._file, 0)


def lines(path: str, kinds: Any) -> Iterator[Any]:
    """What a journal of these structs holds; a line that cannot be read is what a killed writer left, and counts for
    nothing."""
    decoder = msgspec.json.Decoder(kinds)
    with open(path, "rb") as file:
        for line in filter(bytes.strip, file):
            try:
                yield decoder.decode(line)
            except msgspec.DecodeError:
                continue


def _last_byte(path: str) -> bytes:
    with open(path, "rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1)
