"""The links of a system, each one proxy of Toxiproxy: from a worker or the producer to a server."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
from typing import Any

import msgspec

ESTABLISHED, TIME_WAIT = "01", "06"
PATIENCE = 10.0


class ProxyRefused(Exception):
    """Toxiproxy did not do what it was asked."""


class Toxiproxy:
    """Speaks Toxiproxy's HTTP API and takes nothing but success for an answer."""

    def __init__(self, host: str, port: int) -> None:
        self._host, self._port = host, port

    async def ask(self, method: str, path: str, body: object = None) -> Any:
        """The decoded answer; raises OSError when nobody answers, ProxyRefused when the answer is no."""
        try:
            async with asyncio.timeout(PATIENCE):
                status, text = await self._exchange(method, path, body)
        except TimeoutError:
            raise ProxyRefused(f"Toxiproxy did not answer {method} {path} within {PATIENCE:g} s") from None
        if status >= 300:
            raise ProxyRefused(f"Toxiproxy answered {status} to {method} {path}: {text.strip()}")
        return json.loads(text) if text[:1] in ("{", "[") else text

    async def _exchange(self, method: str, path: str, body: object) -> tuple[int, str]:
        reader, writer = await asyncio.open_connection(self._host, self._port)
        try:
            payload = b"" if body is None else json.dumps(body).encode()
            writer.write(
                (
                    f"{method} {path} HTTP/1.0\r\nHost: {self._host}\r\nUser-Agent: harness\r\nContent-Length: "
                    f"{len(payload)}\r\n\r\n"
                ).encode()
                + payload
            )
            head, _, text = (await reader.read()).decode().partition("\r\n\r\n")
        finally:
            writer.close()
        if not head:
            raise ConnectionError("Toxiproxy closed the connection")
        return int(head.split(" ", 2)[1]), text

    async def version(self) -> str:
        answer = await self.ask("GET", "/version")
        return str(answer["version"] if isinstance(answer, dict) else answer)

    async def create(self, name: str, host: str, upstream: str) -> Link:
        """A new link to `upstream`, listening on a free port of `host`."""
        made = await self.ask(
            "POST", "/proxies", {"name": name, "listen": f"{host}:0", "upstream": upstream, "enabled": True}
        )
        return Link(self, name, made["listen"])


class Toxic(msgspec.Struct, frozen=True):
    """One thing that Toxiproxy does to a stream: `latency`, `bandwidth`, `timeout`, `reset_peer`, ..."""

    type: str
    attributes: dict[str, int]
    stream: str = "downstream"


class Link:
    """One proxy: `worker-1:redis`."""

    def __init__(self, proxy: Toxiproxy, name: str, listen: str) -> None:
        self._proxy, self.name = proxy, name
        self.host, _, port = listen.rpartition(":")
        self.port = int(port)

    def connections(self) -> int:
        """How many connections there are to it now, as the kernel knows; Toxiproxy counts only closed ones."""
        return sum(local == self._here and state == ESTABLISHED for local, _, state in _sockets())

    def closed(self) -> frozenset[tuple[str, str]]:
        """Both ends of each connection to it that was closed of late: the kernel remembers them for a minute."""
        ends = ((local, remote) for local, remote, state in _sockets() if state == TIME_WAIT)
        return frozenset(pair for pair in ends if self._here in pair)

    @property
    def _here(self) -> str:
        """Its address as the kernel writes it."""
        return f"{int.from_bytes(socket.inet_aton(self.host), sys.byteorder):08X}:{self.port:04X}"

    async def cut(self) -> None:
        """Refuse new connections and drop those there are."""
        await self._proxy.ask("PATCH", f"/proxies/{self.name}", {"enabled": False})

    async def join(self) -> None:
        await self._proxy.ask("PATCH", f"/proxies/{self.name}", {"enabled": True})

    async def add(self, toxic: Toxic) -> None:
        await self._proxy.ask(
            "POST",
            f"/proxies/{self.name}/toxics",
            {
                "name": f"{toxic.type}_{toxic.stream}",
                "type": toxic.type,
                "stream": toxic.stream,
                "toxicity": 1.0,
                "attributes": toxic.attributes,
            },
        )

    async def remove(self, toxic: Toxic) -> None:
        await self._proxy.ask("DELETE", f"/proxies/{self.name}/toxics/{toxic.type}_{toxic.stream}")

    async def toxics(self) -> list[str]:
        """The names of the toxics that are on it now."""
        return [toxic["name"] for toxic in await self._proxy.ask("GET", f"/proxies/{self.name}/toxics")]

    async def accepts(self) -> bool:
        """Whether a connection can be made to it."""
        try:
            _, writer = await asyncio.open_connection(self.host, self.port)
        except OSError:
            return False
        writer.close()
        return True


def _sockets() -> list[tuple[str, str, str]]:
    """Of every TCP socket there is: its own address, that of the other end, and its state."""
    with open("/proc/net/tcp") as table:
        rows = [line.split() for line in table]
    return [(row[1], row[2], row[3]) for row in rows]
