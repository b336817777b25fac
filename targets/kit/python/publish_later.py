"""Enqueueing that nobody waits for: the answer is `acked` before the queue has heard of the job."""

import asyncio
import sys
import traceback
from collections.abc import Awaitable, Callable
from typing import Any

Enqueue = Callable[[list[dict[str, Any]]], Awaitable[list[dict[str, str]]]]


def in_background(enqueue: Enqueue) -> Enqueue:
    """Enqueue once, afterwards; what comes of it is only printed."""
    running: set[asyncio.Task[None]] = set()  # the loop itself keeps no task alive

    async def attempt(jobs: list[dict[str, Any]]) -> None:
        try:
            lost = [result for result in await enqueue(jobs) if result["outcome"] != "acked"]
        except Exception:
            traceback.print_exc(file=sys.stderr)
        else:
            for result in lost:
                print(f"{result['key']} was {result['outcome']}: {result['why']}", file=sys.stderr)

    async def answer(jobs: list[dict[str, Any]]) -> list[dict[str, str]]:
        task = asyncio.get_running_loop().create_task(attempt(jobs))
        running.add(task)
        task.add_done_callback(running.discard)
        return [{"key": job["key"], "outcome": "acked"} for job in jobs]

    return answer
