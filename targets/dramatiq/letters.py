"""Dramatiq's dead letters: the queue's XQ. It has no command to read or replay them, so they are moved by hand."""

import json
from typing import Any

import dead_letters
from app import application, message_of, requested
from dramatiq import Message
from notes import NOTES
from once import connected_redis
from state import DEAD

broker = application(retries=0, timeout=3)


def letters() -> list[dict[str, Any]]:
    """Every dead message; what its last error was is known where that has been noted."""
    pipe = connected_redis().pipeline(transaction=True)
    pipe.zrange(DEAD, 0, -1, withscores=True)
    pipe.hgetall(f"{DEAD}.msgs")
    pipe.hgetall(NOTES)
    died, messages, notes = pipe.execute()
    return [_letter(id, at / 1000, messages[id], notes.get(id)) for id, at in died if id in messages]


def _letter(id: bytes, died: float, message: bytes, note: bytes | None) -> dict[str, Any]:
    dead = Message.decode(message)
    attempts = dead.options.get("retries", 0) + 1
    noted = json.loads(note) if note else {}
    job = requested(dead)
    return dead_letters.letter(id.decode(), job["key"], payload=job, attempts=attempts, died=died, **noted)


def replay(id: str) -> bool:
    """Enqueue its job anew; the letter goes when the message is there."""
    message = connected_redis().hget(f"{DEAD}.msgs", id)
    if message is None:
        return False
    broker.enqueue(message_of(requested(Message.decode(message))))
    return discard(id)


def discard(id: str) -> bool:
    """Forget a dead message."""
    pipe = connected_redis().pipeline(transaction=True)
    pipe.zrem(DEAD, id)
    pipe.hdel(f"{DEAD}.msgs", id)
    pipe.hdel(NOTES, id)
    return bool(pipe.execute()[0])
