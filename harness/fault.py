"""What faults have in common: the moment they fire at, the evidence they give, and how they can fail to take hold."""

from __future__ import annotations

from typing import Any

import msgspec


class Missed(Exception):
    """The fault did not take hold: nothing was there to break, or nobody felt it."""


class Unhealed(Exception):
    """The fault was injected and could not be undone."""


class Moment(msgspec.Struct, frozen=True):
    """What a fault fired on: on an event, the worker, process and job concerned; all empty on a timer."""

    worker: str = ""
    pid: int = 0
    key: str = ""
    certain: bool = False
    """Whether that worker is at that job whatever the attempts say: its answer is withheld, or it has just ended."""

    def in_hand(self, worker: str) -> set[str]:
        """The job that this worker is known to be at, if there is one."""
        return {self.key} if self.certain and worker == self.worker else set()


class Evidence(msgspec.Struct, frozen=True):
    """The proof that a fault took hold: a sentence, and the facts behind it."""

    says: str
    facts: dict[str, Any] = {}
    since: int = 0
    """When it began, where the proof is complete only some time after; in nanoseconds, as `clock.now()` gives."""
