"""The history while it is being written: what the display shows, what triggers wait for, when the drain is over."""

from __future__ import annotations

import asyncio
import itertools
import os
from collections import Counter
from collections.abc import Callable

import msgspec

from harness.history.events import (
    Ack,
    Effect,
    Event,
    Finish,
    Offer,
    OfJob,
    OfRun,
    Ready,
    Refuse,
    Reject,
    Replay,
    Run,
    Start,
    Unknown,
)

PACE = 0.005


class Broken(Exception):
    """A program of the target wrote a line that is no event."""


class Open(msgspec.Struct, frozen=True):
    """A run that has begun and not ended."""

    worker: str
    pid: int
    key: str
    run: str
    since: int


class Live:
    """Reads the event files as they grow. It is asked, and it wakes those who wait for something to become true."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._offsets: dict[str, int] = {}
        self._decoder = msgspec.json.Decoder(OfJob | OfRun)
        self._waiting: list[tuple[Callable[[Event], bool], asyncio.Future[Event]]] = []
        self.counts: Counter[str] = Counter()
        self.acked: set[str] = set()
        self.from_outside = False
        """Whether a job's side effect completes it, because nobody tells of attempts."""
        self.ended: set[str] = set()
        """Keys of jobs that were completed or given up."""
        self.to_retry: set[str] = set()
        """Keys of jobs whose last run failed."""
        self.given_up: set[str] = set()
        """Keys of jobs that ended so; one of them may be put back, and is then outstanding again."""
        self.open: dict[tuple[str, int, str], Open] = {}
        self.ready: set[tuple[str, int]] = set()
        self.pids: dict[int, str] = {}
        """Every process that ever ran a handler, and its worker."""
        self.last = 0
        """When anything last happened to a job."""

    @property
    def outstanding(self) -> set[str]:
        """Acked, and neither completed nor given up."""
        return self.acked - self.ended

    def in_flight(self, worker: str = "", pids: set[int] | None = None) -> list[Open]:
        """The runs that are open: everywhere, on one worker, or in these processes."""
        return [
            run
            for run in self.open.values()
            if (not worker or run.worker == worker) and (pids is None or run.pid in pids)
        ]

    async def follow(self) -> None:
        """Read on, for ever."""
        while True:
            self.pump()
            await asyncio.sleep(PACE)

    def pump(self) -> None:
        """Take in everything that has been written so far."""
        for entry in os.scandir(self._folder):
            if entry.name.endswith(".jsonl") and entry.stat().st_size > self._offsets.get(entry.path, 0):
                self._read(entry.path)

    def _read(self, path: str) -> None:
        offset = self._offsets.get(path, 0)
        with open(path, "rb") as file:
            file.seek(offset)
            data = file.read()
        whole = data[: data.rfind(b"\n") + 1]
        self._offsets[path] = offset + len(whole)
        for line in whole.splitlines():
            self._take(path, line)

    def _take(self, path: str, line: bytes) -> None:
        try:
            event = self._decoder.decode(line)
        except msgspec.DecodeError as error:
            raise Broken(
                f"{os.path.basename(path)} has a line that is no event ({error}); docs/history.md says what is:\n  "
                f"{line[:200].decode('utf-8', 'replace')}"
            ) from error
        self._note(event)
        for waiting in [waiting for waiting in self._waiting if waiting[0](event)]:
            self._waiting.remove(waiting)
            if not waiting[1].done():
                waiting[1].set_result(event)

    def _note(self, event: Event) -> None:
        self.counts[type(event).__name__.lower()] += 1
        match event:
            case Run():
                self.from_outside = event.completes == "effect"
            case Ack():
                self.acked.add(event.key)
            case Effect() if self.from_outside and event.key not in self.ended:
                self.ended.add(event.key)
                self.counts["done"] += 1
            case Ready():
                self.ready.add((event.worker, event.pid))
            case Start():
                if any(run.key == event.key for run in self.open.values()):
                    self.counts["redelivered"] += 1
                self.open[event.worker, event.pid, event.run] = Open(
                    event.worker, event.pid, event.key, event.run, event.t
                )
                self.pids.setdefault(event.pid, event.worker)
                self.to_retry.discard(event.key)
                if event.key in self.given_up:
                    self.given_up.remove(event.key)
                    self.ended.remove(event.key)
            case Finish():
                self.open.pop((event.worker, event.pid, event.run), None)
                if event.outcome == "failed":
                    self.to_retry.add(event.key)
                else:
                    if event.outcome == "dead" and event.key not in self.ended:
                        self.given_up.add(event.key)
                    self.ended.add(event.key)
                self.counts[event.outcome] += 1
        if isinstance(event, Offer | Ack | Reject | Unknown | Start | Finish | Effect | Replay | Refuse):
            self.last = max(self.last, event.t)

    def buried(self, pid: int) -> list[Open]:
        """Forget the runs of a process that has ended; returns them."""
        lost = self.in_flight(pids={pid})
        for run in lost:
            del self.open[run.worker, run.pid, run.run]
        return lost

    async def event(self, matches: Callable[[Event], bool]) -> Event:
        """The next event that matches."""
        future: asyncio.Future[Event] = asyncio.get_running_loop().create_future()
        waiting = (matches, future)
        self._waiting.append(waiting)
        try:
            return await future
        finally:
            if waiting in self._waiting:
                self._waiting.remove(waiting)

    async def nth(self, kind: type[Event], n: int) -> Event:
        """The n-th event of a kind from now on."""
        number = itertools.count(1)
        return await self.event(lambda event: isinstance(event, kind) and next(number) == n)

    async def until(self, true: Callable[[], bool]) -> None:
        """Wait until something is true of this view."""
        while not true():
            await asyncio.sleep(PACE)
