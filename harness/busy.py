"""Cores that are kept busy on purpose, to see whether a verdict stands on a machine that has other things to do."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

LOOP = """
import ctypes, os, signal, sys
ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # it ends with whoever started it
if os.getppid() != int(sys.argv[1]):
    sys.exit()
while True:
    pass
"""


@contextmanager
def kept_busy(cores: int) -> Iterator[None]:
    """So many busy loops, each a process of its own, until the context ends."""
    import os

    argv = [sys.executable, "-c", LOOP, str(os.getpid())]
    loops = [subprocess.Popen(argv, stdin=subprocess.DEVNULL) for _ in range(cores)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
        for loop in loops:
            loop.wait()
