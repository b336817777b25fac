"""What an error of redis-py says about a job that was being enqueued: Redis has not got it, or nobody knows."""

from typing import Any

import redis
from serve import rejected, unknown

ERRORS = (redis.RedisError, OSError)


def refused(job: dict[str, Any], error: BaseException) -> dict[str, str]:
    """The result for a job whose enqueueing ended in this error."""
    return rejected(job, error) if answered(error) or never_sent(error) else unknown(job, error)


def answered(error: BaseException) -> bool:
    """Redis read the command and refused it: out of memory, read-only, still loading."""
    return isinstance(_raised(error), redis.ResponseError | redis.BusyLoadingError)


def never_sent(error: BaseException) -> bool:
    """There was no connection to send on; redis-py tells this apart only by its message."""
    raised = _raised(error)
    return isinstance(raised, redis.ConnectionError | redis.TimeoutError) and "connecting to" in str(raised)


def _raised(error: BaseException) -> BaseException:
    """What redis-py raised, also where a library has wrapped it."""
    return error.__cause__ if error.__cause__ and not isinstance(error, ERRORS) else error
