"""The load was the load that was planned."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec

from harness.invariants._percentile import percentiles
from harness.invariants._wording import counted, seconds
from harness.verdict import Finding, passed, undecided

if TYPE_CHECKING:
    from harness.history.history import History, Ints

LATE = 100_000_000
"""Nanoseconds of lateness at the 99th percentile from which on it is mentioned as the generator's weakness."""


class LoadWasOffered(msgspec.Struct, frozen=True):
    """Every planned arrival was offered, and some were acked.

    Checked in every run. A generator that thins the load out, or a system that took no job at all, leaves nothing to
    judge, so such a run is INCONCLUSIVE. How late the offers were is measured; latencies count from the intended
    moment, so lateness hides nothing.
    """

    needs: ClassVar[tuple[str, ...]] = ()

    def check(self, history: History) -> Finding:
        from harness.history import columns as c

        offered, acked, dropped = int(history.offered.sum()), int(history.acked.sum()), len(history.rows(c.DROP).t)
        planned = history.planned.jobs if history.planned else 0
        measured = {"planned": planned, "offered": offered, "acked": acked, "dropped": dropped}
        if trouble := _trouble(history, offered, acked, dropped):
            return undecided(trouble, examined=offered, of="offered jobs", **measured)
        p50, p99, most = percentiles(_lateness(history), [50, 99, 100])
        late = {"late_p50_ms": p50 / 1e6, "late_p99_ms": p99 / 1e6, "late_max_ms": most / 1e6}
        remark = "; the generator was late" if p99 > LATE else ""
        says = (
            f"{counted(offered, 'job')} offered, {acked:,} acked; p99 {seconds(p99)} after the intended time{remark}."
        )
        return passed(says, examined=offered, of="offered jobs", **measured, **late)


def _trouble(history: History, offered: int, acked: int, dropped: int) -> str:
    if history.planned is None:
        return "The history does not say what was planned."
    if not acked:
        return f"{counted(offered, 'job')} offered, none acked: there is nothing to judge."
    if asked := int((history.acked & ~history.offered).sum()):
        return f"{counted(asked, 'job')} acked, and never offered."
    if dropped:
        return f"The generator dropped {counted(dropped, 'arrival')}, and offered {offered:,}."
    planned = history.planned.jobs
    return f"{counted(planned, 'arrival')} planned, {offered:,} offered." if offered < planned else ""


def _lateness(history: History) -> Ints:
    """How long after its intended moment each job was first offered."""
    import numpy as np

    from harness.history import columns as c

    offered = history.offered
    late: Ints = np.maximum(0, history.first_time(c.OFFER)[offered] - history.columns.intended[offered])
    return late
