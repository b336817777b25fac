"""A job queue in memory: jobs are ready, leased, delayed or dead."""

import asyncio
import itertools
import math
import random
import time
from collections import deque
from types import SimpleNamespace
from typing import Any, NamedTuple

from dead_letters import letter

Job = dict[str, Any]


class Entry(NamedTuple):
    """A job as it was offered, its number in the queue, and how often it has been handed out."""

    job: Job
    number: int
    attempts: int = 0


class Lease(NamedTuple):
    """An entry in a worker's hands, and what takes it back; nothing does where a lease never ends."""

    entry: Entry
    timer: asyncio.TimerHandle | None


class Queue:
    """Everything happens in one event loop, so nothing is locked."""

    def __init__(self, knobs: SimpleNamespace) -> None:
        self._knobs = knobs
        self._tickets = itertools.count(1)
        self._ready: deque[Entry] = deque()
        self._takers: deque[asyncio.Future[Entry]] = deque()
        self._leased: dict[int, Lease] = {}
        self._delayed: dict[int, Entry] = {}
        self._dead: dict[str, tuple[Entry, dict[str, Any]]] = {}
        self._known: set[str] = set()
        self._seen: set[str] = set()

    def enqueue(self, job: Job) -> None:
        """Take a job, now or when its `delay` is over; one whose key is known is left out, if keys are unique."""
        if self._knobs.unique and job["key"] in self._known:
            return
        self._known.add(job["key"])
        entry = Entry(job, next(self._tickets))
        if delay := job.get("delay", 0):
            self._put_later(entry, delay)
        else:
            self._put(entry)

    async def take(self, wait: float) -> dict[str, Any] | None:
        """The next job with its `ticket` and `attempt`, or None if there was none for `wait` seconds."""
        if self._ready:
            return self._lease(self._ready.popleft())
        taker: asyncio.Future[Entry] = asyncio.get_running_loop().create_future()
        self._takers.append(taker)
        try:
            await asyncio.wait([taker], timeout=wait)
        except asyncio.CancelledError:
            if taker.done() and not taker.cancelled():
                self._put(taker.result())
            raise
        finally:
            taker.cancel()
        return None if taker.cancelled() else self._lease(taker.result())

    def finish(self, taken: dict[str, Any], outcome: str, error: dict[str, str], after: float) -> None:
        """A worker's last word on a job; after its lease has ended only that it is done counts."""
        entry = Entry(taken["job"], taken["number"], taken["attempt"])
        if not self._end_lease(taken["ticket"]) and self._knobs.ack == "late":
            if outcome == "done":
                self._withdraw(entry.number)
        elif outcome == "failed":
            self._put_later(entry, max(after, self._backoff(entry.attempts)))
        elif outcome == "dead":
            self._bury(entry, error)

    def extend(self, tickets: list[int]) -> None:
        """Their worker is alive: these leases begin anew."""
        for ticket in tickets:
            if (lease := self._leased.get(ticket)) and lease.timer is not None:
                lease.timer.cancel()
                self._leased[ticket] = Lease(lease.entry, self._timer(ticket))

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
        places = {
            "queued": self._ready,
            "active": [lease.entry for lease in self._leased.values()],
            "delayed": self._delayed.values(),
            "dead": [entry for entry, _ in self._dead.values()],
        }
        return [{"key": entry.job["key"], "where": where} for where, entries in places.items() for entry in entries]

    def letters(self) -> list[dict[str, Any]]:
        """Every dead letter."""
        return [letter for _, letter in self._dead.values()]

    def replay(self, id: str) -> bool:
        """Put a dead letter's job back into the queue, as if it were new."""
        if dead := self._dead.pop(id, None):
            self._put(Entry(dead[0].job, next(self._tickets)))
        return dead is not None

    def discard(self, id: str) -> bool:
        """Forget a dead letter."""
        return self._dead.pop(id, None) is not None

    def _put(self, entry: Entry) -> None:
        """Hand the job to a waiting worker, or keep it ready."""
        while self._takers:
            taker = self._takers.popleft()
            if not taker.done():
                taker.set_result(entry)
                return
        self._ready.append(entry)

    def _put_later(self, entry: Entry, wait: float) -> None:
        loop, ticket = asyncio.get_running_loop(), next(self._tickets)
        due, every = loop.time() + wait, self._knobs.looks_every
        self._delayed[ticket] = entry
        look = math.ceil(due / every) * every if every else due
        loop.call_at(look, lambda: self._put(self._delayed.pop(ticket)))

    def _lease(self, entry: Entry) -> dict[str, Any]:
        ticket = next(self._tickets)
        entry = entry._replace(attempts=entry.attempts + 1)
        if self._knobs.ack == "late":
            self._leased[ticket] = Lease(entry, self._timer(ticket))
        return {"job": entry.job, "number": entry.number, "attempt": entry.attempts, "ticket": ticket}

    def _timer(self, ticket: int) -> asyncio.TimerHandle | None:
        lease = self._knobs.lease
        return asyncio.get_running_loop().call_later(lease, self._expire, ticket) if lease else None

    def _end_lease(self, ticket: int) -> bool:
        """Whether there was one."""
        lease = self._leased.pop(ticket, None)
        if lease is not None and lease.timer is not None:
            lease.timer.cancel()
        return lease is not None

    def _expire(self, ticket: int) -> None:
        self._put(self._leased.pop(ticket).entry)

    def _withdraw(self, number: int) -> None:
        """The job is done: whoever was given it meanwhile need not do it again."""
        for ticket in [ticket for ticket, lease in self._leased.items() if lease.entry.number == number]:
            self._end_lease(ticket)
        self._ready = deque(entry for entry in self._ready if entry.number != number)

    def _backoff(self, attempts: int) -> float:
        wait: float = min(self._knobs.backoff_max, self._knobs.backoff * 2 ** min(attempts - 1, 30))
        return wait * random.random() if self._knobs.jitter == "full" else wait

    def _bury(self, entry: Entry, error: dict[str, str]) -> None:
        if self._knobs.dead_letters == "none":
            return
        id, kept = str(next(self._tickets)), {}
        if self._knobs.dead_letters == "whole":
            kept = {"payload": entry.job, "attempts": entry.attempts, "died": time.time(), **error}
        self._dead[id] = entry, letter(id, entry.job["key"], **kept)
