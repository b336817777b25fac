"""What RQ still holds, read from Redis: the queue, the list of jobs being handed over, and the registries."""

from typing import Any

from app import QUEUE
from ids import key_of
from once import connected_redis

LISTS = {f"rq:queue:{QUEUE}": "queued", f"rq:queue:{QUEUE}:intermediate": "active"}
REGISTRIES = {f"rq:wip:{QUEUE}": "active", f"rq:scheduled:{QUEUE}": "delayed", f"rq:failed:{QUEUE}": "dead"}


def state() -> dict[str, int]:
    """Counts; RQ's own properties of the same names would clean the registries in passing."""
    pipe = connected_redis().pipeline(transaction=True)
    for key in LISTS:
        pipe.llen(key)
    for key in REGISTRIES:
        pipe.zcard(key)
    queued, handed_over, started, delayed, dead = pipe.execute()
    return {"queued": queued, "active": handed_over + started, "delayed": delayed, "dead": dead}


def held() -> list[dict[str, str]]:
    """Every job, by its key, which is its id; one that is being handed over may stand in two places."""
    pipe = connected_redis().pipeline(transaction=True)
    for key in LISTS:
        pipe.lrange(key, 0, -1)
    for key in REGISTRIES:
        pipe.zrange(key, 0, -1)
    places = (LISTS | REGISTRIES).values()
    found = {(_key(member), where) for where, members in zip(places, pipe.execute(), strict=True) for member in members}
    return [{"key": key, "where": where} for key, where in sorted(found)]


def _key(member: Any) -> str:
    """A job's id, or its id and that of its execution."""
    job, _, _ = member.decode().partition(":")
    return key_of(job)
