"""Lateness: how far sends strayed from their intended times, and whether the generator itself was the bottleneck."""

import time
from collections.abc import Sequence

import msgspec

LATE = 0.010
BUSY = 0.85


class Lateness(msgspec.Struct, frozen=True):
    """Seconds from a job's intended time to its sending: median, 99th percentile and worst."""

    p50: float = 0.0
    p99: float = 0.0
    max: float = 0.0


def lateness(nanoseconds: Sequence[int]) -> Lateness:
    """Summarise the lateness of every send; none at all is no lateness."""
    if not nanoseconds:
        return Lateness()
    ordered = sorted(nanoseconds)
    last = len(ordered) - 1
    p50, p99, worst = (ordered[round(share * last)] / 1e9 for share in (0.5, 0.99, 1.0))
    return Lateness(p50, p99, worst)


class Effort(msgspec.Struct, frozen=True):
    """What a process made of a span of time, in shares of it."""

    cpu: float = 0.0
    """It ran on a CPU."""
    queued: float = 0.0
    """It could have run, but the CPUs were busy with others."""


class Stopwatch:
    """Measures the effort of this process from its making on."""

    def __init__(self) -> None:
        self._wall, self._ran, self._queued = time.monotonic(), time.process_time(), _queued()

    def read(self) -> Effort:
        """The effort until now."""
        wall = max(time.monotonic() - self._wall, 1e-9)
        return Effort((time.process_time() - self._ran) / wall, (_queued() - self._queued) / wall)


def bottleneck(late: Lateness, effort: Effort, *, waited: bool) -> tuple[bool, str]:
    """Whether the generator, and not the system, kept jobs from being sent on time, and a sentence that says why.

    `effort` is that of the generator while it was sending; `waited`, whether a job had to wait for a connection.
    """
    if late.p99 <= LATE:
        return False, f"jobs were sent on time: p99 {late.p99 * 1e3:.1f} ms late"
    if waited:
        return False, "jobs were late because every connection was waiting for an answer of the system"
    used = f"the generator used {effort.cpu:.0%} of a CPU"
    if effort.cpu > BUSY:
        return True, f"jobs were late because {used}: give the load more processes"
    if effort.cpu + effort.queued > BUSY:
        return True, f"jobs were late because {used} and waited for one for another {effort.queued:.0%} of the time"
    return False, f"jobs were late though {used} and asked for no more: it was kept from running"


def _queued() -> float:
    """Seconds that this process's thread has waited for a CPU; 0 where the kernel does not count them."""
    try:
        with open("/proc/self/schedstat") as file:
            return int(file.read().split()[1]) / 1e9
    except FileNotFoundError:
        return 0.0
