"""A lease lasts as long as the work that it covers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, ClassVar

import msgspec

from harness.history.history import NEVER
from harness.invariants._percentile import percentiles
from harness.invariants._wording import seconds
from harness.verdict import Finding, failed, passed, undecided

if TYPE_CHECKING:
    from harness.history.history import History


class LeaseCoversHandler(msgspec.Struct, frozen=True, kw_only=True):
    """The lease is several times as long as the handler's 99th percentile, or is extended while the handler works.

    Usually broken by a handler that has become slower than anybody thought when the timeout was set: the queue hands
    the job out again while it runs. Measure the handler, make the lease three times its p99, or extend it while it
    works.
    """

    times: Annotated[float, "how many times the handler's p99 the lease must be"] = 3.0

    needs: ClassVar[tuple[str, ...]] = ("attempts",)

    def problems(self) -> Iterator[str]:
        if self.times < 1:
            yield f"times must be at least 1, got {self.times:g}"

    def check(self, history: History) -> Finding:
        runs, of = history.runs, "finished runs"
        took = (runs.finish - runs.start)[runs.finish != NEVER]
        waits = history.planned.waits if history.planned else None
        if waits is None or not waits.lease:
            return undecided("The target does not say how long its lease is.", examined=0, of=of)
        if not len(took):
            return undecided("No run of a handler has ended.", of=of)
        p99 = percentiles(took, [99])[0]
        measured = {"lease_s": waits.lease, "p99_s": round(p99 / 1e9, 3)}
        told = f"the lease is {waits.lease:g} s, the handler's p99 {seconds(p99)}"
        if waits.extended:
            return passed(f"It is extended while the handler works; {told}.", examined=len(took), of=of, **measured)
        if waits.lease * 1e9 < self.times * p99:
            slow = runs.job[(runs.finish != NEVER) & (runs.finish - runs.start >= p99)]
            says = f"Not extended, and under {self.times:g} times the handler's p99: {told}."
            jobs = dict.fromkeys(slow.tolist())
            if not history.ended:
                return undecided(f"The run was cut short. {says}", examined=len(took), of=of, jobs=jobs, **measured)
            return failed(says, examined=len(took), of=of, jobs=jobs, **measured)
        return passed(
            f"At least {self.times:g} times the handler's p99: {told}.", examined=len(took), of=of, **measured
        )
