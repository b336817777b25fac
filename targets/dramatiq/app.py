"""The broker, configured from the knobs; shared by the producer and the worker."""

import os

from dramatiq.brokers.redis import RedisBroker
from dramatiq.middleware import CurrentMessage
from kit import knobs
from redis import Redis
from redis.backoff import ExponentialBackoff
from redis.retry import Retry

KNOBS = knobs()
QUEUE = "default"
ACTOR = "handle"


def application(retries: int, timeout: float) -> RedisBroker:
    """The broker; a command that Redis did not answer is tried again up to `retries` times, at most a second apart."""
    broker = RedisBroker(
        client=Redis.from_url(
            os.environ["HARNESS_REDIS"],
            retry=Retry(ExponentialBackoff(base=0.1, cap=1), retries),
            socket_timeout=timeout or None,
            socket_connect_timeout=timeout or None,
            socket_keepalive=True,
        ),
        heartbeat_timeout=milliseconds(KNOBS.heartbeat_timeout),
        maintenance_chance=KNOBS.maintenance_chance,
        dead_message_ttl=milliseconds(KNOBS.dead_message_ttl),
    )
    broker.add_middleware(CurrentMessage())
    return broker


def milliseconds(seconds: float) -> int:
    """As Dramatiq counts."""
    return round(seconds * 1000)
