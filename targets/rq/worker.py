"""A real RQ worker: it forks a work horse for each job, and a scheduler; SIGTERM lets the horse finish."""

import os
from typing import Any
from uuid import uuid4

import rq.worker
from app import KNOBS, connected, queue
from handler import after_failure, handler
from parent import die_with
from rq.job import Job
from scheduler import Scheduler

RQ_GRACE = 60  # seconds that RQ adds to job_monitoring_interval


class Tuned(getattr(rq.worker, KNOBS.worker_class)):  # type: ignore[misc]
    """What RQ has no option for and leaves to a subclass."""

    def bootstrap(self, *arguments: Any, **options: Any) -> None:
        """Register; then the loop begins that takes jobs."""
        super().bootstrap(*arguments, **options)
        handler.attempts.ready()

    def get_heartbeat_ttl(self, job: Job) -> int:
        """How long a job is this worker's without a sign of life."""
        ttl: int = super().get_heartbeat_ttl(job)
        return ttl - RQ_GRACE + int(KNOBS.heartbeat_grace)

    def main_work_horse(self, *arguments: Any) -> None:
        """The whole life of a work horse."""
        if KNOBS.die_with_parent:
            die_with(self.pid)
        super().main_work_horse(*arguments)

    def _start_scheduler(self, *_: Any, **__: Any) -> None:
        interval = int(KNOBS.scheduler_interval)
        self.scheduler = Scheduler(self.queues, connection=self.connection, interval=interval)
        self.scheduler.parent = self.pid
        if self.scheduler.acquire_locks():
            self.scheduler.start()

    def _install_signal_handlers(self) -> None:
        if KNOBS.handle_sigterm:
            super()._install_signal_handlers()


if __name__ == "__main__":
    redis = connected(KNOBS.redis_retries, timeout=5)
    worker = Tuned(
        [queue(redis)],
        name=f"{os.environ['HARNESS_WORKER']}-{uuid4().hex[:8]}",
        connection=redis,
        worker_ttl=int(KNOBS.worker_ttl),
        job_monitoring_interval=int(KNOBS.job_monitoring_interval),
        maintenance_interval=int(KNOBS.maintenance_interval),
        exception_handlers=[after_failure],
        disable_default_exception_handler=KNOBS.disable_default_exception_handler,
    )
    worker.work(with_scheduler=KNOBS.with_scheduler)
