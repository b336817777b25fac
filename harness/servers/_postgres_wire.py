"""One question to PostgreSQL in its own protocol: the harness depends on no client library."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

Row = tuple[str | None, ...]
PATIENCE = 30.0


class QueryRefused(Exception):
    """The server answers, and does not like the question."""


async def rows(host: str, port: int, sql: str) -> list[Row]:
    """What a query gives, as text, NULL as None; nothing can be changed by it. OSError while nobody answers."""
    reader, writer = await asyncio.open_connection(host, port, limit=1 << 20)
    try:
        async with asyncio.timeout(PATIENCE):
            writer.write(_greeting({"user": "harness", "database": "harness", "default_transaction_read_only": "on"}))
            await _until_ready(reader)
            writer.write(b"Q" + _sized(sql.encode() + b"\0"))
            return await _until_ready(reader)
    except asyncio.IncompleteReadError as error:
        raise ConnectionError("postgres closed the connection") from error
    except TimeoutError as error:
        raise ConnectionError(f"postgres did not answer within {PATIENCE:g} s") from error
    finally:
        writer.close()


def _greeting(settings: dict[str, str]) -> bytes:
    words = b"".join(f"{name}\0{value}\0".encode() for name, value in settings.items())
    return _sized(b"\x00\x03\x00\x00" + words + b"\0")


def _sized(body: bytes) -> bytes:
    return (len(body) + 4).to_bytes(4, "big") + body


async def _until_ready(reader: asyncio.StreamReader) -> list[Row]:
    """The rows that come before the server is ready for a query."""
    found: list[Row] = []
    async for kind, body in _messages(reader):
        if kind == b"D":
            found.append(_row(body))
        elif kind == b"E":
            raise _refusal(body)
        elif kind == b"Z":
            break
    return found


async def _messages(reader: asyncio.StreamReader) -> AsyncIterator[tuple[bytes, bytes]]:
    while True:
        kind = await reader.readexactly(1)
        size = int.from_bytes(await reader.readexactly(4), "big")
        yield kind, await reader.readexactly(size - 4)


def _row(body: bytes) -> Row:
    """The columns of a DataRow: each its length, -1 for NULL, and its bytes."""
    columns: list[str | None] = []
    at = 2
    for _ in range(int.from_bytes(body[:2], "big")):
        size = int.from_bytes(body[at : at + 4], "big", signed=True)
        columns.append(None if size < 0 else body[at + 4 : at + 4 + size].decode())
        at += 4 + max(0, size)
    return tuple(columns)


def _refusal(body: bytes) -> Exception:
    """Class 57 (it starts up, it shuts down) passes; everything else is an answer to the question."""
    fields = {part[:1]: part[1:].decode(errors="replace") for part in body.split(b"\0") if part}
    says = f"postgres: {fields.get(b'M', 'no reason given')}"
    return ConnectionError(says) if fields.get(b"C", "").startswith("57") else QueryRefused(says)
