"""A run whose stack was left up: where its producer is, told to other commands in the run's folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import msgspec

from harness.folder import Folder

FILE = "up.json"


class Up(msgspec.Struct, frozen=True):
    """The address of the producer, and the process that keeps the stack up."""

    producer: str
    pid: int


@contextmanager
def told(folder: Folder, producer: str) -> Iterator[None]:
    """Say that the stack is up, for as long as it is."""
    folder.save(FILE, Up(producer, os.getpid()))
    try:
        yield
    finally:
        with suppress(FileNotFoundError):
            os.remove(folder(FILE))


def producer_of(run: str) -> str:
    """Where the producer of a run that is up listens; empty when it is not up."""
    try:
        with open(os.path.join(run, FILE), "rb") as file:
            up = msgspec.json.decode(file.read(), type=Up)
        os.kill(up.pid, 0)
    except (OSError, msgspec.DecodeError):
        return ""
    return up.producer
