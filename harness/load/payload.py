"""What a job asks of its handler: the fields that travel with its key."""

from typing import Any, Literal
from zlib import crc32

import msgspec

Poison = Literal["none", "permanent", "unknown", "transient"]


class Payload(msgspec.Struct, frozen=True):
    """The fields of every job of a load; which jobs are poison follows from the seed and the job's key."""

    work: float = 0.0
    busy: float = 0.0
    delay: float = 0.0
    poison: Poison = "none"
    share: float = 1.0
    """Which part of the jobs is poison."""
    record: bool = False
    """Whether a job acts on a record, and carries the version that it was made from."""
    seed: int = 0

    def of(self, key: str) -> dict[str, Any]:
        """The job with this key, as the producer is given it."""
        job: dict[str, Any] = {"key": key, "work": self.work}
        if self.busy:
            job["busy"] = self.busy
        if self.delay:
            job["delay"] = self.delay
        if self.is_poison(key):
            job["poison"] = self.poison
        if self.record:
            job["version"] = 1
        return job

    def is_poison(self, key: str) -> bool:
        """Whether the job with this key fails, each time it is asked the same."""
        return self.poison != "none" and crc32(f"{self.seed} {key}".encode()) < self.share * 2**32
