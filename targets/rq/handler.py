"""The function that RQ runs for each job, and what it does when that has failed."""

from typing import Any

from app import KNOBS
from attempts import SharedAttempts
from handling import Handler
from retrying import postpone
from rq import get_current_job
from rq.job import Job

handler = Handler(KNOBS, SharedAttempts())


def handle(job: dict[str, Any]) -> None:
    """Do one attempt of a job."""
    current = get_current_job()
    assert current is not None
    handler(job, attempt(current), last=not current.should_retry)


def attempt(job: Job) -> int:
    """Which attempt it is at: RQ counts down, for failures and for workers that died."""
    return KNOBS.retry_max - (job.retries_left or 0) + 1


def after_failure(job: Job, kind: type[BaseException], error: BaseException, _traceback: Any) -> None:
    """An exception handler, which RQ calls before it decides what becomes of the job."""
    attempts = attempt(job)
    if isinstance(error, handler.hopeless):
        job.retries_left = 0  # RQ has no error that ends a job
    asked = handler.asked(error)
    if not job.should_retry:
        job.meta.update(attempts=attempts, error=kind.__name__, message=str(error))
        job.save_meta()
    elif asked is not None:
        postpone(job, asked)
