"""Dying with one's parent, as every process in a container or a systemd unit does (Linux only)."""

import ctypes
import os
import signal

PR_SET_PDEATHSIG = 1


def die_with(parent: int) -> None:
    """Get SIGKILL when the parent process, whose pid this is, has ended; at once if it already has."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL):
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG) was refused")
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)
