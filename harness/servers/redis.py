"""A Redis server."""

from __future__ import annotations

import os
from typing import Annotated, Literal

import msgspec

from harness.servers import _redis_wire
from harness.units import Size

SETTINGS = ("maxmemory", "maxmemory-policy", "appendonly", "appendfsync", "save")


class Redis(msgspec.Struct, frozen=True, kw_only=True):
    """A Redis server: the broker, and often the place of deduplication."""

    persistence: Annotated[
        Literal["none", "rdb", "aof-everysec", "aof-always"], "what of its data is on disk when it dies"
    ] = "aof-everysec"
    maxmemory: Annotated[Size, "the most it may use; 0b for no limit"] = 0
    eviction: Annotated[str, "maxmemory-policy: what it does at that limit"] = "noeviction"

    apart = False

    def prepare(self, folder: str) -> None:
        """Nothing: it makes its files itself."""

    def command(self, host: str, port: int, folder: str) -> tuple[str, ...]:
        from harness.binaries import redis_server

        appends = self.persistence.startswith("aof")
        return (
            redis_server(),
            "--bind",
            host,
            "--port",
            str(port),
            "--dir",
            folder,
            "--daemonize",
            "no",
            "--protected-mode",
            "no",
            "--loglevel",
            "notice",
            "--save",
            "60 1" if self.persistence == "rdb" else "",
            "--appendonly",
            "yes" if appends else "no",
            "--appendfsync",
            "always" if self.persistence == "aof-always" else "everysec",
            "--maxmemory",
            str(int(self.maxmemory)),
            "--maxmemory-policy",
            self.eviction,
        )

    def url(self, host: str, port: int) -> str:
        return f"redis://{host}:{port}/0"

    async def identity(self, host: str, port: int) -> dict[str, str]:
        """Who answers there: its run id changes at each start. Raises OSError while nobody does."""
        said = await _redis_wire.info(host, port, "server")
        return {"id": said["run_id"], "version": said["redis_version"]}

    async def config(self, host: str, port: int) -> dict[str, str]:
        """How it is really set, as far as jobs depend on it."""
        said = (await _redis_wire.ask(host, port, "CONFIG", "GET", *SETTINGS)).split("\n")
        return dict(zip(said[::2], said[1::2], strict=True))

    async def used(self, host: str, port: int) -> int:
        """Bytes of data in it, without what it needs for itself and its connections."""
        return int((await _redis_wire.info(host, port, "memory"))["used_memory_dataset"])

    def wipe(self, folder: str) -> None:
        """Lose its data."""
        import shutil

        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
