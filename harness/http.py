"""One small HTTP question, asked without blocking."""

from __future__ import annotations

import asyncio
import json
from typing import Any

DOCS = "docs/target-protocol.md"


class BadAnswer(Exception):
    """A program of the target answered what the protocol does not allow."""


async def get(url: str, patience: float = 5.0) -> Any:
    """The JSON that a URL answers with 200; OSError while nobody answers, BadAnswer when the answer is another."""
    return await _ask("GET", url, b"", patience)


async def post(url: str, body: object, patience: float = 5.0) -> Any:
    """The same for a question with a body."""
    return await _ask("POST", url, json.dumps(body).encode(), patience)


async def _ask(method: str, url: str, content: bytes, patience: float) -> Any:
    host, _, rest = url.removeprefix("http://").partition("/")
    name, _, port = host.partition(":")
    try:
        async with asyncio.timeout(patience):
            head, body = await _exchange(method, name, int(port), rest, content)
    except TimeoutError as error:
        raise ConnectionError(f"{url} did not answer within {patience:g} s") from error
    status = head.split(" ", 2)[1:2]
    if status != ["200"]:
        raise BadAnswer(
            f"{method} {url} answered {' '.join(status) or 'nothing'}, expected 200; {DOCS} says what is asked of it"
        )
    try:
        return json.loads(body or "null")
    except ValueError as error:
        raise BadAnswer(
            f"{method} {url} answered what is no JSON: {body[:200]!r}; see docs/target-protocol.md"
        ) from error


async def _exchange(method: str, host: str, port: int, path: str, content: bytes) -> tuple[str, str]:
    reader, writer = await asyncio.open_connection(host, port)
    try:
        head = f"{method} /{path} HTTP/1.0\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {len(content)}\r\n"
        writer.write(f"{head}Content-Type: application/json\r\n\r\n".encode() + content)
        head = (await reader.readuntil(b"\r\n\r\n")).decode(errors="replace")
        body = await (reader.readexactly(length) if (length := _length(head)) is not None else reader.read())
    except asyncio.IncompleteReadError as error:
        raise ConnectionError("the connection was closed in the middle of an answer") from error
    finally:
        writer.close()
    return head, body.decode(errors="replace")


def _length(head: str) -> int | None:
    """What Content-Length says; None where the end of the connection is the end of the answer."""
    for line in head.splitlines()[1:]:
        name, _, value = line.partition(":")
        if name.strip().lower() == "content-length" and value.strip().isdigit():
            return int(value)
    return None
