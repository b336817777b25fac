"""The running target as a fault sees it: workers, servers, links, and the downstream."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol, TypeVar, runtime_checkable

from harness import clock
from harness.downstream.client import Downstream
from harness.history.events import Config, Exit, Gone, Ready, Up
from harness.history.recorder import Recorder
from harness.http import BadAnswer
from harness.links import Link, Toxiproxy
from harness.live import Live
from harness.substrate.process import Process, Program, StartFailed, Substrate, alive, ended
from harness.substrate.scratch import Address

T = TypeVar("T")


class Settings(Protocol):
    """What a file of harness/servers gives: how that server is started, asked who it is, and emptied."""

    apart: bool

    def prepare(self, folder: str) -> None: ...
    def command(self, host: str, port: int, folder: str) -> tuple[str, ...]: ...
    def url(self, host: str, port: int) -> str: ...
    async def identity(self, host: str, port: int) -> dict[str, str]: ...
    def wipe(self, folder: str) -> None: ...


@runtime_checkable
class Queryable(Protocol):
    """What the settings of a database have beside."""

    async def rows(self, host: str, port: int, sql: str) -> list[tuple[str | None, ...]]: ...


@runtime_checkable
class Telling(Protocol):
    """What the settings of a server have beside that can say how it is set and how much it holds."""

    async def config(self, host: str, port: int) -> dict[str, str]: ...
    async def used(self, host: str, port: int) -> int: ...


class Server:
    """A server that the target needs; it keeps its address when it is started again."""

    def __init__(
        self,
        name: str,
        settings: Settings,
        substrate: Substrate,
        recorder: Recorder,
        *,
        host: str,
        port: int,
        folder: str,
        apart: bool,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.name, self.settings, self.host, self.port, self.folder = name, settings, host, port, folder
        self.env = dict(env or {})
        """What some fault needs it to be started with."""
        self._substrate, self._recorder, self._apart = substrate, recorder, apart
        self.process: Process | None = None
        self.version = ""

    async def start(self, patience: float = 60.0) -> dict[str, str]:
        """Start it and wait until it answers; returns who it is."""
        program = Program(
            name=self.name,
            argv=self.settings.command(self.host, self.port, self.folder),
            env={**os.environ, **self.env},
            cwd=self.folder,
            apart=self._apart,
        )
        self.process = await self._substrate.start(
            program,
            on_exit=lambda process, code, t: self._recorder.record(
                Exit(t=t, process=self.name, pid=process.pid, code=code)
            ),
        )
        self._recorder.record(Up(t=clock.now(), process=self.name, pid=self.process.pid))
        identity = await answers(self.process, lambda: self.settings.identity(self.host, self.port), patience)
        self.version = identity["version"]
        if isinstance(self.settings, Telling):
            settings = await self.settings.config(self.host, self.port)
            self._recorder.record(Config(t=clock.now(), server=self.name, settings=settings))
        return identity

    @property
    def up(self) -> bool:
        return self.process is not None and self.process.alive

    async def identity(self) -> dict[str, str]:
        return await self.settings.identity(self.host, self.port)

    async def used(self) -> int | None:
        """Bytes of data in it; None where it cannot say, or not now."""
        if not self.up or not isinstance(self.settings, Telling):
            return None
        try:
            async with asyncio.timeout(1.0):
                return await self.settings.used(self.host, self.port)
        except (OSError, TimeoutError):
            return None

    async def rows(self, sql: str) -> list[tuple[str | None, ...]]:
        """What a query gives; only a server whose settings have `rows` can be asked."""
        assert isinstance(self.settings, Queryable)
        return await self.settings.rows(self.host, self.port, sql)

    async def end(self, number: signal.Signals) -> int:
        """Signal it and wait for the end of all of it; a server has children that must be gone before it can start
        again."""
        assert self.process is not None
        tree = self.process.tree()
        self.process.signal(number)
        code = await self.process.ended()
        while any(alive(pid) for pid in tree):
            await asyncio.sleep(0.002)
        return code


async def answers(process: Process, ask: Callable[[], Awaitable[T]], patience: float) -> T:
    """Ask a process until it answers; raises StartFailed, with the end of its log, when it dies or never does."""
    deadline, why = clock.now() + int(patience * clock.SECOND), ""
    while clock.now() < deadline:
        if not process.alive:
            raise ended(process)
        try:
            return await ask()
        except (OSError, BadAnswer) as error:
            why = str(error)
        await asyncio.sleep(0.003)
    raise StartFailed(
        f"{process.name} was not ready within {patience:g} s: {why}; the end of its log:\n{process.last_lines()}"
    )


class Worker:
    """One worker, started again as the restart policy says; each of its ends is recorded."""

    def __init__(self, program: Program, system: System, restart: str, says_ready: str | None = None) -> None:
        self.name, self._program, self._system, self._restart = program.name, program, system, restart
        self._says_ready = says_ready
        """What its log says once it consumes; None for one that writes a `ready` line itself."""
        self.process: Process | None = None
        self.restarts = 0

    async def start(self) -> None:
        since = len(self.process.logged()) if self.process else 0
        self.process = await self._system.substrate.start(self._program, on_exit=self._ended)
        self._system.recorder.record(Up(t=clock.now(), process=self.name, pid=self.process.pid))
        if self._says_ready is not None:
            self._system.tasks.create_task(self._until_it_says(self.process, self._says_ready, since))

    async def _until_it_says(self, process: Process, text: str, since: int) -> None:
        """Record that it is ready, in its stead."""
        while process.alive and text.encode() not in process.logged(since):
            await asyncio.sleep(0.01)
        if process.alive:
            self._system.recorder.record(Ready(t=clock.now(), worker=self.name, pid=process.pid))

    @property
    def ready(self) -> bool:
        """Whether the process there is now has said that it consumes."""
        return (
            self.process is not None and self.process.alive and (self.name, self.process.pid) in self._system.live.ready
        )

    def _ended(self, process: Process, code: int, t: int) -> None:
        self._system.recorder.record(Exit(t=t, process=self.name, pid=process.pid, code=code))
        self._system.live.pump()
        self._system.live.buried(process.pid)
        if self._system.stopping or self._restart == "never" or (self._restart == "on-failure" and code == 0):
            return
        self.restarts += 1
        self._system.tasks.create_task(self._again())

    async def _again(self) -> None:
        await asyncio.sleep(min(0.1 * 2 ** min(self.restarts, 5), 2.0) if self.restarts > 5 else 0.1)
        if not self._system.stopping:
            await self.start()


class System:
    """Everything a fault may touch, and what it needs to tell whether it took hold."""

    def __init__(
        self,
        substrate: Substrate,
        recorder: Recorder,
        live: Live,
        tasks: asyncio.TaskGroup,
        seed: int,
        scratch: str,
        address: Address,
    ) -> None:
        self.substrate, self.recorder, self.live, self.tasks = substrate, recorder, live, tasks
        self.scratch, self.address = scratch, address
        self.random = random.Random(seed)
        self.workers: dict[str, Worker] = {}
        self.servers: dict[str, Server] = {}
        self.links: dict[str, Link] = {}
        self.toxiproxy: Toxiproxy
        self.downstream: Downstream
        self.producer: Process
        self.producer_url = ""
        self.stopping = False

    async def hang_up(self) -> None:
        """End the conversation with the downstream, if it ever began."""
        if hasattr(self, "downstream"):
            await self.downstream.close()

    def links_to(self, name: str) -> list[Link]:
        """The links that a name means: `worker-1:redis`, or all that lead to `redis`."""
        return [link for full, link in self.links.items() if name in (full, full.partition(":")[2])]

    async def watch_handlers(self) -> None:
        """Record the end of every process below a worker: a pool's child may die and its worker live."""
        buried: set[int] = set()
        while True:
            for pid, worker in list(self.live.pids.items()):
                if pid not in buried and not alive(pid):
                    buried.add(pid)
                    self.recorder.record(Gone(t=clock.now(), process=worker, pid=pid))
                    self.live.pump()
                    self.live.buried(pid)
            await asyncio.sleep(0.02)
