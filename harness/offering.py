"""Runs the load's generators: processes of their own, told to begin at one time zero."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

from harness.folder import Folder
from harness.load.control import command
from harness.load.payload import Payload
from harness.plan import Plan
from harness.scenario import Scenario
from harness.stack import own_environment
from harness.substrate.process import Process, Program, StartFailed, Substrate, Talk

TIMEOUT = 10.0


class Offering:
    """The generators of one run."""

    def __init__(self, substrate: Substrate, plan: Plan, scenario: Scenario, folder: Folder) -> None:
        self._substrate, self._plan, self._scenario, self._folder = substrate, plan, scenario, folder
        self._generators: list[tuple[Process, Talk]] = []

    async def ready(self, producer: str) -> None:
        """Start the generators and wait until each can begin."""
        self._generators = await asyncio.gather(*(self._start(part, producer) for part in range(self._plan.generators)))
        for process, talk in self._generators:
            if not await _said(talk):
                raise StartFailed(f"{process.name} did not start; the end of its log:\n{process.last_lines()}")

    def go(self, zero: int) -> None:
        """Begin at this time."""
        for _, talk in self._generators:
            talk.say({"go": zero})

    async def finished(self) -> list[dict[str, Any]]:
        """What each generator says at its end; it has offered all, and every offer has its outcome."""
        patience = self._plan.seconds + TIMEOUT + 60
        try:
            async with asyncio.timeout(patience):
                return [await self._last_words(process, talk) for process, talk in self._generators]
        except TimeoutError:
            raise StartFailed(f"the load was not offered to its end within {patience:g} s") from None

    async def _last_words(self, process: Process, talk: Talk) -> dict[str, Any]:
        words = await talk.hear()
        if "finished" not in words:
            raise StartFailed(
                f"{process.name} ended before the load was over; the end of its log:\n{process.last_lines()}"
            )
        finished: dict[str, Any] = words["finished"]
        return finished

    async def _start(self, part: int, producer: str) -> tuple[Process, Talk]:
        name = f"load-{part + 1}"
        argv = command(
            sys.executable,
            arrivals=Path(self._folder("arrivals")),
            part=part,
            parts=self._plan.generators,
            producer=producer,
            events=Path(self._folder("events", f"{name}.jsonl")),
            payload=payload(self._scenario),
            timeout=TIMEOUT,
        )
        return await self._substrate.start_talking(Program(name=name, argv=tuple(argv), env=own_environment()))


def payload(scenario: Scenario) -> Payload:
    """What the scenario's handler makes of every job's fields."""
    handler = scenario.handler
    return Payload(
        work=handler.work,
        busy=handler.busy,
        delay=handler.delay,
        poison=handler.poison,
        share=handler.poison_share,
        record=handler.record,
        seed=scenario.seed,
    )


async def _said(talk: Talk) -> dict[str, Any]:
    """What a generator says first; nothing if it says nothing for a minute."""
    try:
        async with asyncio.timeout(60):
            return await talk.hear()
    except TimeoutError:
        return {}
