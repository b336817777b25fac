"""The machine that a run was made on, as far as figures depend on it."""

import os
import platform


def described() -> str:
    """Such as `Linux 6.1 x86_64, 2 cores, 8 GB`, and the host's name."""
    cores = len(os.sched_getaffinity(0))
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1024**3
    system = f"{platform.system()} {platform.release()} {platform.machine()}"
    return f"{system}, {cores} core{'' if cores == 1 else 's'}, {memory:.0f} GB, {platform.node()}"
