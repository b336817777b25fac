"""Finds and removes what a run left whose harness and keeper were both killed."""

from __future__ import annotations

import contextlib
import os
import signal
import time

from harness.substrate import keeper, scratch

PATIENCE = 10.0


def remove() -> tuple[list[str], list[str]]:
    """What was removed, and what would not go; a line each."""
    removed: list[str] = []
    left: list[str] = []
    processes = _processes()  # before the folders: a run that begins now has its folder before its first process
    alive = {os.path.basename(folder) for folder in set(_folders()) - set(scratch.abandoned())}
    for pid, (run, command) in processes.items():
        if run not in alive and pid != os.getpid():
            (removed if _kill(pid) else left).append(f"process {pid} of run {run}: {command}")
    for folder in scratch.abandoned():
        keeper.remove(folder)
        (left if os.path.exists(folder) else removed).append(f"scratch folder {folder}")
    return removed, left


def _folders() -> list[str]:
    with contextlib.suppress(FileNotFoundError):
        return [os.path.join(scratch.root(), name) for name in os.listdir(scratch.root())]
    return []


def _processes() -> dict[int, tuple[str, str]]:
    """Every process of this user that carries a run's mark in its environment: its run, and what it executes."""
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        with (
            contextlib.suppress(OSError),
            open(f"/proc/{name}/status") as status,
            open(f"/proc/{name}/environ", "rb") as environ,
            open(f"/proc/{name}/cmdline", "rb") as command,
        ):
            if f"\nUid:\t{os.getuid()}\t" not in status.read():
                continue  # another user's run has its folder elsewhere
            for variable in environ.read().split(b"\0"):
                if variable.startswith(b"HARNESS_RUN="):
                    found[int(name)] = (
                        variable.partition(b"=")[2].decode(),
                        command.read().replace(b"\0", b" ").decode(errors="replace")[:100].strip(),
                    )
    return found


def _kill(pid: int) -> bool:
    deadline = time.monotonic() + PATIENCE
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)
    while time.monotonic() < deadline:
        with contextlib.suppress(FileNotFoundError), open(f"/proc/{pid}/stat") as stat:
            if stat.read().rpartition(")")[2].split()[0] not in "ZX":
                time.sleep(0.01)
                continue
        return True
    return False
