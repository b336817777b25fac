"""The runs of a session: each is made once, whichever items ask for it in however many processes."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager

import msgspec

from harness import matrix, result
from harness.cell import Cell, Outcome


class Shared:
    """The folder in which the processes of one session tell each other of their runs."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def __call__(self, name: str) -> str:
        os.makedirs(self._folder, exist_ok=True)
        return os.path.join(self._folder, name)

    def remove(self) -> None:
        """The session is over."""
        shutil.rmtree(self._folder, ignore_errors=True)


def shared(session: str) -> Shared:
    """The folder of the session of this name."""
    return Shared(os.path.join(tempfile.gettempdir(), f"harness-pytest-{session}"))


class Runs:
    """Asked for a cell's outcome, it makes the run unless another process has made it or is about to."""

    def __init__(self, shared: Shared, reports: str) -> None:
        self._shared, self._reports = shared, reports
        self._known: dict[Cell, Outcome] = {}

    def outcome(self, cell: Cell) -> Outcome:
        """What the run of this cell came to; waits for it."""
        if cell not in self._known:
            name = self._shared(hashlib.sha256(msgspec.json.encode(cell)).hexdigest()[:24])
            with _alone(f"{name}.lock"):
                self._known[cell] = _told(f"{name}.json") or self._made(cell, f"{name}.json")
        return self._known[cell]

    def _made(self, cell: Cell, path: str) -> Outcome:
        with closing(matrix.run([cell], self._reports, started=lambda cell: None)) as runs:
            outcome = next(runs)
        # The result stands in the run's folder, and knows infinity, which JSON does not.
        with open(path, "wb") as file:
            file.write(msgspec.json.encode(msgspec.structs.replace(outcome, result=None)))
        return outcome


def _told(path: str) -> Outcome | None:
    if not os.path.exists(path):
        return None
    with open(path, "rb") as file:
        outcome = msgspec.json.decode(file.read(), type=Outcome)
    found = result.load(os.path.join(outcome.folder, "result.json")) if outcome.folder else None
    return msgspec.structs.replace(outcome, result=found)


@contextmanager
def _alone(path: str) -> Iterator[None]:
    """One process at a time; the lock of one that dies is free again."""
    with open(path, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
