"""The cache folder: server programs and targets' dependencies, each made once, under a lock, and kept by the hash of
what it was made from."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator

from harness.progress import note


class SetUpFailed(Exception):
    """Something that must be installed could not be."""


def root() -> str:
    """`HARNESS_CACHE`, else the user's cache folder, else `.cache` here when there is no home to write to."""
    if named := os.environ.get("HARNESS_CACHE"):
        return os.path.abspath(named)
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    with contextlib.suppress(OSError):
        os.makedirs(home, exist_ok=True)
    return os.path.join(home if os.access(home, os.W_OK) else os.path.abspath(".cache"), "jobharness")


def made(name: str, make: Callable[[str], None], *, says: str) -> str:
    """The folder `name` of the cache, made by `make` if it is not there yet; two processes never make it at once."""
    folder = os.path.join(root(), name)
    if os.path.exists(os.path.join(folder, ".made")):
        return folder
    with _locked(folder):
        if not os.path.exists(os.path.join(folder, ".made")):
            note(says)
            shutil.rmtree(folder, ignore_errors=True)
            os.makedirs(folder)
            make(folder)
            with open(os.path.join(folder, ".made"), "w"):
                pass
    return folder


@contextlib.contextmanager
def _locked(folder: str) -> Iterator[None]:
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    with open(f"{folder}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def command(argv: list[str], *, what: str, cwd: str | None = None, **env: str) -> None:
    """Run a step of a set-up; a failure says what was being done and the end of what the step printed."""
    try:
        done = subprocess.run(
            argv,
            cwd=cwd,
            env={**os.environ, **env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
    except FileNotFoundError as error:
        raise SetUpFailed(f"{what}: {argv[0]} is not on this machine") from error
    if done.returncode:
        raise SetUpFailed(f"{what} failed ({' '.join(argv)}):\n" + "\n".join(done.stdout.splitlines()[-12:]))
