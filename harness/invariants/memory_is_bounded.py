"""What is finished is forgotten."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar

import msgspec

from harness.history import columns as c
from harness.history.events import Sample
from harness.invariants._wording import counted
from harness.units import Size
from harness.verdict import Finding, failed, passed, undecided

FEWEST = 100
"""Completed jobs without which the growth for each says nothing."""

WAITING = 100
"""One job in so many may wait when the server is looked at."""

if TYPE_CHECKING:
    from harness.history.history import History, Ints


STRIDE, STEPS = 2, 5
"""Growth is taken over so many looks, and its median counts from so many such steps on."""


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
        of = "completed jobs in the second half"
        looks = _looks(history, self.server)
        if (few := int(history.completed.sum())) < FEWEST or not len(looks.t):
            seen = counted(len(looks.t), "look")
            says = f"Too little to judge: {counted(few, 'completed job')}, {seen} at {self.server}."
            return undecided(says, of=of)
        calm = _calm(looks, few)
        middle, last = (int(calm[0]), int(calm[-1])) if len(calm) else (-1, -1)
        jobs = int(looks.done[last] - looks.done[middle])
        if jobs < FEWEST // 4:
            says = f"Too few jobs completed between two looks at {self.server} with hardly a job waiting: {jobs}."
            return undecided(says, examined=jobs, of=of)
        each = _growth(looks, calm)
        measured = {"per_job": round(each, 1), "used": float(looks.used[last])}
        told = f"{self.server} held {looks.used[middle]:,} bytes half way and {looks.used[last]:,} at the end"
        told += f": {each:,.0f} bytes for each of {counted(jobs, 'job')}"
        if each <= self.per_job:
            return passed(f"{told}.", examined=jobs, of=of, **measured)
        if not history.ended:
            # What keeps only so many jobs grows until it has them.
            return undecided(f"The run was cut short; {told}.", examined=jobs, of=of, **measured)
        return failed(f"{told}.", examined=jobs, of=of, **measured)


class Looks(msgspec.Struct, frozen=True):
    """When a server was looked at, how much it held, and how many jobs were completed and waiting by then."""

    t: Ints
    used: Ints
    done: Ints
    waiting: Ints


def _looks(history: History, server: str) -> Looks:
    import numpy as np

    notes = [note for note in history.of(Sample) if note.process == server and note.used is not None]
    t, used = (np.array([getattr(note, name) for note in notes], np.int64) for name in ("t", "used"))
    acked, settled = history.first_time(c.ACK)[history.acked], history.settled_at[history.acked]
    done, came, left = (
        np.searchsorted(np.sort(times), t, side="right") for times in (history.completed_at, acked, settled)
    )
    return Looks(t, used, done, came - left)


def _growth(looks: Looks, calm: Ints) -> float:
    """Bytes for each job, from look to look: the lesser of what the ends say and what most of the way says.

    A connection takes 25 KB of a Redis that counts them as data, so a few new ones make the end larger than the
    middle. They come in a few steps; what is kept of each job comes all the way.
    """
    import numpy as np

    first, last = calm[0], calm[-1]
    ends = int(looks.used[last] - looks.used[first]) / int(looks.done[last] - looks.done[first])
    grown, done = (
        looks.used[calm[STRIDE:]] - looks.used[calm[:-STRIDE]],
        looks.done[calm[STRIDE:]] - looks.done[calm[:-STRIDE]],
    )
    steps = grown[done > 0] / done[done > 0]
    return min(ends, float(np.median(steps))) if len(steps) >= STEPS else ends


def _calm(looks: Looks, jobs: int) -> Ints:
    """The looks in the second half of these jobs at which hardly a job waited: one that waits takes memory, too."""
    import numpy as np

    calm: Ints = np.flatnonzero((looks.done >= jobs // 2) & (looks.waiting <= max(1, jobs // WAITING)))
    return calm
