"""The broker, configured from the knobs; shared by the producer and the worker."""

import os
from typing import Any

from dramatiq import Message
from dramatiq.brokers.redis import RedisBroker
from dramatiq.middleware import CurrentMessage, Retries
from dramatiq.results import Results
from dramatiq.results.backends.redis import RedisBackend
from kit import knobs
from notes import Notes
from redis import Redis
from redis.backoff import ExponentialBackoff
from redis.retry import Retry

KNOBS = knobs()
QUEUE = "default"
ACTOR = "handle"


def application(retries: int, timeout: float) -> RedisBroker:
    """The broker; a command that Redis did not answer is tried again up to `retries` times, at most a second apart."""
    client = Redis.from_url(
        os.environ["HARNESS_REDIS"],
        retry=Retry(ExponentialBackoff(base=0.1, cap=1), retries),
        socket_timeout=timeout or None,
        socket_connect_timeout=timeout or None,
        socket_keepalive=True,
    )
    broker = RedisBroker(
        client=client,
        heartbeat_timeout=milliseconds(KNOBS.heartbeat_timeout),
        maintenance_chance=KNOBS.maintenance_chance,
        dead_message_ttl=milliseconds(KNOBS.dead_message_ttl),
    )
    broker.add_middleware(CurrentMessage())
    if KNOBS.note_errors:
        broker.add_middleware(Notes(), before=Retries)
    if KNOBS.store_results:
        backend = RedisBackend(client=client)
        broker.add_middleware(Results(backend=backend, store_results=True, result_ttl=milliseconds(KNOBS.result_ttl)))
    return broker


def message_of(job: dict[str, Any]) -> Message[None]:
    """The message that asks for a job."""
    return Message(queue_name=QUEUE, actor_name=ACTOR, args=(job,), kwargs={}, options={})


def requested(message: Message[None]) -> dict[str, Any]:
    """The job that a message asks for, which is the actor's argument."""
    job: dict[str, Any] = message.args[0]
    return job


def milliseconds(seconds: float) -> int:
    """As Dramatiq counts."""
    return round(seconds * 1000)
