"""A run's scratch folder and loopback address: what two runs at once must not share, and what `clean` looks for."""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import os
import random
import socket
import time

GUARD, FIRST_PORT, LAST_PORT = 1033, 1100, 9000
NEW = 60.0
"""Seconds for which a folder is thought to be in the making."""


def root() -> str:
    """Where scratch folders stand: on tmpfs where there is one, since servers create and delete many small files."""
    shm = "/dev/shm"
    place = shm if os.access(shm, os.W_OK) and os.path.isdir(shm) else os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(place, f"jobharness-{os.getuid()}")


class Scratch:
    """A folder for one run, locked for as long as the harness that made it lives."""

    def __init__(self, run: str) -> None:
        self.folder = os.path.join(root(), run)
        os.makedirs(self.folder, mode=0o700)
        self._lock = os.open(os.path.join(self.folder, "lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC)
        fcntl.flock(self._lock, fcntl.LOCK_EX)

    def close(self) -> None:
        os.close(self._lock)


def abandoned() -> list[str]:
    """The scratch folders whose harness is gone."""
    with contextlib.suppress(FileNotFoundError):
        return [folder for name in sorted(os.listdir(root())) if _is_free(folder := os.path.join(root(), name))]
    return []


def _is_free(folder: str) -> bool:
    try:
        lock = os.open(os.path.join(folder, "lock"), os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return _is_old(folder)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except BlockingIOError:
        return False
    finally:
        os.close(lock)


def _is_old(folder: str) -> bool:
    """A folder without a lock may be one that a run is just making, if it is empty and new."""
    try:
        return bool(os.listdir(folder)) or time.time() - os.stat(folder).st_mtime > NEW
    except FileNotFoundError:
        return False


class Address:
    """A loopback address that only this run listens on, so that no port of one run can meet another's."""

    def __init__(self) -> None:
        self._ports = itertools.count(FIRST_PORT)
        for _ in range(50):
            self.host = f"127.{random.randint(1, 254)}.{random.randint(0, 254)}.{random.randint(2, 254)}"
            self._guard = socket.socket()
            try:
                self._guard.bind((self.host, GUARD))
                return
            except OSError:
                self._guard.close()
        raise OSError("no free address in 127.0.0.0/8")

    def port(self) -> int:
        """A port of this address that nothing uses, below those that the kernel gives to whoever asks for any: one of
        them could be given to a proxy before the server it was meant for has taken it."""
        for port in self._ports:
            with socket.socket() as probe, contextlib.suppress(OSError):
                probe.bind((self.host, port))
                return port
            if port > LAST_PORT:
                break
        raise OSError(f"no free port of {self.host}")

    def close(self) -> None:
        self._guard.close()
