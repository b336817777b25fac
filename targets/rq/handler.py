"""The function that RQ runs for each job."""

import time
from typing import Any

from app import KNOBS
from attempts import SharedAttempts
from kit import Downstream
from once import once
from rq import get_current_job

attempts = SharedAttempts()
downstream = Downstream(KNOBS.downstream_timeout)


def handle(job: dict[str, Any]) -> None:
    """Do one job: work, then its effect, once."""
    left = retries_left()
    key = job["key"]
    with attempts.run(key, KNOBS.retry_max - left + 1, last=left == 0) as run, once(key, KNOBS) as first:
        if not first:
            run.dedup()
            return
        time.sleep(job.get("work", 0))
        downstream.effect(key, idempotency_key=key if KNOBS.idempotency == "unique" else None)


def retries_left() -> int:
    """RQ counts down, for failures and for workers that died."""
    current = get_current_job()
    return current.retries_left or 0 if current else 0
