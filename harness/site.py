"""Where one run takes place: processes, scratch folder, address and record; all but the record gone when it is left."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from harness.folder import Folder
from harness.history.recorder import Recorder
from harness.live import Live
from harness.substrate.process import Substrate
from harness.substrate.scratch import Address, Scratch
from harness.system import System


@asynccontextmanager
async def site(folder: Folder, seed: int) -> AsyncIterator[System]:
    """A system with nothing started in it yet; what is started in it ends with it."""
    recorder, live = Recorder(folder("events", "harness.jsonl")), Live(folder("events"))
    scratch, address = Scratch(folder.id), Address()
    substrate = Substrate(folder.id, scratch.folder, folder("logs"))
    try:
        async with substrate, Background() as background:
            system = System(substrate, recorder, live, background, seed, scratch.folder, address)
            background.create_task(live.follow())
            background.create_task(_kept(substrate))
            try:
                yield system
            finally:
                system.stopping = True
                await system.hang_up()
    finally:
        address.close()
        scratch.close()
        recorder.close()


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
