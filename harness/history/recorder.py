"""Appends the harness's own events to the history."""

from __future__ import annotations

import os

import msgspec

from harness import clock
from harness.history.events import OfJob, OfRun

_encoder = msgspec.json.Encoder()


class Recorder:
    """One file of the history; each event is one write, so that a killed harness loses nothing it had seen."""

    def __init__(self, path: str) -> None:
        self._fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)

    def record(self, event: OfJob | OfRun) -> None:
        """Append the event."""
        os.write(self._fd, _encoder.encode(event) + b"\n")

    def now(self) -> int:
        """The time to put on an event."""
        return clock.now()

    def close(self) -> None:
        os.close(self._fd)
