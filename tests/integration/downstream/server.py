"""The downstream as a program, and its callers over real sockets."""

import asyncio
import json
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from harness.downstream.client import Counts, Downstream

HOST = "127.83.7.1"
PATIENCE = 20.0


class Server:
    """A running downstream and the file it records to."""

    def __init__(self, file: Path, *options: str) -> None:
        self.file = file
        command = [sys.executable, "-m", "harness.downstream.server", "--host", HOST, "--workers", "worker-1,worker-2"]
        self.process = subprocess.Popen([*command, "--events", str(file), *options], stdout=subprocess.PIPE)
        assert self.process.stdout is not None
        said = json.loads(self.process.stdout.readline())
        self.control: int = said["control"]
        self.ports: dict[str, int] = said["ports"]

    def connect(self, worker: str = "worker-1") -> socket.socket:
        return socket.create_connection((HOST, self.ports[worker]), timeout=PATIENCE)

    def events(self) -> list[tuple[str, ...]]:
        return [tuple(str(value) for name, value in line.items() if name != "t") for line in self.lines()]

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.file.read_text().splitlines()]


@contextmanager
def serving(file: Path, *options: str) -> Iterator[Server]:
    server = Server(file, *options)
    try:
        yield server
    finally:
        server.process.kill()
        server.process.wait(PATIENCE)
        assert server.process.stdout is not None
        server.process.stdout.close()


def request(key: str, *headers: str) -> bytes:
    body = json.dumps({"key": key})
    head = "".join(f"{header}\r\n" for header in ("Host: x", *headers, f"Content-Length: {len(body)}"))
    return f"POST /effects HTTP/1.1\r\n{head}\r\n{body}".encode()


def answer(caller: socket.socket) -> tuple[int, bytes, dict[str, str]]:
    """One whole answer: status, head, body."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += _some(caller)
    head, _, body = data.partition(b"\r\n\r\n")
    length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
    while len(body) < length:
        body += _some(caller)
    return int(head.split()[1]), head, json.loads(body)


def _some(caller: socket.socket) -> bytes:
    data = caller.recv(1)
    if not data:
        raise EOFError("the connection ended in the middle of an answer")
    return data


def is_silent(caller: socket.socket) -> bool:
    """Whether neither a byte nor an end has arrived."""
    caller.setblocking(False)
    try:
        caller.recv(1, socket.MSG_PEEK)
    except BlockingIOError:
        return True
    finally:
        caller.settimeout(PATIENCE)
    return False


def commanding(server: Server, act: Callable[[Downstream], Awaitable[None]]) -> None:
    async def run() -> None:
        async with asyncio.timeout(PATIENCE), connected(server) as downstream:
            await act(downstream)

    asyncio.run(run())


@asynccontextmanager
async def connected(server: Server) -> AsyncIterator[Downstream]:
    downstream = await Downstream.connect(HOST, server.control)
    try:
        yield downstream
    finally:
        await downstream.close()


async def until(downstream: Downstream, enough: Callable[[Counts], bool]) -> Counts:
    """Ask again and again until the counts are so; the caller bounds the wait."""
    while not enough(counts := await downstream.counts()):
        pass
    return counts
