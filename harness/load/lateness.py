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


class Effort:
    """How busy this process is, from its making until `stop`."""

    def __init__(self) -> None:
        self._wall, self._busy = time.monotonic(), time.process_time()
        self.cpu = 0.0
        """The share of one CPU that was used, known once stopped."""

    def stop(self) -> None:
        """End the measurement."""
        self.cpu = (time.process_time() - self._busy) / max(time.monotonic() - self._wall, 1e-9)


def bottleneck(late: Lateness, cpu: float, *, waited: bool) -> tuple[bool, str]:
    """Whether the generator, and not the system, kept jobs from being sent on time, and a sentence that says why.

    `cpu` is the share of one CPU it used while it was sending; `waited`, whether a job had to wait for a connection.
    """
    if late.p99 <= LATE:
        return False, f"jobs were sent on time: p99 {late.p99 * 1e3:.1f} ms late"
    if waited:
        return False, "jobs were late because every connection was waiting for an answer of the system"
    if cpu > BUSY:
        return True, f"jobs were late because the generator used {cpu:.0%} of a CPU: give the load more processes"
    return False, f"jobs were late though the generator used only {cpu:.0%} of a CPU: the host had no time for it"
