"""What the downstream writes to the history."""

import os
from pathlib import Path

from msgspec import Struct
from msgspec.json import Encoder


class Effect(Struct, frozen=True, tag="effect", tag_field="e", omit_defaults=True):
    """A side effect was committed."""

    t: int
    key: str
    worker: str
    version: int = 0


class Replay(Struct, frozen=True, tag="replay", tag_field="e"):
    """The Idempotency-Key was known: the first answer is given again, nothing was done."""

    t: int
    key: str
    worker: str


class Refuse(Struct, frozen=True, tag="refuse", tag_field="e", omit_defaults=True):
    """Nothing was done."""

    t: int
    key: str
    worker: str
    how: str
    after: int = 0


class Change(Struct, frozen=True, tag="change", tag_field="e"):
    """The record that the job acts on has another version from now on."""

    t: int
    key: str
    version: int


class Unrecorded(Exception):
    """The line could not be written whole, so what it says must not be done."""


class Record:
    """An append-only file of event lines, each in the file before `write` returns. No file: nothing is kept."""

    def __init__(self, file: Path | None) -> None:
        self._fd = None if file is None else os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        self._encode = Encoder().encode

    def write(self, event: Effect | Replay | Refuse | Change) -> None:
        """Append one line; Unrecorded when it did not reach the file."""
        if self._fd is None:
            return
        line = self._encode(event) + b"\n"
        try:
            written = os.write(self._fd, line)
        except OSError as error:
            raise Unrecorded(f"the event could not be recorded: {error}") from error
        if written < len(line):
            raise Unrecorded(f"only {written} of the event's {len(line)} bytes could be recorded")

    def close(self) -> None:
        """Close the file."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None
