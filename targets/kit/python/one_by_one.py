"""Enqueues the jobs of a request one after the other into Redis, and says what became of each."""

from collections.abc import Callable
from typing import Any

from redis_errors import ERRORS, answered, refused
from serve import acked, rejected

Job = dict[str, Any]


def one_by_one(publish: Callable[[Job], None]) -> Callable[[list[Job]], list[dict[str, str]]]:
    """The `enqueue` of a producer, made from a function that returns when Redis has the job; once the connection is
    broken, the rest of the batch is not sent."""

    def enqueue(jobs: list[Job]) -> list[dict[str, str]]:
        results: list[dict[str, str]] = []
        for job in jobs:
            try:
                publish(job)
                results.append(acked(job))
            except ERRORS as error:
                results.append(refused(job, error))
                if not answered(error):
                    break
        unsent = ConnectionError("not sent: the connection broke before")
        return results + [rejected(job, unsent) for job in jobs[len(results) :]]

    return enqueue
