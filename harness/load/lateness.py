"""Lateness: how far sends strayed from their intended times, and whether the generator itself was the bottleneck."""

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


def bottleneck(late: Lateness, cpu: float, waited: bool) -> tuple[bool, str]:
    """Whether the generator, and not the system, kept jobs from being sent on time, and a sentence that says why."""
    if late.p99 <= LATE:
        return False, f"jobs were sent on time: p99 {late.p99 * 1e3:.1f} ms late"
    if waited:
        return False, "jobs were late because every connection was waiting for an answer of the system"
    if cpu >= BUSY:
        return True, f"jobs were late because the generator's CPU was {cpu:.0%} busy: give the load more processes"
    return True, f"jobs were late though the generator's CPU was {cpu:.0%} busy: the host had no time for it"
