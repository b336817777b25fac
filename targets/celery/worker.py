"""A real Celery worker with one task; SIGTERM finishes what runs and gives back the rest (a warm shutdown)."""

import os
import sys
import time
from typing import Any

from kit import Attempts, Downstream, knobs

os.environ["REMAP_SIGTERM"] = knobs().remap_sigterm  # read when Celery is imported

from app import KNOBS, TASK, application
from celery.signals import worker_ready
from once import once

attempts = Attempts()
downstream = Downstream(KNOBS.downstream_timeout)
app = application()


# Celery counts retries only: a job that is delivered again after a crash has the attempt number that it had before.
@app.task(
    bind=True,
    name=TASK,
    autoretry_for=(Exception,) if KNOBS.max_retries else (),
    max_retries=KNOBS.max_retries,
    retry_backoff=KNOBS.retry_backoff,
    retry_backoff_max=KNOBS.retry_backoff_max,
    retry_jitter=KNOBS.retry_jitter,
    default_retry_delay=KNOBS.default_retry_delay,
)
def handle(self: Any, job: dict[str, Any]) -> None:
    """Do one job: work, then its effect, once."""
    retries = self.request.retries
    key = job["key"]
    with attempts.run(key, retries + 1, last=retries >= KNOBS.max_retries) as run, once(key, KNOBS) as first:
        if not first:
            run.dedup()
            return
        time.sleep(job.get("work", 0))
        downstream.effect(key, idempotency_key=key if KNOBS.idempotency == "unique" else None)


@worker_ready.connect
def ready(**_: Any) -> None:
    """The consumer has begun."""
    attempts.ready()


if __name__ == "__main__":
    name = os.environ["HARNESS_WORKER"]
    quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    app.worker_main(["--quiet", "worker", "--loglevel=INFO", f"--hostname={name}@%h", *quiet, *sys.argv[1:]])
