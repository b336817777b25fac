"""Put a replica that lagged behind in the place of a server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from harness.fault import Evidence, Missed, Moment, Unhealed
from harness.faults._redis import OfRedis

if TYPE_CHECKING:
    from harness.system import Server, System


class FailOverServer(OfRedis, frozen=True, kw_only=True):
    """Redis dies, and a replica that had fallen behind takes its place: what happened last has not happened.

    `for` is how far behind it is: Redis goes on for that long and acknowledges, then comes back as it was when that
    began. Jobs enqueued meanwhile are gone; jobs finished meanwhile are back, and the records of that are not.
    """

    @asynccontextmanager
    async def inject(self, system: System, moment: Moment) -> AsyncIterator[Evidence]:
        import asyncio
        import os
        import shutil

        server = system.servers["redis"]
        if not getattr(server.settings, "persistence", "").startswith("aof"):
            raise Missed("a replica is made from the append-only file, and this redis writes none")
        before = await server.identity()
        replica = os.path.join(system.scratch, "replica")
        await asyncio.to_thread(shutil.copytree, server.folder, replica)
        system.live.pump()
        waiting = len(system.live.outstanding)
        try:
            yield Evidence(
                f"a replica of redis stopped following while {waiting} acked job(s) were not completed",
                {"id_before": before["id"], "acked_and_not_completed": waiting},
            )
        finally:
            after = await _promote(server, replica)
        if after["id"] == before["id"]:
            raise Unhealed("redis still has the identity it had: nothing took its place")


async def _promote(server: Server, replica: str) -> dict[str, str]:
    """The server killed and started again with the replica's data."""
    import shutil
    import signal

    await server.end(signal.SIGKILL)
    server.settings.wipe(server.folder)
    shutil.copytree(replica, server.folder, dirs_exist_ok=True)
    shutil.rmtree(replica)
    return await server.start()
