"""The producer of the memory target: it holds the queue, and workers come to it for jobs."""

from typing import Any

from kit import knobs
from queue_of_jobs import Queue
from serve import acked, serve

queue = Queue(knobs())


async def enqueue(jobs: list[dict[str, Any]]) -> list[dict[str, str]]:
    """Memory takes every job."""
    for job in jobs:
        queue.put(job)
    return [acked(job) for job in jobs]


async def state() -> dict[str, int]:
    """What the queue holds, counted."""
    return queue.state()


async def held() -> list[dict[str, str]]:
    """What the queue holds, by name."""
    return queue.held()


async def take(body: dict[str, Any]) -> dict[str, Any]:
    """A job for a worker, as soon as there is one."""
    return {"job": await queue.take(body["wait"])}


async def finish(body: dict[str, Any]) -> dict[str, bool]:
    """A worker has ended a job."""
    return {"known": queue.finish(body["job"]["ticket"], body["job"], body["outcome"])}


async def claim(body: dict[str, Any]) -> dict[str, bool]:
    """A worker asks to be the only one to do the job's effect."""
    return {"first": queue.claim(body["key"])}


async def release(body: dict[str, Any]) -> dict[str, bool]:
    """A worker gives up its claim."""
    queue.release(body["key"])
    return {}


if __name__ == "__main__":
    serve(
        enqueue,
        state,
        held,
        routes={"POST /take": take, "POST /finish": finish, "POST /claim": claim, "POST /release": release},
    )
