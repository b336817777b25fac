"""The producer of the memory target: it holds the queue, and workers come to it for jobs."""

from typing import Any

from dead_letters import Letters
from kit import knobs
from queue_of_jobs import Queue
from serve import acked, serve

queue = Queue(knobs())


async def enqueue(jobs: list[dict[str, Any]]) -> list[dict[str, str]]:
    """Memory takes every job."""
    for job in jobs:
        queue.enqueue(job)
    return [acked(job) for job in jobs]


async def state() -> dict[str, int]:
    """What the queue holds, counted."""
    return queue.state()


async def held() -> list[dict[str, str]]:
    """What the queue holds, by name."""
    return queue.held()


async def letters() -> list[dict[str, Any]]:
    """What the queue has given up."""
    return queue.letters()


async def replay(id: str) -> bool:
    """Try a job once more."""
    return queue.replay(id)


async def discard(id: str) -> bool:
    """Forget a job."""
    return queue.discard(id)


async def take(body: dict[str, Any]) -> dict[str, Any]:
    """A job for a worker, as soon as there is one."""
    return {"taken": await queue.take(body["wait"])}


async def finish(body: dict[str, Any]) -> dict[str, bool]:
    """A worker has ended a job."""
    queue.finish(**body)
    return {}


async def extend(body: dict[str, Any]) -> dict[str, bool]:
    """A worker is alive, and has these jobs in hand."""
    queue.extend(body["tickets"])
    return {}


async def claim(body: dict[str, Any]) -> dict[str, bool]:
    """A worker asks to be the only one to do the job's effect."""
    return {"first": queue.claim(body["key"])}


async def release(body: dict[str, Any]) -> dict[str, bool]:
    """A worker gives up its claim."""
    queue.release(body["key"])
    return {}


if __name__ == "__main__":
    routes = {"take": take, "finish": finish, "extend": extend, "claim": claim, "release": release}
    serve(
        enqueue,
        state,
        held,
        Letters(letters, replay, discard),
        routes={f"POST /{name}": route for name, route in routes.items()},
    )
