"""Runs of jobs by what they follow, and the waves in which retries come back."""

from __future__ import annotations

from itertools import pairwise

import msgspec
import numpy as np

from harness.history import columns as c
from harness.history.history import NEVER, History, Ints
from harness.invariants._repeats import repeats, retries
from harness.invariants._waves import GAP
from harness.report.series import Floats

FEWEST = 5
"""Jobs that failed together, below which they are no wave."""
MOST_WAVES = 12


class Starts(msgspec.Struct, frozen=True):
    """When runs began: the first of each job, after a failure, after a death, and any other that came again."""

    first: Ints
    retried: Ints
    redelivered: Ints
    again: Ints


class Wave(msgspec.Struct, frozen=True):
    """Jobs whose same-numbered runs failed without a pause; `delays` are the waits, in order, until each ran again."""

    retry: int
    """1 for the first retry."""
    failed: tuple[float, float]
    """From when to when they failed, seconds since the run began."""
    delays: Floats

    @property
    def middle(self) -> tuple[float, float]:
        """The wait that a tenth stays below, and the one that a tenth exceeds."""
        last = len(self.delays) - 1
        return float(self.delays[round(last * 0.1)]), float(self.delays[round(last * 0.9)])


def starts(history: History) -> Starts:
    """Every run that began, once."""
    pairs = history.once(repeats)
    runs, after = pairs.runs, pairs.runs.start[pairs.after]
    failed = runs.outcome[pairs.before] == c.FAILED
    died = ~failed & (runs.finish[pairs.before] == NEVER) & (runs.died[pairs.before] <= after)
    first = history.first_time(c.START)
    return Starts(first[first != NEVER], after[failed], after[died], after[~failed & ~died])


def waves(history: History) -> tuple[Wave, ...]:
    """Every wave of retries, in order of time."""
    found = history.once(retries)
    order = np.lexsort((found.failed_at, found.attempt))
    attempt, failed_at = found.attempt[order], found.failed_at[order]
    delay = np.maximum(found.started_at[order] - failed_at, 0.0)
    begins = np.flatnonzero((np.diff(failed_at) > GAP) | (np.diff(attempt) != 0)) + 1
    bounds = [0, *begins.tolist(), len(order)]
    parts = [slice(since, until) for since, until in pairwise(bounds) if until - since >= FEWEST]
    made = [
        Wave(int(attempt[at][0]), (float(failed_at[at][0]), float(failed_at[at][-1])), np.sort(delay[at]))
        for at in parts
    ]
    return tuple(sorted(made, key=lambda wave: (wave.failed[0], wave.retry)))


def largest(waves: tuple[Wave, ...]) -> tuple[Wave, ...]:
    """As many waves as are shown: those of most jobs, still in order of time."""
    kept = sorted(range(len(waves)), key=lambda n: -len(waves[n].delays))[:MOST_WAVES]
    return tuple(waves[n] for n in sorted(kept))
