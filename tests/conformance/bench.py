"""A target's stack on the bench: one producer and one worker, asked what a scenario does not ask."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from harness import folder as folders
from harness import scenario as scenarios
from harness import target as targets
from harness.dead_letters import Verb, letters, revive
from harness.handshake import held, state
from harness.history.events import Finish, Letter, Start
from harness.http import get, post
from harness.plan import Waits, plan
from harness.site import site
from harness.stack import Stack
from harness.system import System
from harness.target import Target

SCENARIO = """about: On the bench
target: {target}
workers: 1
{preset}load:
  - constant: {{rate: 1/s, for: 1s}}
invariants:
  - no_lost_jobs
"""
SLACK = 30.0
"""Seconds that a slow machine may need beyond what the target's own settings ask for."""


class Bench:
    """The running parts, and what was seen of its jobs."""

    def __init__(self, system: System, stack: Stack, target: Target, waits: Waits) -> None:
        self.system, self.target, self.waits = system, target, waits
        self._stack = stack
        self.folder = stack.folder("events")

    async def work(self) -> None:
        """Start the worker, and wait until it consumes."""
        await self._stack.steps()["worker-1"]()

    async def enqueue(self, *keys: str, work: float = 0.0, **fields: object) -> list[str]:
        """What became of each job; `fields` are what else it asks of its handler."""
        jobs = [{"key": key, "work": work, **fields} for key in keys]
        answer = await post(f"{self.system.producer_url}/jobs", {"jobs": jobs}, patience=15.0)
        assert [result["key"] for result in answer["results"]] == list(keys)
        return [result["outcome"] for result in answer["results"]]

    async def held(self) -> dict[str, str]:
        """Where the queue has each job that it holds."""
        return {job.key: job.where for job in held(await get(f"{self.system.producer_url}/held"))}

    async def letters(self, count: int) -> list[Letter]:
        """The dead letters, once there are so many: a worker's word may come before the queue has filed the job."""
        async with asyncio.timeout(SLACK):
            while len(found := await letters(self.system.producer_url)) != count:
                await asyncio.sleep(0.05)
        return found

    async def revive(self, verb: Verb, chosen: list[Letter]) -> list[str]:
        """What became of each letter that was replayed or discarded."""
        return [one.outcome for one in await revive(self.system.producer_url, verb, chosen, who="bench", why="")]

    async def waiting(self) -> int:
        return state(await get(f"{self.system.producer_url}/state")).waiting

    async def until(self, true: Callable[[], bool], patience: float = SLACK) -> None:
        """Wait for something to be true of what was recorded."""
        async with asyncio.timeout(patience):
            while not true():
                await asyncio.sleep(0.01)

    async def done(self, *keys: str) -> None:
        """Wait until these jobs have ended, as long as lease, sweep and retries may take."""
        await self.until(lambda: self.system.live.ended >= set(keys), self.waits.rest.seconds + SLACK)

    async def empty(self) -> None:
        """Wait until the queue holds nothing."""
        async with asyncio.timeout(SLACK):
            while await self.waiting() or [key for key, where in (await self.held()).items() if where != "dead"]:
                await asyncio.sleep(0.05)

    def watch(self) -> list[Start | Finish]:
        """Every start and finish from now on."""
        seen: list[Start | Finish] = []
        note = self.system.live._note

        def noting(event: object) -> None:
            if isinstance(event, Start | Finish):
                seen.append(event)
            note(event)  # type: ignore[arg-type]

        self.system.live._note = noting  # type: ignore[method-assign]
        return seen


@asynccontextmanager
async def bench(name: str, reports: Path, *, preset: str = "", **knobs: str) -> AsyncIterator[Bench]:
    """A stack with everything up but its worker."""
    path = reports / "bench.yaml"
    path.write_text(SCENARIO.format(target=name, preset=f"preset: {preset}\n" if preset else ""))
    scenario, target = scenarios.load(str(path), knobs=knobs)
    folder = folders.make(str(reports), "bench", name)
    async with site(folder, scenario.seed) as system:
        stack = Stack(system, scenario, target, folder)
        for step, start in stack.steps().items():
            if step != "worker-1":
                await start()
        yield Bench(system, stack, target, plan(scenario, target)[0].waits)


def names() -> list[str]:
    """Every target of this repository."""
    return sorted({Path(folder).name for folder in targets.folders()})
