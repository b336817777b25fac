"""What the faults of Redis have in common, and what they ask it, past its links."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

import msgspec

from harness.servers import _redis_wire

if TYPE_CHECKING:
    from harness.system import Server
    from harness.target import Target


class OfRedis(msgspec.Struct, frozen=True, kw_only=True):
    """What the faults of Redis have in common."""

    lasts: ClassVar[bool] = True

    def problems(self, target: Target) -> Iterator[str]:
        if "redis" not in target.needs:
            yield f"target {target.name} has no server `redis`; it has {', '.join(target.needs) or 'none'}"


class Figures(msgspec.Struct, frozen=True):
    """What a server says of its memory: bytes in all and for the data, keys there are and keys ever evicted."""

    used: int
    data: int
    keys: int
    evicted: int


async def ask(server: Server, *words: str) -> str:
    """The answer to one command, past every link."""
    return await _redis_wire.ask(server.host, server.port, *words)


async def figures(server: Server) -> Figures:
    """Its figures now."""
    said = await _redis_wire.info(server.host, server.port, "everything")
    return Figures(
        used=int(said["used_memory"]),
        data=int(said["used_memory_dataset"]),
        keys=int(await ask(server, "DBSIZE")),
        evicted=int(said["evicted_keys"]),
    )


async def limit(server: Server) -> str:
    """The most memory it may use, in bytes; 0 is without limit."""
    return (await ask(server, "CONFIG", "GET", "maxmemory")).split()[-1]
