"""How a handler keeps from doing a job's effect twice: the values of the idempotency knob."""

import os
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import SimpleNamespace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import psycopg
    import redis
    from kit import Downstream

CREATE = "CREATE TABLE IF NOT EXISTS done (key text PRIMARY KEY)"
INSERT = "INSERT INTO done (key) VALUES (%s) ON CONFLICT DO NOTHING"
CREATING = 7_265  # any number that nobody else locks
TIMEOUT, STARTING = 3, 30  # a machine that is busy with the start of everything is no reason to give up
mine = threading.local()


def once(key: str, knobs: SimpleNamespace, downstream: "Downstream") -> AbstractContextManager[bool]:
    """A context that gives True to the run which is to do the effect, and remembers it when the context ends well."""
    if knobs.idempotency == "unique":
        return unique(key)
    if knobs.idempotency == "setnx":
        return setnx(key, int(knobs.idempotency_ttl))
    if knobs.idempotency == "reconcile":
        return nullcontext(not (run_before(key, int(knobs.idempotency_ttl)) and downstream.effects(key)))
    return nullcontext(True)


def run_before(key: str, ttl: int) -> bool:
    """Whether the job was run before, as noted in Redis: most systems do not count the runs that died."""
    runs, _ = connected_redis().pipeline().incr(f"runs:{key}").expire(f"runs:{key}", ttl).execute()
    return bool(runs > 1)


@contextmanager
def setnx(key: str, ttl: int) -> Iterator[bool]:
    """The first to set the key in Redis; it is deleted when the attempt fails, and stays when the worker dies."""
    store = connected_redis()
    first = bool(store.set(f"done:{key}", 1, nx=True, ex=ttl))
    try:
        yield first
    except BaseException:  # a time limit or a shutdown may interrupt the handler with something that is no Exception
        if first:
            store.delete(f"done:{key}")
        raise


@contextmanager
def unique(key: str) -> Iterator[bool]:
    """The first to commit a row with the key; a second run waits for the first to commit or to die."""
    connection = connected_postgres()
    with connection.transaction():
        yield connection.execute(INSERT, (key,)).rowcount == 1


def create_table() -> None:
    """Make the table of `unique`; two that do so at once would collide in the catalogue, hence the lock."""
    with connected_postgres(STARTING) as connection, connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (CREATING,))
        connection.execute(CREATE)


def connected_postgres(patience: int = TIMEOUT) -> "psycopg.Connection":
    """The connection of this thread of this process, opened again when it is broken."""
    import psycopg

    connection: psycopg.Connection | None = getattr(mine, "postgres", None)
    if connection is None or connection.closed or mine.pid != os.getpid():
        connection = psycopg.connect(os.environ["HARNESS_POSTGRES"], autocommit=True, connect_timeout=patience)
        mine.postgres, mine.pid = connection, os.getpid()
    return connection


def connected_redis() -> "redis.Redis":
    """A client without retries of its own, which could set a key, lose the answer and then find the key set."""
    import redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    if getattr(mine, "redis", None) is None:
        mine.redis = redis.Redis.from_url(
            os.environ["HARNESS_REDIS"],
            socket_timeout=TIMEOUT,
            socket_connect_timeout=TIMEOUT,
            retry=Retry(NoBackoff(), 0),
        )
    client: redis.Redis = mine.redis
    return client
