"""What an error while publishing says about the job: Redis has not got it, or nobody knows."""

from typing import Any

import kombu.exceptions
import redis
from serve import rejected, unknown

ERRORS = (kombu.exceptions.OperationalError, redis.RedisError, OSError)


def refused(job: dict[str, Any], error: BaseException) -> dict[str, str]:
    """The result for a job whose publishing ended in this error."""
    return rejected(job, error) if answered(error) or never_sent(error) else unknown(job, error)


def answered(error: BaseException) -> bool:
    """Redis read the command and refused it: out of memory, read-only, still loading."""
    return isinstance(_cause(error), redis.ResponseError | redis.BusyLoadingError)


def never_sent(error: BaseException) -> bool:
    """There was no connection to send on; redis-py tells this apart only by its message."""
    cause = _cause(error)
    return isinstance(cause, redis.ConnectionError | redis.TimeoutError) and "connecting to" in str(cause)


def _cause(error: BaseException) -> BaseException:
    """kombu wraps what redis-py raised."""
    return error.__cause__ if isinstance(error, kombu.exceptions.OperationalError) and error.__cause__ else error
