"""Take a server's memory away."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated

from harness.fault import Evidence, Missed, Moment, Unhealed
from harness.faults._redis import OfRedis, ask, figures, limit
from harness.units import Share

if TYPE_CHECKING:
    from harness.system import Server, System

PROBE = "harness:squeezed"


class SqueezeMemory(OfRedis, frozen=True, kw_only=True):
    """Redis has less memory than its data need: a neighbour, a leak, a limit that was never raised.

    What happens then is up to `eviction`: with `noeviction` it refuses every write, with any other policy it throws
    keys away until the rest fits, and tells nobody.
    """

    room: Annotated[Share, "the part of its data that there is still room for"] = 0.0

    @asynccontextmanager
    async def inject(self, system: System, moment: Moment) -> AsyncIterator[Evidence]:
        server = system.servers["redis"]
        before, policy = await figures(server), (await ask(server, "CONFIG", "GET", "maxmemory-policy")).split()[-1]
        allowed = await limit(server)
        system.live.pump()
        waiting = len(system.live.outstanding)
        squeezed = max(1, int(before.used - before.data * (1 - self.room)))
        try:
            await ask(server, "CONFIG", "SET", "maxmemory", str(squeezed))
            refused = (await ask(server, "SET", PROBE, "1")).startswith("OOM")
            evicted = (await figures(server)).evicted - before.evicted
            if not refused and not evicted:
                raise Missed(f"redis still had room at {squeezed:,} bytes ({policy}): it evicted nothing")
            felt = "refused a write" if refused else f"evicted {evicted} of {before.keys} key(s)"
            yield Evidence(
                f"redis had room for {squeezed:,} of {before.used:,} bytes and {felt} ({policy}) while {waiting} acked "
                "job(s) were not completed",
                {"policy": policy, "limit": squeezed, "evicted": evicted, "refused": refused, "waiting": waiting},
            )
        finally:
            await self._give_back(server, allowed)

    async def _give_back(self, server: Server, allowed: str) -> None:
        await ask(server, "CONFIG", "SET", "maxmemory", allowed)
        if (answer := await ask(server, "SET", PROBE, "1")) != "OK":
            raise Unhealed(f"redis has its memory back and still refuses a write: {answer}")
        await ask(server, "DEL", PROBE)
