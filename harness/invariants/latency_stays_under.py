"""Jobs are done in time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import msgspec

from harness.invariants._percentile import percentiles
from harness.invariants._window import cut_off, during, window
from harness.invariants._wording import counted
from harness.units import Duration
from harness.verdict import Finding, failed, passed, undecided

if TYPE_CHECKING:
    from harness.history.history import Bools, History, Ints

_RANKS = {"p50": 50.0, "p95": 95.0, "p99": 99.0, "max": 100.0}


class LatencyStaysUnder(msgspec.Struct, frozen=True, kw_only=True):
    """The time from when a job was meant to be offered until it is completed (or acked) stays under each bound given.

    Usually broken by a backlog that grows faster than the workers clear it, by one slow job ahead of many (a large
    prefetch), or by jobs that wait for a lease to run out. A job that is never completed is infinitely late. Time
    counts from the intended moment, so a stall of the system cannot hide by slowing the load down.
    """

    p99: Annotated[Duration | None, "the bound for 99 of 100 jobs"] = None
    p95: Annotated[Duration | None, "the bound for 95 of 100 jobs"] = None
    p50: Annotated[Duration | None, "the bound for half of the jobs"] = None
    max: Annotated[Duration | None, "the bound for every job"] = None
    phase: Annotated[str, "judge only jobs meant to be offered in this phase"] = ""
    of: Annotated[Literal["completion", "ack"], "what ends the wait"] = "completion"

    needs: ClassVar[tuple[str, ...]] = ()

    def problems(self) -> Iterator[str]:
        if not self._bounds():
            yield "give at least one bound: p50, p95, p99 or max"
        yield from (f"{name} must be more than 0s" for name, bound in self._bounds().items() if bound <= 0)

    def check(self, history: History) -> Finding:
        import numpy as np

        jobs = np.flatnonzero(self._judged(history))
        if not len(jobs):
            return undecided(f"No job was acked{during(self.phase)}.", of="acked jobs")
        late = self._lateness(history, jobs)
        measured = _ranked(late)
        says = f"{counted(len(jobs), 'job')}{during(self.phase)}: {self._figures(measured)}"
        if not self._broken(measured):
            return passed(f"{says}.", examined=len(jobs), of="acked jobs", **measured)
        certain = late if history.ended else np.minimum(late, self._waited(history, jobs))
        broken = self._certainly_broken(history, certain)
        if not broken:
            return undecided(f"{says}, but the run was cut short.", examined=len(jobs), of="acked jobs", **measured)
        slow = np.flatnonzero(certain > min(self._bounds()[name] for name in broken) * 1e9)
        worst = jobs[slow[np.argsort(-certain[slow], kind="stable")]]
        return failed(f"{says}: too late.", examined=len(jobs), of="acked jobs", jobs=worst, **measured)

    def _broken(self, measured: dict[str, float]) -> list[str]:
        return [name for name, bound in self._bounds().items() if measured[name] > bound]

    def _certainly_broken(self, history: History, late: Ints) -> list[str]:
        """The bounds that stay broken whatever a lost end of the history holds: jobs to come, or to be acked, may
        better any rank but the last."""
        broken = self._broken(_ranked(late))
        to_come = cut_off(history, self.phase) or (not history.ended and (history.offered & ~history.acked).any())
        return [name for name in broken if name == "max"] if to_come else broken

    def _bounds(self) -> dict[str, float]:
        given = {name: getattr(self, name) for name in _RANKS}
        return {name: bound for name, bound in given.items() if bound is not None}

    def _judged(self, history: History) -> Bools:
        stretch = window(history, self.phase)
        judged: Bools = history.acked & history.offered
        return judged & (stretch.holds(history.columns.intended) if stretch and self.phase else bool(stretch))

    def _lateness(self, history: History, jobs: Ints) -> Ints:
        import numpy as np

        from harness.history import columns as c
        from harness.history.history import NEVER

        ended = history.completed_at if self.of == "completion" else history.first_time(c.ACK)
        return np.where(ended[jobs] == NEVER, NEVER, ended[jobs] - history.columns.intended[jobs])

    def _waited(self, history: History, jobs: Ints) -> Ints:
        """How long each job had been waited for when the history stopped: what was open then ended, at best, at that
        moment."""
        waited: Ints = history.ends - history.columns.intended[jobs]
        return waited

    def _figures(self, measured: dict[str, float]) -> str:
        what = "completed" if self.of == "completion" else "acked"
        return f"{what} " + ", ".join(
            f"{name} {measured[name]:.3g} s (bound {bound:g} s)" for name, bound in self._bounds().items()
        )


def _ranked(late: Ints) -> dict[str, float]:
    return dict(zip(_RANKS, map(_seconds, percentiles(late, list(_RANKS.values()))), strict=True))


def _seconds(nanoseconds: int) -> float:
    from harness.history.history import NEVER

    return float("inf") if nanoseconds == NEVER else nanoseconds / 1e9
