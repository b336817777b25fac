"""The web application in front of Celery: it publishes jobs, and reads from Redis what became of them."""

from typing import Any

from app import TASK, application
from once import create_table
from publishing import ERRORS, answered, refused
from serve import acked, rejected, serve
from state import held, state

THREADS = 16

# kombu would look for a dead broker for ever; a web application rather tells its user.
app = application(max_retries=0)
app.conf.broker_pool_limit = THREADS


def enqueue(jobs: list[dict[str, Any]]) -> list[dict[str, str]]:
    """Publish each job; once the connection is broken, the rest of the batch is not sent."""
    results: list[dict[str, str]] = []
    for job in jobs:
        try:
            publish(job)
            results.append(acked(job))
        except ERRORS as error:
            results.append(refused(job, error))
            if not answered(error):
                break
    return results + [
        rejected(job, ConnectionError("not sent: the connection broke before")) for job in jobs[len(results) :]
    ]


def publish(job: dict[str, Any]) -> None:
    """Returns when Redis has answered the LPUSH; raises one of ERRORS."""
    app.send_task(TASK, (job,), retry=False)


if __name__ == "__main__":
    create_table()
    serve(enqueue, state, held, threads=THREADS)
