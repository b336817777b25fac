"""Put dead letters back into the queue, as an operator does when the cause is mended."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import msgspec

from harness.fault import Evidence, Missed, Moment
from harness.units import Duration

if TYPE_CHECKING:
    from random import Random

    from harness.history.events import Letter
    from harness.system import System
    from harness.target import Target


PACE = 0.1
"""Seconds from one look at the dead letters to the next."""


class ReplayDeadLetters(msgspec.Struct, frozen=True, kw_only=True):
    """An operator replays dead letters: all of them, some by their id, or those of a stretch of time.

    It waits until no job is under way, so that all that will die has died, and is missed if there are no dead letters
    then. Each replay is in the history, with who asked for it and why.
    """

    by: Annotated[Literal["all", "id", "time"], "which: all, every second one by its id, or the earlier half"] = "all"
    settle: Annotated[Duration, "how long to wait until no job is under way"] = 60.0
    patience: ClassVar[float] = 5.0
    lasts: ClassVar[bool] = False

    def problems(self, target: Target) -> Iterator[str]:
        if "letters" not in target.reports:
            yield f"target {target.name} reports no letters"

    @asynccontextmanager
    async def inject(self, system: System, moment: Moment) -> AsyncIterator[Evidence]:
        from harness.dead_letters import revive

        await self._settled(system)
        found = await self._filed(system)
        chosen = self._chosen(found, system.random)
        if not chosen:
            raise Missed("there were no dead letters to replay")
        done = await revive(system.producer_url, "replay", chosen, who="replay_dead_letters", why="the fault is over")
        for one in done:
            system.recorder.record(one)
        back = sum(one.outcome == "replayed" for one in done)
        if not back:
            raise Missed(f"none of {len(chosen)} dead letter(s) was put back")
        yield Evidence(
            f"{back} of {len(found)} dead letter(s) put back into the queue, by {self.by}",
            {"letters": len(found), "replayed": back, "by": self.by},
        )

    async def _settled(self, system: System) -> None:
        import asyncio

        try:
            async with asyncio.timeout(self.settle):
                await system.live.until(lambda: not system.live.outstanding and not system.live.open)
        except TimeoutError:
            left = len(system.live.outstanding)
            raise Missed(f"{left} acked job(s) were still under way after {self.settle:g} s") from None

    async def _filed(self, system: System) -> list[Letter]:
        """The dead letters, once there is one of each job that was given up: a queue files it when the handler has
        ended. One that files none is not waited for longer than `patience`."""
        import asyncio

        from harness.dead_letters import letters

        for _ in range(round(self.patience / PACE)):
            found = await letters(system.producer_url)
            if system.live.given_up <= {letter.key for letter in found}:
                break
            await asyncio.sleep(PACE)
        return found

    def _chosen(self, found: list[Letter], random: Random) -> list[Letter]:
        if self.by == "id":
            return random.sample(found, (len(found) + 1) // 2)
        if self.by == "time":
            from harness.dead_letters import between

            died = [letter.died for letter in found if letter.died is not None]
            return between(found, died[0], died[(len(died) - 1) // 2]) if died else []
        return found
