"""When a job will be tried again, which RQ wants to know when the job is enqueued: a list of waits."""

import random
from types import SimpleNamespace

from rq import Retry


def retry(knobs: SimpleNamespace) -> Retry | None:
    """What to give to `enqueue`; every job draws its own waits."""
    return Retry(max=knobs.retry_max, interval=waits(knobs)) if knobs.retry_max else None


def waits(knobs: SimpleNamespace) -> list[int]:
    """Whole seconds, doubled from `retry_interval` up to `retry_interval_max`, each a random part of it with jitter."""
    first, longest = int(knobs.retry_interval), int(knobs.retry_interval_max)
    full = [min(first * 2 ** min(turn, 32), longest) for turn in range(knobs.retry_max)]
    return [random.randint(0, wait) for wait in full] if knobs.retry_jitter else full
