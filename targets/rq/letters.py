"""RQ's dead letters: its FailedJobRegistry."""

from typing import Any

import dead_letters
from app import KNOBS, QUEUE, connected
from ids import key_of
from retrying import waits
from rq.exceptions import InvalidJobOperation, NoSuchJobError
from rq.job import Job
from rq.registry import FailedJobRegistry

connection = connected(retries=0, timeout=3)
registry = FailedJobRegistry(QUEUE, connection=connection)


def letters() -> list[dict[str, Any]]:
    """Every failed job that RQ still has the data of."""
    ids = registry.get_job_ids(cleanup=False)
    return [letter(job) for job in Job.fetch_many(ids, connection) if job is not None]


def letter(job: Job) -> dict[str, Any]:
    """What the exception handler noted in its meta; of a death that no handler saw, what RQ wrote down."""
    result, meta = job.latest_result(), job.meta
    written = result.exc_string if result else None
    died = result.created_at.timestamp() if result else None
    kept = {"attempts": None, "error": None, "message": written, "died": died, **meta}
    return dead_letters.letter(job.id, key_of(job.id), payload=job.args[0], **kept)


def replay(id: str) -> bool:
    """Requeue it, with all its retries."""
    try:
        job = Job.fetch(id, connection)
        job.meta.clear()
        if KNOBS.retry_max:
            job.retries_left, job.retry_intervals = KNOBS.retry_max, waits(KNOBS)
        registry.requeue(job)
    except (NoSuchJobError, InvalidJobOperation):
        return False
    return True


def discard(id: str) -> bool:
    """Delete it."""
    try:
        return bool(registry.remove(id, delete_job=True))
    except NoSuchJobError:
        return False
