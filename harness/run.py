"""Runs a plan: the only part of the harness that does anything to the world."""

from __future__ import annotations

import asyncio
import platform

import msgspec

from harness import __version__, clock, upkeep
from harness.display import Display
from harness.drain import Drain
from harness.folder import Folder
from harness.history.events import End, Phase, Planned, Run, Waits
from harness.history.recorder import Recorder
from harness.injection import Injection
from harness.offering import Offering
from harness.plan import Plan
from harness.sampling import Sampling
from harness.scenario import Scenario
from harness.site import site
from harness.stack import Stack
from harness.system import System
from harness.target import Target

LEAD = 0.1
"""Between the word and time zero, so that no generator hears of it late."""


HEALING = 30.0
"""Seconds that faults have to heal in when a run is cut short."""


class Ran(msgspec.Struct, frozen=True):
    """What a run leaves beside its history."""

    versions: dict[str, str]
    notes: tuple[str, ...]
    left: tuple[int, ...]
    """Processes that could not be ended."""


class Conductor:
    """One run, step by step."""

    def __init__(self, scenario: Scenario, target: Target, plan: Plan, folder: Folder, display: Display) -> None:
        self.scenario, self.target, self.plan, self.folder, self.display = scenario, target, plan, folder, display
        self.recorder: Recorder

    async def run(self, *, keep_up: bool = False) -> Ran:
        """Start the stack, offer the load, inject the faults, wait for the drain, end it all; the folder then holds
        the history."""
        async with site(self.folder, self.scenario.seed) as system:
            self.recorder = system.recorder
            self._record_plan()
            ran = await self._conduct(system)
            self.recorder.record(End(t=clock.now()))
            if keep_up:
                with upkeep.told(self.folder, system.producer_url):
                    await self.display.keep_up(system)
        return msgspec.structs.replace(ran, left=tuple(system.substrate.left))

    async def _conduct(self, system: System) -> Ran:
        self.display.phase("starting the stack", 0.0)
        background = system.tasks
        stack = Stack(system, self.scenario, self.target, self.folder)
        offering = Offering(system.substrate, self.plan, self.scenario, self.folder)
        await asyncio.gather(stack.start(), offering.ready(stack.producer_url))
        sampling = Sampling(system, self.target)
        await sampling.effects()
        background.create_task(system.watch_handlers())
        background.create_task(sampling.run())
        background.create_task(self.display.follow(system.live, sampling))
        notes = await self._offer(system, offering)
        self.display.phase("draining", 0.0)
        self.recorder.record(
            Phase(t=clock.now(), name="drain", until=clock.now() + int(self.plan.waits.timeout * clock.SECOND))
        )
        await Drain(system, self.plan.waits, sampling).wait()
        await sampling.look()
        await sampling.held()
        await sampling.letters()
        return Ran(await self._versions(system), notes, ())

    async def _offer(self, system: System, offering: Offering) -> tuple[str, ...]:
        """The load and the faults, together from one time zero; what the generators have to say about themselves
        comes back."""
        zero = clock.now() + int(LEAD * clock.SECOND)
        self._record_phases(zero)
        injection = Injection(system, self.scenario, self.display.say)
        self.display.phase("load", self.plan.seconds)
        offering.go(zero)
        faults = asyncio.create_task(injection.run(zero))
        try:
            reports = await offering.finished()
            injection.load_is_over()
            await faults
        finally:
            await _ended(faults)
        return tuple(
            f"The load generator was the bottleneck: {report['why']}" for report in reports if report["bottleneck"]
        )

    def _record_plan(self) -> None:
        run = Run(
            t=clock.now(),
            id=self.folder.id,
            scenario=self.scenario.name,
            target=self.target.name,
            seed=self.scenario.seed,
            completes="finish" if "attempts" in self.target.reports else "effect",
        )
        self.recorder.record(run)
        plan, waits = self.plan, self.plan.waits
        settings = Waits(
            lease=waits.lease,
            sweep=waits.sweep,
            backoff=waits.backoff,
            window=waits.window,
            extended=waits.extended,
            remembers=waits.remembers,
        )
        self.recorder.record(
            Planned(
                t=clock.now(),
                jobs=plan.jobs,
                faults=len(plan.firings),
                seconds=plan.seconds,
                waits=settings,
                load_only=self.scenario.load_only,
            )
        )

    def _record_phases(self, zero: int) -> None:
        def at(seconds: float) -> int:
            return zero + int(seconds * clock.SECOND)

        self.recorder.record(Phase(t=zero, name="load", until=at(self.plan.seconds)))
        for name, phase in self.scenario.phases.items():
            self.recorder.record(Phase(t=at(phase.from_), name=name, until=at(phase.to)))

    async def _versions(self, system: System) -> dict[str, str]:
        servers = {name: server.version for name, server in system.servers.items()}
        own = {"harness": __version__, "python": platform.python_version()}
        return {**own, "toxiproxy": await system.toxiproxy.version(), **servers}


async def _ended(faults: asyncio.Task[None]) -> None:
    """Cancel what is still to fire, and wait until each fault that is at work has healed."""
    faults.cancel()
    await asyncio.wait({faults}, timeout=HEALING)
    if faults.done() and not faults.cancelled():
        faults.exception()  # it was raised where the faults were awaited, or goes down with what cancelled them
