"""What the faults of Redis have in common, and how it is asked directly, past its links, in its own protocol."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar

import msgspec

if TYPE_CHECKING:
    from asyncio import StreamReader

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
    """The answer to one command as text, an error without its dash; a list has a line for each item."""
    import asyncio

    reader, writer = await asyncio.open_connection(server.host, server.port)
    try:
        writer.write(f"*{len(words)}\r\n".encode())
        for word in words:
            writer.write(f"${len(word.encode())}\r\n{word}\r\n".encode())
        return await _answer(reader)
    finally:
        writer.close()


async def figures(server: Server) -> Figures:
    """Its figures now."""
    lines = (await ask(server, "INFO", "everything")).splitlines()
    said = dict(line.split(":", 1) for line in lines if ":" in line)
    return Figures(
        used=int(said["used_memory"]),
        data=int(said["used_memory_dataset"]),
        keys=int(await ask(server, "DBSIZE")),
        evicted=int(said["evicted_keys"]),
    )


async def limit(server: Server) -> str:
    """The most memory it may use, in bytes; 0 is without limit."""
    return (await ask(server, "CONFIG", "GET", "maxmemory")).split()[-1]


async def _answer(reader: StreamReader) -> str:
    head = (await reader.readline()).decode().rstrip()
    if not head:
        raise ConnectionError("redis closed the connection")
    kind, rest = head[0], head[1:]
    if kind == "$":
        return "" if rest == "-1" else (await reader.readexactly(int(rest) + 2))[:-2].decode()
    if kind == "*":
        return "\n".join([await _answer(reader) for _ in range(int(rest))])
    return rest
