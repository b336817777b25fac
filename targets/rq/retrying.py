"""When a job will be tried again, which RQ wants to know when the job is enqueued: a list of waits."""

import math
import random
from types import SimpleNamespace

from rq import Retry
from rq.job import Job


def retry(knobs: SimpleNamespace) -> Retry | None:
    """What to give to `enqueue`; every job draws its own waits."""
    return Retry(max=knobs.retry_max, interval=waits(knobs)) if knobs.retry_max else None


def waits(knobs: SimpleNamespace) -> list[int]:
    """Whole seconds, doubled from `retry_interval` up to `retry_interval_max`, each a random part of it with jitter."""
    first, longest = int(knobs.retry_interval), int(knobs.retry_interval_max)
    if not longest:
        return [0]  # RQ takes the first wait again and again where the list is too short
    full = [min(first * 2 ** min(turn, 32), longest) for turn in range(knobs.retry_max)]
    return [random.randint(0, wait) for wait in full] if knobs.retry_jitter else full


def postpone(job: Job, seconds: float) -> None:
    """Let the job's next wait be no shorter; a second more, because RQ cuts the fraction off the time that is due."""
    turn = max(len(job.retry_intervals) - job.retries_left, 0)
    job.retry_intervals[turn] = max(job.retry_intervals[turn], math.ceil(seconds) + 1)
