"""The web application in front of Celery: it publishes jobs, and reads from Redis what became of them."""

from typing import Any

import kombu.exceptions
import redis
from app import TASK, application
from once import connected_redis, create_table
from serve import acked, rejected, serve, unknown
from state import held, state

THREADS = 16

# kombu would look for a dead broker for ever; a web application rather says so to its user.
app = application(max_retries=0, interval_start=0, interval_step=0, interval_max=0)
app.conf.broker_pool_limit = THREADS


def enqueue(jobs: list[dict[str, Any]]) -> list[dict[str, str]]:
    """Publish each job; after a broken connection the rest of the batch is not sent."""
    results: list[dict[str, str]] = []
    with app.producer_pool.acquire(block=True) as producer:
        for job in jobs:
            try:
                app.send_task(TASK, (job,), producer=producer, retry=False)
                results.append(acked(job))
            except (kombu.exceptions.OperationalError, redis.RedisError, OSError) as error:
                results.append(refused(job, error))
                if not answered(error):
                    break
    return results + [rejected(job, ConnectionError("not sent: the connection broke")) for job in jobs[len(results) :]]
