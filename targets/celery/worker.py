"""A real Celery worker with one task; SIGTERM finishes what runs and gives back the rest (a warm shutdown)."""

import os
import sys
from typing import Any

from kit import knobs

# Read when Celery is imported. Unset and not `SIGTERM`: with any value at all, pool processes ignore SIGTERM.
if knobs().remap_sigterm != "SIGTERM":
    os.environ["REMAP_SIGTERM"] = knobs().remap_sigterm

from app import KNOBS, TASK, application
from celery import Task
from celery.signals import worker_ready
from celery.utils.time import get_exponential_backoff_interval
from handling import Handler
from letters import file

handler = Handler(KNOBS)
app = application(results=KNOBS.results)


class Filed(Task):  # type: ignore[misc]
    """A task that is filed as a dead letter when it has failed; its message is acknowledged afterwards."""

    def on_failure(self, exc: Exception, task_id: str, args: Any, kwargs: Any, einfo: Any) -> None:
        """It will not be tried again."""
        file(task_id, args[0], self.request.retries + 1, exc)


# Celery counts retries only: a job that is delivered again after a crash has the attempt number that it had before.
@app.task(
    bind=True,
    base=Filed,
    name=TASK,
    autoretry_for=(Exception,) if KNOBS.max_retries else (),
    dont_autoretry_for=handler.hopeless,
    max_retries=KNOBS.max_retries,
    retry_backoff=KNOBS.retry_backoff,
    retry_backoff_max=KNOBS.retry_backoff_max,
    retry_jitter=KNOBS.retry_jitter,
    default_retry_delay=KNOBS.default_retry_delay,
)
def handle(self: Any, job: dict[str, Any]) -> None:
    """Do one attempt of a job; Celery retries it by itself, unless it was told when to."""
    retries = self.request.retries
    try:
        handler(job, retries + 1, last=retries >= KNOBS.max_retries)
    except Exception as error:
        asked = handler.asked(error)
        if asked is None or retries >= KNOBS.max_retries:
            raise
        raise self.retry(exc=error, countdown=max(asked, backoff(retries))) from error


def backoff(retries: int) -> float:
    """What Celery would have waited."""
    if not KNOBS.retry_backoff:
        return float(KNOBS.default_retry_delay)
    longest = int(KNOBS.retry_backoff_max)
    return float(get_exponential_backoff_interval(int(KNOBS.retry_backoff), retries, longest, KNOBS.retry_jitter))


@worker_ready.connect
def ready(**_: Any) -> None:
    """The consumer has begun."""
    handler.attempts.ready()


if __name__ == "__main__":
    name = os.environ["HARNESS_WORKER"]
    quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    app.worker_main(["--quiet", "worker", "--loglevel=INFO", f"--hostname={name}@%h", *quiet, *sys.argv[1:]])
