"""A real Dramatiq worker with one actor; SIGTERM finishes what runs and gives back the rest."""

import os
import signal
import threading
from datetime import UTC, datetime
from typing import Any

from kit import concurrency, knobs

os.environ.update(  # read when Dramatiq is imported
    dramatiq_restart_delay=str(round(knobs().restart_delay * 1000)),
    dramatiq_queue_prefetch=str(knobs().queue_prefetch),
    dramatiq_delay_queue_prefetch=str(knobs().delay_queue_prefetch),
)

import dramatiq
from app import ACTOR, KNOBS, QUEUE, application, milliseconds
from dramatiq.common import compute_backoff
from dramatiq.middleware import CurrentMessage
from handling import Handler

handler = Handler(KNOBS)
broker = application(KNOBS.redis_retries, KNOBS.socket_timeout)


@dramatiq.actor(
    broker=broker,
    actor_name=ACTOR,
    queue_name=QUEUE,
    max_retries=KNOBS.max_retries,
    min_backoff=milliseconds(KNOBS.min_backoff),
    max_backoff=milliseconds(KNOBS.max_backoff),
    time_limit=milliseconds(KNOBS.time_limit),
    notify_shutdown=KNOBS.notify_shutdown,
    throws=handler.hopeless,
)
def handle(job: dict[str, Any]) -> dict[str, Any] | None:
    """Do one attempt of a job; Dramatiq retries it by itself, unless it is told when to."""
    try:
        handler(job, retries() + 1, last=retries() >= KNOBS.max_retries)
    except handler.hopeless:
        raise
    except Exception as error:
        if delay := wait(error):
            raise dramatiq.Retry(str(error), delay=delay) from error
        raise
    return receipt(job) if KNOBS.store_results else None


def receipt(job: dict[str, Any]) -> dict[str, Any]:
    """What was done, by whom, where and when: such as an application returns, and nobody reads."""
    names = ("HARNESS_RUN", "HARNESS_WORKER", "HARNESS_DOWNSTREAM")
    done = datetime.now(UTC).isoformat()
    return {"job": job, "attempt": retries() + 1, "done": done, **{name: os.environ[name] for name in names}}


def wait(error: Exception) -> int:
    """Milliseconds that the knobs or the provider ask for; 0 where Dramatiq is to decide."""
    own = milliseconds(KNOBS.retry_delay)
    asked = handler.asked(error)
    if asked is None:
        return own
    _, backoff = compute_backoff(
        retries(), factor=milliseconds(KNOBS.min_backoff), max_backoff=milliseconds(KNOBS.max_backoff)
    )
    return max(milliseconds(asked), own or backoff)


def retries() -> int:
    """Dramatiq counts failures only: a job that is delivered again after a crash has the number that it had before."""
    message = CurrentMessage.get_current_message()
    return int(message.options.get("retries", 0)) if message else 0


def main() -> None:
    """What the `dramatiq` command does in each of its processes."""
    stop = threading.Event()
    if KNOBS.handle_sigterm:
        signal.signal(signal.SIGTERM, lambda *_: stop.set())
    worker = dramatiq.Worker(broker, worker_timeout=milliseconds(KNOBS.worker_timeout), worker_threads=concurrency())
    broker.emit_after("process_boot")
    worker.start()
    broker.do_qsize(QUEUE)  # raises unless Redis answers
    handler.attempts.ready()
    stop.wait()
    worker.stop(timeout=milliseconds(KNOBS.worker_shutdown_timeout))


if __name__ == "__main__":
    main()
