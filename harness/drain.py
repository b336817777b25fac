"""The wait after the load: until every acked job is accounted for, or nothing more can be expected to happen."""

from __future__ import annotations

import asyncio
import itertools

from harness import clock
from harness.history.events import Drained, State
from harness.plan import Waits
from harness.sampling import Sampling
from harness.system import System

PACE, SELDOM = 0.05, 5
"""Seconds from one look to the next; a query that lists every effect is asked only each so many times."""
SETTLED = 0.3
"""How long an empty queue with nothing in flight must stay so before it is believed."""


class Drain:
    """Watches a system come to rest."""

    def __init__(self, system: System, waits: Waits, sampling: Sampling) -> None:
        self._system, self._waits, self._sampling = system, waits, sampling
        self._began = self._moved = clock.now()
        self._seen: tuple[int, ...] = ()

    async def wait(self) -> None:
        """Return when the system is at rest, and record why."""
        for turn in itertools.count():
            state = await self._sampling.state()
            if turn % SELDOM == 0:
                await self._sampling.effects()
            self._system.live.pump()
            if why := self._over(state):
                break
            await asyncio.sleep(PACE)
        await self._sampling.effects()
        self._system.live.pump()
        self._system.recorder.record(Drained(t=clock.now(), left=len(self._system.live.outstanding), why=why))

    def _over(self, state: State | None) -> str:
        self._note_movement(state)
        # A queue that does not count what it has handed out may hold a dead worker's job and look empty.
        empty = state is not None and state.active is not None and state.waiting == 0
        still = (clock.now() - self._moved) / clock.SECOND
        live = self._system.live
        # An effect that is there does not say that its job was acknowledged: it may come back, and do it again. Nor
        # does the end of a run, where the queue cannot be reached: it may never have been told.
        ends_are_seen = empty or not (live.from_outside or self._sampling.mute)
        if ends_are_seen and not live.outstanding and not (state and state.waiting) and not live.open:
            return "everything was done" if still >= SETTLED else ""
        if empty and not live.open and still >= max(SETTLED, 2.0):
            return "the queue is empty and nothing is in flight"
        retrying = live.from_outside or not self._nothing_is_to_be_retried(state)
        rest = self._waits.rest if retrying else self._waits.rest_of_leases
        if still >= rest.seconds:
            if rest.enough:
                return f"nothing moved for {still:.0f} s, longer than the lease" + (" and every retry" * retrying)
            return (
                f"patience ended after {still:.0f} s without movement; the lease of {self._waits.lease:g} s was "
                "not waited for"
            )
        if (clock.now() - self._began) / clock.SECOND >= self._waits.timeout:
            return f"patience ended after {self._waits.timeout:g} s, and things still moved"
        return ""

    def _nothing_is_to_be_retried(self, state: State | None) -> bool:
        """Whether the queue says that none of its jobs is delayed, and no worker may have one in mind."""
        live = self._system.live
        return state is not None and state.queued == state.delayed == 0 and not live.open and not live.to_retry

    def _note_movement(self, state: State | None) -> None:
        """Anything new counts as movement, and so does a time in which no worker could have moved."""
        live, workers = self._system.live, self._system.workers.values()
        counts = (state.queued or 0, state.active or 0, state.delayed or 0) if state else ()
        seen = (live.last, live.counts["effect"], *counts)
        if seen != self._seen or not all(worker.ready for worker in workers if worker.process and worker.process.alive):
            self._seen, self._moved = seen, clock.now()
