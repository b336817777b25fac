"""Something that comes to be true of a system at work, which a fault may wait for: `inflight >= 4`."""

import re
from typing import Self

import msgspec

COUNTS = {
    "inflight": "handlers that run at once, none of which is about to end",
    "acked": "jobs that were acked, in all",
    "dead": "runs after which a job was given up, in all",
    "redelivered": "jobs handed out while an earlier run of theirs had not ended, in all",
}
PATTERN = re.compile(rf"({'|'.join(COUNTS)}) >= ([1-9][0-9]{{0,5}})")


class Condition(msgspec.Struct, frozen=True):
    """At least so many of what `COUNTS` names."""

    of: str
    least: int

    @classmethod
    def read(cls, text: str) -> Self | None:
        """As it is written in a scenario; None if it is no condition."""
        found = PATTERN.fullmatch(text)
        return cls(found[1], int(found[2])) if found else None
