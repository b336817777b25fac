"""The default substrate: processes of this host below one keeper, no root and no Docker needed."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import errno
import functools
import json
import os
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from harness.substrate import keeper


class Program(msgspec.Struct, frozen=True, kw_only=True):
    """What to start: a name for its log, what to execute, and what it is given."""

    name: str
    argv: tuple[str, ...]
    env: dict[str, str] = {}
    cwd: str = "."
    apart: bool = False
    """In a user and IPC namespace of its own."""


class Process:
    """A started program."""

    def __init__(self, program: Program, pid: int, log: str) -> None:
        self.name, self.program, self.pid, self.log = program.name, program, pid, log
        self.exited: asyncio.Future[tuple[int, int]] = asyncio.get_running_loop().create_future()
        """Its exit code (negative: a signal) and when the keeper saw it."""

    @property
    def alive(self) -> bool:
        return not self.exited.done()

    async def ended(self) -> int:
        """Wait for its end."""
        return (await asyncio.shield(self.exited))[0]

    def signal(self, number: int) -> None:
        """Signal the process itself; one that has ended is left alone."""
        if self.alive:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def tree(self) -> list[int]:
        """Its pid and those of everything that descends from it."""
        return [self.pid, *keeper.descendants(self.pid)]

    def logged(self, since: int = 0) -> bytes:
        """What the log holds from this byte on; programs that had its name before wrote to it too."""
        with contextlib.suppress(FileNotFoundError), open(self.log, "rb") as file:
            file.seek(since)
            return file.read()
        return b""

    def last_lines(self, count: int = 12) -> str:
        """The end of its log, for a message."""
        with contextlib.suppress(FileNotFoundError), open(self.log, errors="replace") as file:
            return "".join(file.readlines()[-count:]).rstrip()
        return ""


class StartFailed(Exception):
    """A process of the stack did not start, or ended when it should not have."""


def ended(process: Process) -> StartFailed:
    """What to say of a process that should still be there."""
    code = process.exited.result()[0]
    return StartFailed(f"{process.name} ended with code {code}; the end of its log:\n{process.last_lines()}")


class Talk:
    """A line of JSON each way with a process: its stdin and stdout."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def hear(self) -> dict[str, Any]:
        """The next line it says; {} when it says no more."""
        line = await self._reader.readline()
        return json.loads(line) if line else {}

    def say(self, message: object) -> None:
        self._writer.write(json.dumps(message).encode() + b"\n")

    def close(self) -> None:
        self._writer.close()


