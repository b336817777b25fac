"""Runs a plan: the only part of the harness that does anything to the world."""

from __future__ import annotations

import asyncio
import platform
from typing import Any

import msgspec

from harness import clock
from harness.display import Display
from harness.drain import Drain
from harness.folder import Folder
from harness.history.events import End, Phase, Planned, Run
from harness.history.recorder import Recorder
from harness.injection import Injection
from harness.live import Live
from harness.offering import Offering
from harness.plan import Plan
from harness.sampling import Sampling
from harness.scenario import Scenario
from harness.stack import Stack
from harness.substrate.process import Substrate
from harness.substrate.scratch import Address, Scratch
from harness.system import System
from harness.target import Target

LEAD = 0.1
"""Between the word and time zero, so that no generator hears of it late."""


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
        self.recorder = Recorder(folder("events", "harness.jsonl"))
        self.live = Live(folder("events"))

    async def run(self, *, keep_up: bool = False) -> Ran:
        """Start the stack, offer the load, inject the faults, wait for the drain, end it all; the folder then holds
        the history."""
        self._record_plan()
        scratch, address = Scratch(self.folder.id), Address()
        substrate = Substrate(self.folder.id, scratch.folder, self.folder("logs"))
        try:
            async with substrate, Background() as background:
                system = System(substrate, self.recorder, self.live, background, self.scenario.seed)
                try:
                    ran = await self._conduct(system, scratch.folder, address)
                    self.recorder.record(End(t=clock.now()))
                    if keep_up:
                        await self.display.keep_up(system)
                finally:
                    system.stopping = True
        finally:
            address.close()
            scratch.close()
            self.recorder.close()
        return msgspec.structs.replace(ran, left=tuple(substrate.left))

    async def _conduct(self, system: System, scratch: str, address: Address) -> Ran:
        self.display.phase("starting the stack", 0.0)
        background = system.tasks
        background.create_task(self.live.follow())
        background.create_task(_kept(system.substrate))
        stack = Stack(system, self.scenario, self.target, self.folder, scratch, address)
        offering = Offering(system.substrate, self.plan, self.scenario, self.folder)
        await asyncio.gather(stack.start(), offering.ready(stack.producer_url))
        sampling = Sampling(system, self.target.reports)
        background.create_task(system.watch_handlers())
        background.create_task(sampling.run())
        background.create_task(self.display.follow(self.live, sampling))
        notes = await self._offer(system, offering)
        self.display.phase("draining", 0.0)
        self.recorder.record(
            Phase(t=clock.now(), name="drain", until=clock.now() + int(self.plan.waits.timeout * clock.SECOND))
        )
        await Drain(system, self.plan.waits, sampling).wait()
        await sampling.held()
        return Ran(await self._versions(system), notes, ())

    async def _offer(self, system: System, offering: Offering) -> tuple[str, ...]:
        """The load and the faults, together from one time zero; what the generators have to say about themselves
        comes back."""
        zero = clock.now() + int(LEAD * clock.SECOND)
        self._record_phases(zero)
        injection = Injection(system, self.scenario.faults, self.display.say)
        self.display.phase("load", self.plan.seconds)
        offering.go(zero)
        faults = asyncio.ensure_future(injection.run(zero))
        try:
            reports = await offering.finished()
            injection.load_is_over()
            await faults
        finally:
            faults.cancel()
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
        )
        self.recorder.record(run)
        self.recorder.record(
            Planned(t=clock.now(), jobs=self.plan.jobs, faults=len(self.plan.firings), seconds=self.plan.seconds)
        )

    def _record_phases(self, zero: int) -> None:
        def at(seconds: float) -> int:
            return zero + int(seconds * clock.SECOND)

        self.recorder.record(Phase(t=zero, name="load", until=at(self.plan.seconds)))
        for name, phase in self.scenario.phases.items():
            self.recorder.record(Phase(t=at(phase.from_), name=name, until=at(phase.to)))

    async def _versions(self, system: System) -> dict[str, str]:
        servers = {name: server.version for name, server in system.servers.items()}
        return {"python": platform.python_version(), "toxiproxy": await system.toxiproxy.version(), **servers}


async def _kept(substrate: Substrate) -> None:
    await substrate.lost


class Background(asyncio.TaskGroup):
    """Tasks that go on until the run is over and are then cancelled; one that fails ends the run."""

    def __init__(self) -> None:
        super().__init__()
        self._started: list[asyncio.Task[Any]] = []

    def create_task(self, *args: Any, **options: Any) -> asyncio.Task[Any]:
        task = super().create_task(*args, **options)
        self._started.append(task)
        return task

    async def __aexit__(self, *why: Any) -> None:
        for task in self._started:
            task.cancel()
        await super().__aexit__(*why)
