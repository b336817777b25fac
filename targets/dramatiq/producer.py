"""The web application in front of Dramatiq: it enqueues jobs, and reads from Redis what became of them."""

from typing import Any

from app import KNOBS, application, message_of, milliseconds
from dead_letters import Letters
from letters import discard, letters, replay
from once import create_table
from one_by_one import one_by_one
from serve import serve
from state import held, state

broker = application(KNOBS.producer_retries, timeout=3)


def publish(job: dict[str, Any]) -> None:
    """Returns when Redis has the message."""
    delay = milliseconds(job["delay"]) if job.get("delay") else None
    broker.enqueue(message_of(job), delay=delay)


if __name__ == "__main__":
    if KNOBS.idempotency == "unique":
        create_table()
    serve(one_by_one(publish), state, held, Letters(letters, replay, discard))
