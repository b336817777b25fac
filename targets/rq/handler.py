"""The function that RQ runs for each job."""

from typing import Any

from app import KNOBS
from attempts import SharedAttempts
from handling import Handler
from rq import get_current_job

handler = Handler(KNOBS, SharedAttempts())


def handle(job: dict[str, Any]) -> None:
    """Do one attempt of a job."""
    left = retries_left()
    handler(job, KNOBS.retry_max - left + 1, last=left == 0)


def retries_left() -> int:
    """RQ counts down, for failures and for workers that died."""
    current = get_current_job()
    return current.retries_left or 0 if current else 0
