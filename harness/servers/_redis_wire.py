"""Redis, asked directly in its own protocol: one command, one answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asyncio import StreamReader


async def ask(host: str, port: int, *words: str) -> str:
    """The answer to one command as text, an error without its dash; a list has a line for each item."""
    import asyncio

    reader, writer = await asyncio.open_connection(host, port)
    try:
        writer.write(f"*{len(words)}\r\n".encode())
        for word in words:
            writer.write(f"${len(word.encode())}\r\n{word}\r\n".encode())
        return await _answer(reader)
    except asyncio.IncompleteReadError as error:
        raise ConnectionError("redis closed the connection") from error
    finally:
        writer.close()


async def info(host: str, port: int, section: str) -> dict[str, str]:
    """What a section of INFO says, by name; raises OSError while it does not answer."""
    said = await ask(host, port, "INFO", section)
    if "\n" not in said:
        raise ConnectionError(said)
    return dict(line.split(":", 1) for line in said.splitlines() if ":" in line)


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
