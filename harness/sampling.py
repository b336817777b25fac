"""Looks at the system while it runs: what the queue says of itself, what each process uses."""

from __future__ import annotations

import asyncio
import os

from harness import clock, handshake
from harness.dead_letters import letters
from harness.history.events import Held, Sample, State, Where
from harness.http import BadAnswer, get
from harness.ledger import Ledger
from harness.system import System
from harness.target import Target

PACE = 0.5
LOOKS, BETWEEN = 10, 0.2
"""How often a job that the queue does not name is looked for, and after how many seconds again."""
_TICK = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


class Sampling:
    """Asks, records, and remembers the last answer."""

    def __init__(self, system: System, target: Target) -> None:
        self._system, self._reports = system, target.reports
        sql = target.effects.sql
        self._ledger = Ledger(system.servers[target.database], sql, system.recorder) if sql else None
        self.last: State | None = None
        self.mute = False
        """Whether the queue, which can say how it stands, could not be asked just now."""

    async def run(self) -> None:
        """Sample for ever, without getting in the way of what is measured."""
        while True:
            await self.look()
            await asyncio.sleep(PACE)

    async def look(self) -> None:
        """Sample once: what the queue says, what each process uses."""
        await self.state()
        used = {name: await server.used() for name, server in self._system.servers.items()}
        for process, pid in self._processes():
            self._sample(process, pid, used.get(process))

    async def state(self) -> State | None:
        """What the queue says now; None while it cannot be asked, or when this target cannot say."""
        if "state" not in self._reports:
            return None
        try:
            answer = await get(f"{self._system.producer_url}/state")
        except (OSError, BadAnswer):
            # While the broker is down the producer cannot know; the drain goes on asking and ends without an answer if
            # need be.
            self.mute = True
            return None
        self.mute = False
        self.last = handshake.state(answer)
        self._system.recorder.record(self.last)
        return self.last

    async def effects(self) -> None:
        """Record the effects that the target's database has got since, if it is what knows of them."""
        if self._ledger is not None:
            await self._ledger.look()

    async def held(self) -> None:
        """Record every job that the queue still holds.

        A job that moves may be in no place just now, on its way to a worker or back: as long as one is missing, it is
        looked for again, some times.
        """
        if "held" not in self._reports:
            return
        live, found = self._system.live, set[tuple[str, Where]]()
        for _ in range(LOOKS):
            answer = await get(f"{self._system.producer_url}/held", patience=30.0)
            found |= {(job.key, job.where) for job in handshake.held(answer)}
            live.pump()
            if live.outstanding <= {key for key, _ in found} | {run.key for run in live.in_flight()}:
                break
            await asyncio.sleep(BETWEEN)
        for key, where in sorted(found):
            self._system.recorder.record(Held(t=clock.now(), key=key, where=where))

    async def letters(self) -> None:
        """Record every dead letter, with all that is kept of it."""
        if "letters" not in self._reports:
            return
        for letter in await letters(self._system.producer_url):
            self._system.recorder.record(letter)

    def _processes(self) -> list[tuple[str, int]]:
        own = [
            self._system.producer,
            *(server.process for server in self._system.servers.values()),
            *(worker.process for worker in self._system.workers.values()),
        ]
        return [(process.name, process.pid) for process in own if process is not None and process.alive]

    def _sample(self, process: str, pid: int, used: int | None) -> None:
        try:
            with open(f"/proc/{pid}/stat") as stat, open(f"/proc/{pid}/statm") as statm:
                fields = stat.read().rpartition(")")[2].split()
                cpu, rss = sum(map(int, fields[11:15])) / _TICK, int(statm.read().split()[1]) * _PAGE
            self._system.recorder.record(Sample(t=clock.now(), process=process, cpu=cpu, rss=rss, used=used))
        except OSError:
            pass  # it ended between being listed and being looked at; its exit is recorded elsewhere
