"""Fires a plan's faults at their moments, holds each for its time, heals it, and records what happened."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from harness import clock
from harness.condition import Condition
from harness.fault import Evidence, Missed, Moment, Unhealed
from harness.history.events import Event, Fault, Finish, Start
from harness.links import ProxyRefused
from harness.live import Open
from harness.scenario import Scenario
from harness.system import System
from harness.timing import Scheduled, Timing
from harness.variants import name_of

TRIES = 5
"""A worker may end its job in the instant before it is stopped; the fault then tries again at the next moment."""


class Injection:
    """All faults of a run."""

    def __init__(self, system: System, scenario: Scenario, say: Any) -> None:
        self._system, self._faults, self._say = system, scenario.faults, say
        self._work = scenario.handler.work
        self._over = asyncio.Event()
        """Set when no more jobs are offered: what has not fired a little later never will."""
        self._healed = 0
        self._at_work = sum(scheduled.timing.when != "healed" for scheduled in scenario.faults)
        """Faults that may yet heal, and that do not wait for another to do so."""

    def load_is_over(self) -> None:
        self._over.set()

    async def run(self, zero: int) -> None:
        """Fire every fault; returns when all have fired or were missed, and are healed."""
        n = 0
        async with asyncio.TaskGroup() as tasks:
            for scheduled in self._faults:
                tasks.create_task(self._fire_all(n, scheduled, zero))
                n += scheduled.timing.times

    async def _fire_all(self, n: int, scheduled: Scheduled, zero: int) -> None:
        for turn in range(scheduled.timing.times):
            await self._fire(n + turn, turn, scheduled, zero)
        self._at_work -= scheduled.timing.when != "healed"

    async def _fire(self, n: int, turn: int, scheduled: Scheduled, zero: int) -> None:
        why = ""
        for _ in range(TRIES):
            try:
                async with self._moment(scheduled.timing, turn, zero) as moment:
                    await self._inject(n, scheduled, moment)
                return
            except Missed as missed:
                why = why or str(missed)
                if scheduled.timing.at is not None or self._nothing_more_can_happen():
                    break
            except (ProxyRefused, OSError, TimeoutError) as error:
                self._record(n, scheduled, "failed", f"{type(error).__name__}: {error}")
                return
        self._record(n, scheduled, "missed", why)

    def _nothing_more_can_happen(self) -> bool:
        return self._over.is_set() and not self._system.live.outstanding

    async def _inject(self, n: int, scheduled: Scheduled, moment: Moment) -> None:
        fault: Any = scheduled.fault
        try:
            async with fault.inject(self._system, moment) as evidence:
                self._record(n, scheduled, "injected", evidence.says, evidence)
                await self._hold(scheduled)
        except Unhealed as error:
            self._record(n, scheduled, "unhealed", str(error))
        else:
            self._healed += 1
            self._record(n, scheduled, "healed", "")

    async def _hold(self, scheduled: Scheduled) -> None:
        """As long as it is to last."""
        seconds, until = scheduled.timing.for_ or 0.0, Condition.read(scheduled.timing.until or "")
        if until is None:
            await asyncio.sleep(seconds)
            return
        try:
            async with asyncio.timeout(seconds):
                await self._system.live.until(lambda: self._holds(until))
        except TimeoutError:
            return

    def _record(self, n: int, scheduled: Scheduled, state: Any, says: str, evidence: Evidence | None = None) -> None:
        name, proof = name_of(scheduled.fault), evidence or Evidence("")
        self._system.recorder.record(
            Fault(t=proof.since or clock.now(), n=n, fault=name, state=state, says=says, evidence=proof.facts)
        )
        self._say(f"{name}: {state}" + (f": {says}" if says else ""))

    @asynccontextmanager
    async def _moment(self, timing: Timing, turn: int, zero: int) -> AsyncIterator[Moment]:
        """The moment to fire at; while a fault fires on an effect, its answer is withheld, and never given."""
        if timing.at is not None:
            await _clock_reaches(zero, timing.at + turn * (timing.every or 0.0))
            yield Moment()
            return
        if timing.after:  # else it is looked for before the load begins: a late look would miss the first event
            await _clock_reaches(zero, timing.after)
        if timing.when == "effect":
            async with self._held(timing) as moment:
                yield moment
        elif timing.when == "healed":
            await self._others_healed(timing.nth * (turn + 1))
            yield Moment()
        else:
            yield await self._in_time(self._seen(timing), timing)

    async def _others_healed(self, wanted: int) -> None:
        """Wait until so many faults have healed, which may be after the load."""
        await self._system.live.until(lambda: self._healed >= wanted or not self._at_work)
        if self._healed < wanted:
            raise Missed(f"no more than {self._healed} other fault(s) healed")

    @asynccontextmanager
    async def _held(self, timing: Timing) -> AsyncIterator[Moment]:
        watch = await self._system.downstream.watch(timing.nth)
        try:
            held = await self._in_time(watch.held(), timing)
        except BaseException:
            await watch.cancel()
            raise
        try:
            self._system.live.pump()
            pids = [run.pid for run in self._system.live.in_flight(held.worker) if run.key == held.key]
            yield Moment(held.worker, pids[0] if pids else 0, held.key, certain=True)
        finally:
            await self._system.downstream.release(held)

    async def _seen(self, timing: Timing) -> Moment:
        live = self._system.live
        if condition := Condition.read(timing.when or ""):
            await live.until(lambda: self._holds(condition))
            return Moment()
        event: Event = await live.nth(Start if timing.when == "start" else Finish, timing.nth)
        assert isinstance(event, Start | Finish)
        return Moment(event.worker, event.pid, event.key, certain=timing.when == "finish")

    def _holds(self, condition: Condition) -> bool:
        live = self._system.live
        match condition.of:
            case "inflight":
                found = len(self._young())
            case "acked":
                found = len(live.acked)
            case counted:
                found = live.counts[counted]
        return found >= condition.least

    def _young(self) -> list[Open]:
        """The runs in flight that are not about to end: none can while the fault is on its way."""
        since = clock.now() - int(self._work / 2 * clock.SECOND) if self._work else 0
        return [run for run in self._system.live.in_flight() if run.since >= since]

    async def _while_it_may(self, wanted: asyncio.Future[Any], patience: float) -> None:
        """Wait on after the load, until every acked job has ended or patience has."""
        deadline = clock.now() + int(patience * clock.SECOND)
        left = True
        while left and not wanted.done() and clock.now() < deadline:
            self._system.live.pump()  # the last acks may have been written and not read
            left = bool(self._system.live.outstanding)
            await asyncio.wait({wanted}, timeout=0.1)

    async def _in_time(self, waiting: Any, timing: Timing) -> Any:
        """What is waited for, unless the load is over, and nothing is left to do or `patience` has passed since."""
        wanted, over = asyncio.ensure_future(waiting), asyncio.ensure_future(self._over.wait())
        try:
            await asyncio.wait({wanted, over}, return_when=asyncio.FIRST_COMPLETED)
            await self._while_it_may(wanted, timing.patience)
            if not wanted.done():
                raise Missed(f"it was to fire {timing.awaited}, which did not come before the load was over")
            return wanted.result()
        finally:
            wanted.cancel()
            over.cancel()


async def _clock_reaches(zero: int, seconds: float) -> None:
    """Wait until this long after the load began."""
    await asyncio.sleep(max(0.0, (zero - clock.now()) / clock.SECOND + seconds))
