"""The web application in front of Celery: it publishes jobs, and reads from Redis what became of them."""

from typing import Any

import redis_errors
from app import KNOBS, TASK, application
from dead_letters import Letters
from kombu import Producer
from kombu.exceptions import OperationalError
from letters import discard, find, letters
from once import create_table
from redis_errors import answered, refused
from serve import acked, rejected, serve
from state import held, state

THREADS = 16
ERRORS = (OperationalError, *redis_errors.ERRORS)  # kombu wraps some of them

# kombu would look for a dead broker for ever; a web application rather tells its user.
app = application(**({} if KNOBS.publish_retry else {"max_retries": 0}))
app.conf.broker_pool_limit = THREADS


def enqueue(jobs: list[dict[str, Any]]) -> list[dict[str, str]]:
    """Publish each job over one connection; once that is broken, the rest of the batch is not sent."""
    try:
        with app.producer_pool.acquire(block=True) as producer:
            results = publish(jobs, producer)
    except ERRORS as error:
        # `publish` raises none of these: there was no connection to be had.
        return [rejected(job, error) for job in jobs]
    return results + [
        rejected(job, ConnectionError("not sent: the connection broke before")) for job in jobs[len(results) :]
    ]


def publish(jobs: list[dict[str, Any]], producer: Producer) -> list[dict[str, str]]:
    """What became of each job, up to the one at which the connection broke; acked is one whose LPUSH was answered."""
    results: list[dict[str, str]] = []
    for job in jobs:
        try:
            send(job, job.get("delay"), producer)
            results.append(acked(job))
        except ERRORS as error:
            results.append(refused(job, error))
            if not answered(error):
                break
    return results


def send(job: dict[str, Any], delay: float | None = None, producer: Producer | None = None) -> None:
    """Returns when Redis has the message; where publishing is retried, that may take as long as Redis is away."""
    app.send_task(
        TASK,
        (job,),
        countdown=delay,
        retry=KNOBS.publish_retry,
        retry_policy={"max_retries": None} if KNOBS.publish_retry else None,
        producer=producer,
    )


def replay(id: str) -> bool:
    """Send a dead letter's job once more; the letter goes when the message is there."""
    job = find(id)
    if job is None:
        return False
    send(job)
    return discard(id)


if __name__ == "__main__":
    if KNOBS.idempotency == "unique":
        create_table()
    serve(enqueue, state, held, Letters(letters, replay, discard), threads=THREADS)
