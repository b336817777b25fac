"""The folder of a run: where each value of it is kept as it is made."""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import time
import weakref

import msgspec

LATEST = "latest"


class Folder:
    """`reports/<time>-<scenario>-<target>-<mark>/`; the mark keeps apart runs that begin in the same second."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.id = os.path.basename(path)

    def __call__(self, *parts: str) -> str:
        return os.path.join(self.path, *parts)

    def save(self, name: str, value: object) -> None:
        """Keep a value as JSON."""
        with open(self(name), "wb") as file:
            file.write(msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n")


def make(reports: str, scenario: str, target: str) -> Folder:
    """A new folder for a run that begins now; `reports/latest` points to it."""
    folder = Folder(os.path.abspath(named(reports, scenario, target)))
    os.makedirs(folder.path)
    os.mkdir(folder("events"))
    os.mkdir(folder("logs"))
    _hold(folder)
    _point(os.path.join(reports, LATEST), folder.id)
    return folder


def is_held(path: str) -> bool:
    """Whether the process that made this run's folder still has it in hand."""
    try:
        there = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return False
    try:
        fcntl.flock(there, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return False
    except BlockingIOError:
        return True
    finally:
        os.close(there)


def _hold(folder: Folder) -> None:
    """Lock the folder for as long as the value lives; a process that is killed lets go of it."""
    there = os.open(folder.path, os.O_RDONLY | os.O_DIRECTORY)
    fcntl.flock(there, fcntl.LOCK_EX)
    weakref.finalize(folder, os.close, there)


def named(reports: str, what: str, target: str) -> str:
    """A path in the folder of reports that is like no other."""
    return os.path.join(reports, f"{time.strftime('%Y%m%dT%H%M%S')}-{what}-{target}-{secrets.token_hex(3)}")


def _point(link: str, name: str) -> None:
    fresh = f"{link}.{name}"
    with contextlib.suppress(OSError):
        os.symlink(name, fresh)
        os.replace(fresh, link)
