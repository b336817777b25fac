"""What a job asks of its handler before the side effect: to wait, to compute, to fail."""

import time
from collections import deque
from itertools import takewhile
from typing import Any

TROUBLED = 2
"""How many attempts of a `transient` job fail."""


class Permanent(Exception):
    """It fails whenever it is tried: no retry can help."""


class Transient(Exception):
    """It would have gone well a little later."""


class Unclassified(Exception):
    """Nobody has said whether a retry could help."""


POISON = {"permanent": Permanent, "transient": Transient, "unknown": Unclassified}


def work(job: dict[str, Any], attempt: int) -> None:
    """Do what the job's fields say, or raise as its `poison` says."""
    time.sleep(job.get("work", 0))
    compute(job.get("busy", 0))
    poison = job.get("poison")
    if poison and not (poison == "transient" and attempt > TROUBLED):
        raise POISON[poison](f"{job['key']} is poison: attempt {attempt} cannot succeed")


def compute(seconds: float) -> None:
    """Compute for so long without executing any bytecode, so that no other thread of this process gets the GIL."""
    end = time.monotonic() + seconds
    deque(takewhile(end.__gt__, iter(time.monotonic, None)), maxlen=0)
