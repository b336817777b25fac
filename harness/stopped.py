"""How a run ended that came to no result: kept in its folder, for whoever finds it there later."""

from __future__ import annotations

from typing import Literal

import msgspec

from harness.folder import Folder

FILE = "stopped.json"


class Stopped(msgspec.Struct, frozen=True):
    """Whether a person or CI interrupted it, or its stack failed; a run that was killed leaves none."""

    why: Literal["interrupted", "ERROR"]
    says: str


def keep(folder: Folder, stopped: Stopped) -> None:
    """Leave the word in the run's folder."""
    folder.save(FILE, stopped)
