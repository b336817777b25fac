"""The web application in front of Dramatiq: it enqueues jobs, and reads from Redis what became of them."""

from typing import Any

from app import ACTOR, KNOBS, QUEUE, application
from dramatiq import Message
from once import create_table
from one_by_one import one_by_one
from serve import serve
from state import held, state

broker = application(retries=0, timeout=3)


def publish(job: dict[str, Any]) -> None:
    """Returns when Redis has the message."""
    broker.enqueue(Message(queue_name=QUEUE, actor_name=ACTOR, args=(job,), kwargs={}, options={}))


if __name__ == "__main__":
    if KNOBS.idempotency == "unique":
        create_table()
    serve(one_by_one(publish), state, held)
