"""Let a server's clock jump ahead."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, ClassVar

from harness.fault import Evidence, Missed, Moment
from harness.faults._redis import OfRedis, ask
from harness.units import Duration

if TYPE_CHECKING:
    from harness.system import Server, System

CLOCK = "HARNESS_CLOCK"
PATIENCE = 10.0


class JumpClock(OfRedis, frozen=True, kw_only=True):
    """The clock of Redis jumps ahead and stays there: a bad time server, a resumed machine.

    Every key whose time to live is shorter than the jump is gone at once: locks, leases, records of what was done.
    Redis is started with libfaketime for it; where that cannot be had, the run ends with code 4 and says so.
    """

    by: Annotated[Duration, "how far ahead"] = 7200.0
    lasts: ClassVar[bool] = False

    def equips(self, server: str, folder: str) -> dict[str, str]:
        """The variables that the server must be started with, so that its clock can be moved later."""
        from harness.binaries import libfaketime

        if server != "redis":
            return {}
        clock = os.path.join(folder, "redis.clock")
        _set(clock, 0.0)
        return {
            "LD_PRELOAD": libfaketime(),
            "FAKETIME_TIMESTAMP_FILE": clock,
            "FAKETIME_CACHE_DURATION": "1",
            "DONT_FAKE_MONOTONIC": "1",
            CLOCK: clock,
        }

    @asynccontextmanager
    async def inject(self, system: System, moment: Moment) -> AsyncIterator[Evidence]:
        server = system.servers["redis"]
        before = await _ahead(server)
        _set(server.env[CLOCK], before + self.by)
        ahead = await self._jumped(server, before)
        yield Evidence(
            f"the clock of redis is {ahead:.0f} s ahead, and was {before:.0f} s", {"before": before, "ahead": ahead}
        )

    async def _jumped(self, server: Server, before: float) -> float:
        """How far ahead it is, once the jump is seen."""
        import asyncio

        try:
            async with asyncio.timeout(PATIENCE):
                while (ahead := await _ahead(server)) < before + self.by / 2:
                    await asyncio.sleep(0.05)
                return ahead
        except TimeoutError:
            raise Missed(f"the clock of redis did not move within {PATIENCE:g} s") from None


def _set(clock: str, ahead: float) -> None:
    """Whole or not at all: the server may look at any time."""
    with open(f"{clock}.new", "w") as file:
        file.write(f"+{ahead:.0f}\n")
    os.replace(f"{clock}.new", clock)


async def _ahead(server: Server) -> float:
    """Seconds by which the server's clock is ahead of ours."""
    import time

    seconds, micro = (await ask(server, "TIME")).split()
    return round(int(seconds) + int(micro) / 1e6 - time.time(), 1)
