"""Take a server down and start it again."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import msgspec

from harness.fault import Evidence, Missed, Moment, Unhealed

if TYPE_CHECKING:
    from harness.system import System
    from harness.target import Target


class RestartServer(msgspec.Struct, frozen=True, kw_only=True):
    """A server goes down and comes back, with its data or without: a crash, a failover, an upgrade.

    What Redis had not written to its append-only file is gone with it; what it never kept is all gone.
    """

    server: Annotated[str, "which server: redis, postgres"] = "redis"
    how: Annotated[Literal["kill", "stop"], "kill -9, or an orderly shutdown"] = "kill"
    data: Annotated[Literal["kept", "lost"], "whether the files it had written are there when it comes back"] = "kept"
    lasts: ClassVar[bool] = True

    def problems(self, target: Target) -> Iterator[str]:
        if self.server not in target.needs:
            yield f"target {target.name} has no server `{self.server}`; it has {', '.join(target.needs) or 'none'}"

    @asynccontextmanager
    async def inject(self, system: System, moment: Moment) -> AsyncIterator[Evidence]:
        import signal

        server = system.servers[self.server]
        if not server.up:
            raise Missed(f"{self.server} was down already")
        before = await server.identity()
        system.live.pump()
        waiting = len(system.live.outstanding)
        await server.end(signal.SIGKILL if self.how == "kill" else signal.SIGTERM)
        try:
            await _refuses(self.server, server.host, server.port)
            if self.data == "lost":
                server.settings.wipe(server.folder)
            facts = {
                "server": self.server,
                "how": self.how,
                "data": self.data,
                "id_before": before["id"],
                "acked_and_not_completed": waiting,
            }
            yield Evidence(
                f"{self.server} was gone ({self.how}, data {self.data}) while {waiting} acked job(s) were not "
                "completed",
                facts,
            )
        finally:
            after = await server.start()
        if after["id"] == before["id"]:
            raise Unhealed(f"{self.server} still has the identity it had: it was never restarted")


async def _refuses(name: str, host: str, port: int) -> None:
    import asyncio

    try:
        _, writer = await asyncio.open_connection(host, port)
    except OSError:
        return
    writer.close()
    raise Missed(f"something still accepts connections at the address of {name}")
