"""Chooses the workers that a fault hits: the one concerned, or ones that have a job in hand."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from harness.fault import Missed, Moment

if TYPE_CHECKING:
    from harness.system import System, Worker


async def choose(system: System, moment: Moment, count: int, patience: float) -> list[Worker]:
    """`count` workers that have a job in hand now, the one of the moment first; waits for them to get one, and
    misses if they do not."""
    try:
        async with asyncio.timeout(patience):
            while len(busy := _busy(system, moment)) < count:
                await asyncio.sleep(0.002)
    except TimeoutError:
        raise Missed(
            f"no {count} worker(s) had a job in hand within {patience:g} s; there was nothing to break"
        ) from None
    first = [worker for worker in busy if worker.name == moment.worker]
    others = [worker for worker in busy if worker not in first]
    return (first + system.random.sample(others, len(others)))[:count]


def _busy(system: System, moment: Moment) -> list[Worker]:
    system.live.pump()
    return [
        worker
        for worker in system.workers.values()
        if worker.process is not None
        and worker.process.alive
        and (worker.name == moment.worker or system.live.in_flight(worker.name))
    ]
