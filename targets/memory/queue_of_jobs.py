"""A job queue in memory: jobs are ready, leased, delayed or dead."""

import asyncio
import itertools
import random
from collections import deque
from types import SimpleNamespace
from typing import Any

Job = dict[str, Any]


class Queue:
    """Everything happens in one event loop, so nothing is locked."""

    def __init__(self, knobs: SimpleNamespace) -> None:
        self._knobs = knobs
        self._tickets = itertools.count(1)
        self._ready: deque[Job] = deque()
        self._takers: deque[asyncio.Future[Job]] = deque()
        self._leased: dict[int, tuple[Job, asyncio.TimerHandle]] = {}
        self._delayed: dict[int, Job] = {}
        self._dead: list[Job] = []
        self._seen: set[str] = set()

    def put(self, job: Job) -> None:
        """Hand the job to a waiting worker, or keep it ready."""
        while self._takers:
            taker = self._takers.popleft()
            if not taker.done():
                taker.set_result(job)
                return
        self._ready.append(job)

    async def take(self, wait: float) -> Job | None:
        """The next job with its `ticket` and `attempt`, or None if there was none for `wait` seconds."""
        if self._ready:
            return self._lease(self._ready.popleft())
        taker: asyncio.Future[Job] = asyncio.get_running_loop().create_future()
        self._takers.append(taker)
        try:
            await asyncio.wait([taker], timeout=wait)
        except asyncio.CancelledError:
            if taker.done() and not taker.cancelled():
                self.put(taker.result())
            raise
        finally:
            taker.cancel()
        return None if taker.cancelled() else self._lease(taker.result())

    def finish(self, ticket: int, job: Job, outcome: str) -> bool:
        """A worker's last word on a job; False, and nothing is done, if its lease had ended."""
        leased = self._leased.pop(ticket, None)
        if leased is None and self._knobs.ack == "late":
            return False
        if leased is not None:
            leased[1].cancel()
        if outcome == "failed":
            self._delay(job)
        elif outcome == "dead":
            self._dead.append(job)
        return True

    def claim(self, key: str) -> bool:
        """True for the first to claim the key."""
        first = key not in self._seen
        self._seen.add(key)
        return first

    def release(self, key: str) -> None:
        """The claim is void: the attempt failed."""
        self._seen.discard(key)

    def state(self) -> dict[str, int]:
        """How many jobs there are of each kind."""
        return {
            "queued": len(self._ready),
            "active": len(self._leased),
            "delayed": len(self._delayed),
            "dead": len(self._dead),
        }

    def held(self) -> list[dict[str, str]]:
        """Every job that is not done."""
        active = [job for job, _ in self._leased.values()]
        places = {"queued": self._ready, "active": active, "delayed": self._delayed.values(), "dead": self._dead}
        return [{"key": job["key"], "where": where} for where, jobs in places.items() for job in jobs]

    def _lease(self, job: Job) -> Job:
        ticket = next(self._tickets)
        job = {**job, "attempt": job.get("attempt", 0) + 1, "ticket": ticket}
        if self._knobs.ack == "late":
            timer = asyncio.get_running_loop().call_later(self._knobs.lease, self._expire, ticket)
            self._leased[ticket] = job, timer
        return job

    def _expire(self, ticket: int) -> None:
        job, _ = self._leased.pop(ticket)
        self.put(job)

    def _delay(self, job: Job) -> None:
        wait = min(self._knobs.backoff_max, self._knobs.backoff * 2 ** (job["attempt"] - 1))
        wait *= random.random() if self._knobs.jitter == "full" else 1
        ticket = next(self._tickets)
        self._delayed[ticket] = job
        asyncio.get_running_loop().call_later(wait, lambda: self.put(self._delayed.pop(ticket)))