class Substrate:
    """Starts processes and tells of their ends; leaving it ends them all."""

    def __init__(self, run: str, scratch: str, logs: str) -> None:
        self._run, self._scratch, self._logs = run, scratch, logs
        self._processes: dict[int, Process] = {}
        self._early: dict[int, tuple[int, int]] = {}
        self._talks: list[Talk] = []
        self._spawned: dict[int, asyncio.Future[int]] = {}
        self._stopped: asyncio.Future[list[int]] | None = None
        self.lost: asyncio.Future[None]
        """Fails when the keeper is gone, and with it, by PDEATHSIG, every process."""
        self.left: list[int] = []
        """Processes that would not die: pids."""

    async def __aenter__(self) -> Substrate:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._stopped, self.lost = (asyncio.get_running_loop().create_future() for _ in range(2))
        with theirs, open(os.path.join(self._logs, "keeper.log"), "ab") as log:
            argv = [sys.executable, "-I", "-S", keeper.__file__, str(theirs.fileno()), self._scratch]
            self._keeper = await asyncio.create_subprocess_exec(
                *argv,
                pass_fds=[theirs.fileno()],
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                env={**os.environ, "HARNESS_RUN": self._run},
            )
        ours.setblocking(False)
        self._socket = ours
        asyncio.get_running_loop().add_reader(ours, self._hear)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._stopped is not None
        with contextlib.suppress(OSError):
            self._socket.send(b'{"do": "stop"}')
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(keeper.PATIENCE + 5):
                self.left = await asyncio.shield(self._stopped)
                await self._keeper.wait()
        for talk in self._talks:
            talk.close()
        asyncio.get_running_loop().remove_reader(self._socket)
        self._socket.close()

    async def start(self, program: Program, *, on_exit: Callable[[Process, int, int], None] | None = None) -> Process:
        """Start a program; what it prints goes to its log."""
        return await self._start(program, [], on_exit)

    async def start_talking(self, program: Program) -> tuple[Process, Talk]:
        """Start a program whose stdin and stdout are a conversation."""
        ours, theirs = socket.socketpair()
        with theirs:
            process = await self._start(program, [theirs.fileno()], None)
        reader, writer = await asyncio.open_unix_connection(sock=ours)
        self._talks.append(Talk(reader, writer))
        return process, self._talks[-1]

    async def _start(
        self, program: Program, descriptors: Sequence[int], on_exit: Callable[[Process, int, int], None] | None
    ) -> Process:
        order = len(self._spawned)
        future = self._spawned[order] = asyncio.get_running_loop().create_future()
        log = os.path.join(self._logs, f"{program.name}.log")
        message = {
            "do": "spawn",
            "id": order,
            "argv": program.argv,
            "env": {**program.env, "HARNESS_RUN": self._run},
            "cwd": program.cwd,
            "log": log,
            "apart": program.apart,
        }
        socket.send_fds(self._socket, [json.dumps(message).encode()], descriptors)
        pid = await future
        process = self._processes[pid] = Process(program, pid, log)
        if on_exit is not None:
            process.exited.add_done_callback(lambda exited: on_exit(process, *exited.result()))
        if pid in self._early:
            process.exited.set_result(self._early.pop(pid))
        return process

    def _hear(self) -> None:
        try:
            message = self._socket.recv(1 << 20)
        except BlockingIOError:
            return
        if not message:
            self._lost()
            return
        fact = json.loads(message)
        if "spawned" in fact:
            self._note_start(fact["spawned"], fact["pid"])
        elif "exited" in fact:
            self._note_exit(fact["exited"], fact["code"], fact["t"])
        elif self._stopped is not None and not self._stopped.done():
            self._stopped.set_result(fact["left"])

    def _note_start(self, order: int, pid: int) -> None:
        """Tell whoever asked for it; if he was interrupted meanwhile, the keeper still ends the process."""
        if not self._spawned[order].done():
            self._spawned[order].set_result(pid)

    def _note_exit(self, pid: int, code: int, t: int) -> None:
        process = self._processes.get(pid)
        if process is None or not process.alive:
            self._early[pid] = (code, t)
        else:
            process.exited.set_result((code, t))

    def _lost(self) -> None:
        asyncio.get_running_loop().remove_reader(self._socket)
        if self._stopped is None or self._stopped.done():
            return
        self._stopped.set_result([])
        waiting: list[asyncio.Future[Any]] = [self.lost, *self._spawned.values()]
        for future in waiting:
            if not future.done():
                future.set_exception(StartFailed("the keeper, parent of every process of the run, was killed"))
                future.exception()  # whoever awaits it is told; nobody has to


def alive(pid: int) -> bool:
    """Whether a process exists and is no zombie."""
    return _state(str(pid)) not in "ZX"


def stands_still(pid: int) -> bool:
    """Whether every thread of a process is stopped, or there is no such process any more."""
    try:
        return all(_state(f"{pid}/task/{thread}") in "TtZX" for thread in os.listdir(f"/proc/{pid}/task"))
    except OSError:
        return True


def stopped(pid: int) -> bool:
    """Whether a process is stopped."""
    return _state(str(pid)) == "T"


def _state(entry: str) -> str:
    """The kernel's letter for what a process or a thread is doing: R, S, D, T (stopped), Z; X when there is none."""
    try:
        with open(f"/proc/{entry}/stat") as file:
            return file.read().rpartition(")")[2].split()[0]
    except OSError:
        return "X"


def send(pids: Sequence[int], number: signal.Signals) -> None:
    """Signal the main thread of each of these processes that still exists.

    Threads that wake from a stop race for a signal of the whole process, and a Python whose other thread wins never
    hears of it.
    """
    for pid in pids:
        if _libc().tgkill(pid, pid, number) and ctypes.get_errno() != errno.ESRCH:
            raise OSError(ctypes.get_errno(), f"cannot send {number.name} to pid {pid}")


@functools.cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
