"""Dead letters, which Celery has not got with Redis: a hash there, where a task that has failed files its job."""

import json
import os
import time
from typing import Any

from app import KNOBS
from dead_letters import letter
from once import connected_redis
from redis import Redis
from redis.backoff import ExponentialBackoff
from redis.retry import Retry

FILED = "dead_letters"


def file(id: str, job: dict[str, Any], attempts: int, error: BaseException) -> None:
    """Keep of the job what the knob says; while Redis is away, try for as long as a retry is."""
    if KNOBS.dead_letters == "none":
        return
    kept: dict[str, Any] = {}
    if KNOBS.dead_letters == "whole":
        kept = {"payload": job, "attempts": attempts, "error": type(error).__name__, "message": str(error)}
        kept["died"] = time.time()
    retry = Retry(ExponentialBackoff(cap=1, base=0.2), KNOBS.publish_max_retries)
    with Redis.from_url(os.environ["HARNESS_REDIS"], retry=retry, socket_timeout=3, socket_connect_timeout=3) as redis:
        redis.hset(FILED, id, json.dumps(letter(id, job["key"], **kept)))


def letters() -> list[dict[str, Any]]:
    """Every job that was filed."""
    return [json.loads(value) for value in connected_redis().hvals(FILED)]


def find(id: str) -> dict[str, Any] | None:
    """The job of a dead letter, as far as it was kept."""
    value = connected_redis().hget(FILED, id)
    filed = json.loads(value) if value else {}
    return filed.get("payload", {"key": filed["key"]}) if filed else None


def discard(id: str) -> bool:
    """Forget a dead letter."""
    return bool(connected_redis().hdel(FILED, id))
