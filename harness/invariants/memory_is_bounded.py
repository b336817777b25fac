"""What is finished is forgotten."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar

import msgspec

from harness.history.events import Sample
from harness.invariants._wording import counted
from harness.units import Size
from harness.verdict import Finding, failed, passed, undecided

FEWEST = 100
"""Completed jobs without which the growth for each says nothing."""

if TYPE_CHECKING:
    from harness.history.history import History


class MemoryIsBounded(msgspec.Struct, frozen=True, kw_only=True):
    """The data of a server grow by no more than so much for each completed job, over the second half of the run.

    Usually broken by finished jobs, results and events that nobody removes: a queue server without `noeviction` then
    begins to throw jobs away, and one with it refuses them. Remove jobs on completion and on failure, or keep only so
    many of them.
    """

    per_job: Annotated[Size, "bytes of growth for each completed job"] = 128
    server: Annotated[str, "the server"] = "redis"

    needs: ClassVar[tuple[str, ...]] = ()

    def check(self, history: History) -> Finding:
        import numpy as np

        done, of = np.sort(history.completed_at[history.completed]), "completed jobs in the second half"
        sizes = self._sizes(history)
        if len(done) < FEWEST or not sizes:
            looks = counted(len(sizes), "look")
            says = f"Too little to judge: {counted(len(done), 'completed job')}, {looks} at {self.server}."
            return undecided(says, of=of)
        half = int(done[len(done) // 2])
        middle = next(((t, used) for t, used in sizes if t >= half), sizes[-1])
        last = sizes[-1]
        jobs = int(np.count_nonzero((done > middle[0]) & (done <= last[0])))
        if jobs < FEWEST // 4:
            return undecided(
                f"Too few jobs completed between two looks at {self.server}: {jobs}.", examined=jobs, of=of
            )
        each = (last[1] - middle[1]) / jobs
        measured = {"per_job": round(each, 1), "used": float(last[1])}
        told = f"{self.server} held {middle[1]:,} bytes half way and {last[1]:,} at the end"
        told += f": {each:,.0f} bytes for each of {counted(jobs, 'job')}"
        if each > self.per_job:
            return failed(f"{told}.", examined=jobs, of=of, **measured)
        return passed(f"{told}.", examined=jobs, of=of, **measured)

    def _sizes(self, history: History) -> list[tuple[int, int]]:
        """When the server was looked at, and how much it held."""
        looks = [note for note in history.of(Sample) if note.process == self.server]
        return [(note.t, note.used) for note in looks if note.used is not None]
