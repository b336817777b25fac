"""What Dramatiq still holds, read from Redis: the messages of its three queues, and which of them nobody fetched."""

import json

from app import QUEUE
from once import connected_redis

MAIN, DELAYED, DEAD = f"dramatiq:{QUEUE}", f"dramatiq:{QUEUE}.DQ", f"dramatiq:{QUEUE}.XQ"


def state() -> dict[str, int]:
    """Counts; a message that is in no list has been fetched, and not yet acknowledged."""
    pipe = connected_redis().pipeline(transaction=True)
    pipe.llen(MAIN)
    pipe.hlen(f"{MAIN}.msgs")
    pipe.hlen(f"{DELAYED}.msgs")
    pipe.zcard(DEAD)
    queued, unfinished, delayed, dead = pipe.execute()
    return {"queued": queued, "active": max(unfinished - queued, 0), "delayed": delayed, "dead": dead}


def held() -> list[dict[str, str]]:
    """Every message, by the key of its job."""
    pipe = connected_redis().pipeline(transaction=True)
    pipe.lrange(MAIN, 0, -1)
    pipe.hgetall(f"{MAIN}.msgs")
    pipe.hvals(f"{DELAYED}.msgs")
    pipe.hvals(f"{DEAD}.msgs")
    waiting, unfinished, delayed, dead = pipe.execute()
    queued = set(waiting)
    places = [(message, "queued" if name in queued else "active") for name, message in unfinished.items()]
    places += [(message, "delayed") for message in delayed] + [(message, "dead") for message in dead]
    return [{"key": _key(message), "where": where} for message, where in places]


def _key(message: bytes) -> str:
    """The key of the job, which is the actor's argument."""
    key: str = json.loads(message)["args"][0]["key"]
    return key
