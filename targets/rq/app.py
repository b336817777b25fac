"""The queue and its Redis, configured from the knobs; shared by the producer and the worker."""

import os

from kit import knobs
from redis import Redis
from redis.backoff import ExponentialBackoff
from redis.retry import Retry
from rq import Queue

KNOBS = knobs()
QUEUE = "default"
HANDLER = "handler.handle"


def connected(retries: int, timeout: float) -> Redis:
    """A client; an error is tried again up to `retries` times, at most a second apart."""
    retry = Retry(ExponentialBackoff(base=0.1, cap=1), retries)
    url = os.environ["HARNESS_REDIS"]
    return Redis.from_url(url, retry=retry, socket_timeout=timeout, socket_connect_timeout=3, socket_keepalive=True)


def queue(connection: Redis) -> Queue:
    """The one queue there is."""
    return Queue(QUEUE, connection=connection)
