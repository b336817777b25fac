"""What Celery still holds, read from Redis: the queue's lists, the messages delivered and not acknowledged, and
the dead letters."""

import base64
import json
from datetime import UTC, datetime
from typing import Any

from letters import FILED
from once import connected_redis

QUEUES = ["celery", *(f"celery\x06\x16{priority}" for priority in (3, 6, 9))]
UNACKED = "unacked"


def state() -> dict[str, int]:
    """Counts; a message with an ETA still to come is delayed, and counts as queued until a worker has fetched it."""
    pipe = connected_redis().pipeline(transaction=True)
    for queue in QUEUES:
        pipe.llen(queue)
    *lengths, unacked, dead = pipe.hvals(UNACKED).hlen(FILED).execute()
    places = [_where(_unacked(value)) for value in unacked]
    return {
        "queued": sum(lengths),
        "active": places.count("active"),
        "delayed": places.count("delayed"),
        "dead": dead,
    }


def held() -> list[dict[str, str]]:
    """Every message, by the key of its job."""
    pipe = connected_redis().pipeline(transaction=True)
    for queue in QUEUES:
        pipe.lrange(queue, 0, -1)
    *lists, unacked, dead = pipe.hvals(UNACKED).hvals(FILED).execute()
    queued = [{"key": _key(json.loads(value)), "where": "queued"} for values in lists for value in values]
    messages = [_unacked(value) for value in unacked]
    taken = [{"key": _key(message), "where": _where(message)} for message in messages]
    return queued + taken + [{"key": json.loads(value)["key"], "where": "dead"} for value in dead]


def _unacked(value: bytes) -> Any:
    message, _exchange, _routing_key = json.loads(value)
    return message


def _where(message: Any) -> str:
    eta = message["headers"]["eta"]
    return "delayed" if eta and datetime.fromisoformat(eta).astimezone(UTC) > datetime.now(UTC) else "active"


def _key(message: Any) -> str:
    """The key of the job, which is the task's first argument."""
    arguments, _options, _embedded = json.loads(base64.b64decode(message["body"]))
    key: str = arguments[0]["key"]
    return key
