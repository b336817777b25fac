"""Lanes: the cores of this machine dealt out among runs that go on side by side, so that none takes another's."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import pairwise

Lane = frozenset[int]
EVERYWHERE: Lane = frozenset()
ENOUGH = 2
"""Cores that a run must have to itself: on one, its workers would wait for its own load generator and servers."""


def lanes(jobs: int, cores: Iterable[int] | None = None) -> tuple[Lane, ...]:
    """A lane for each job, of cores that stand together and as even as can be.

    None where one run has the machine to itself, or where the lanes would be too narrow and all must share.
    """
    every = sorted(os.sched_getaffinity(0) if cores is None else cores)
    if jobs == 1 or len(every) < ENOUGH * jobs:
        return ()
    bounds = [len(every) * n // jobs for n in range(jobs + 1)]
    return tuple(frozenset(every[first:last]) for first, last in pairwise(bounds))


def warning(jobs: int, dealt: Sequence[Lane]) -> str:
    """What runs side by side may do to each other's figures, in a sentence; empty when one goes on at a time."""
    if jobs == 1:
        return ""
    if not dealt:
        return f"{jobs} runs at a time share the cores: they may disturb each other's figures; --jobs 1 does not"
    own = f"{jobs} runs at a time, each on {min(map(len, dealt))} cores of its own"
    return f"{own}: disk and memory are shared, and figures may differ a little from those of a run alone"
