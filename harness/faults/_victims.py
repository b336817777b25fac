"""Catches the workers that a fault hits: the one concerned, or ones that have a job in hand.

A worker is stopped before it is looked at, so that its job cannot end between the look and the blow. One that another
fault has stopped is left alone.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from harness.fault import Missed, Moment
from harness.substrate.process import send, stands_still, stopped

if TYPE_CHECKING:
    from harness.live import Open
    from harness.system import System, Worker


class Caught(msgspec.Struct, frozen=True):
    """A worker that stands still: its processes, main first, and what it has in hand."""

    worker: Worker
    pids: list[int]
    runs: list[Open]
    keys: list[str]

    def strike(self, pids: list[int], number: signal.Signals) -> None:
        """Signal some of its processes, and let the others go on.

        The others first: the kernel hangs up on whoever is still stopped when its group loses its last parent. Then
        from the leaves up, so that nobody sees a child die.
        """
        send([pid for pid in self.pids if pid not in pids], signal.SIGCONT)
        send(pids[::-1], number)
        send(pids[::-1], signal.SIGCONT)

    def release(self) -> None:
        """Let all of it go on."""
        send(self.pids, signal.SIGCONT)


async def catch(system: System, moment: Moment, count: int, patience: float) -> list[Caught]:
    """`count` workers that stand still with a job in hand, the one of the moment first; waits for them to get one, and
    misses if they do not."""
    try:
        async with asyncio.timeout(patience):
            while True:
                if caught := await _attempt(system, moment, count):
                    return caught
                await asyncio.sleep(0.002)
    except TimeoutError:
        raise Missed(
            f"no {count} worker(s) had a job in hand within {patience:g} s; there was nothing to break"
        ) from None


async def until(true: Callable[[], bool], patience: float) -> bool:
    """Whether it came true in time."""
    try:
        async with asyncio.timeout(patience):
            while not true():
                await asyncio.sleep(0.002)
    except TimeoutError:
        return False
    return True


async def _attempt(system: System, moment: Moment, count: int) -> list[Caught]:
    """All of them with a job in hand, or nobody: who had none goes on as if nothing had been."""
    busy = _busy(system, moment)
    if moment.worker and moment.worker not in [worker.name for worker in busy]:
        raise Missed(_why_not(system, moment))
    if len(busy) < count:
        return []
    first = [worker for worker in busy if worker.name == moment.worker]
    others = [worker for worker in busy if worker not in first]
    chosen = (first + system.random.sample(others, len(others)))[:count]
    caught: list[Caught] = []
    try:
        for worker in chosen:
            if _held(worker):  # by another fault, since we looked
                break
            caught.append(await _stop(system, moment, worker))
    except BaseException:
        _release(caught)
        raise
    if len(caught) < count or not all(one.keys for one in caught):
        _release(caught)
        return []
    return caught


async def _stop(system: System, moment: Moment, worker: Worker) -> Caught:
    assert worker.process is not None
    pids, tree = list[int](), [worker.process.pid]  # first the one that is known: to look for the others takes time
    try:
        while tree != pids:  # a child may be born until its parent stands still
            pids = tree
            send(pids, signal.SIGSTOP)
            while not all(map(stands_still, pids)):
                await asyncio.sleep(0.0005)
            tree = worker.process.tree()
    except BaseException:
        send(pids, signal.SIGCONT)
        raise
    system.live.pump()
    runs = system.live.in_flight(pids=set(pids))
    return Caught(worker, pids, runs, sorted({run.key for run in runs} | moment.in_hand(worker.name)))


def _release(caught: list[Caught]) -> None:
    for one in caught:
        one.release()


def _busy(system: System, moment: Moment) -> list[Worker]:
    system.live.pump()
    return [
        worker
        for worker in system.workers.values()
        if worker.process is not None
        and worker.process.alive
        and not _held(worker)
        and (moment.in_hand(worker.name) or system.live.in_flight(worker.name))
    ]


def _held(worker: Worker) -> bool:
    """Whether it stands still already: another fault holds it, which would end if this one let go of it."""
    return worker.process is not None and stopped(worker.process.pid)


def _why_not(system: System, moment: Moment) -> str:
    if _held(system.workers[moment.worker]):
        return f"{moment.worker} stands still already: another fault holds it"
    return f"{moment.worker} had ended {moment.key} before it could be stopped"
