"""The events of one kind, and the runs of handlers that follow from starts, finishes and deaths."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from harness.history import columns as c

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Deaths = dict[tuple[str, int], list[int]]
NEVER = np.iinfo(np.int64).max


class Rows(msgspec.Struct, frozen=True):
    """The events of one kind, in order of time."""

    t: Ints
    job: NDArray[np.int32]
    who: NDArray[np.int32]
    run: NDArray[np.int32]
    num: NDArray[np.int32]

    def of(self, jobs: Bools) -> Rows:
        """Those of some of the jobs."""
        at = np.flatnonzero(jobs[self.job])
        return Rows(self.t[at], self.job[at], self.who[at], self.run[at], self.num[at])


class Runs:
    """Runs of handlers in order of their start: the job, who ran it, when it began and how and when it ended."""

    def __init__(self, starts: Rows, finishes: Rows, columns: c.Columns, deaths: Deaths) -> None:
        self.job, self.who, self.start = starts.job, starts.who, starts.t
        place = np.full(columns.runs, -1, np.int32)
        place[starts.run] = np.arange(len(starts.run), dtype=np.int32)
        ended = place[finishes.run]
        known = np.flatnonzero(ended >= 0)
        self.finish = np.full(len(self.job), NEVER, np.int64)
        self.finish[ended[known]] = finishes.t[known]
        self.outcome = np.full(len(self.job), -1, np.int8)
        self.outcome[ended[known]] = finishes.num[known]
        self.died = died(columns.whos, deaths, self.who, self.start)
        """When the process that ran it ended; NEVER while it lived."""
        self.end = np.minimum(self.finish, self.died)

    def __len__(self) -> int:
        return len(self.job)


def died(whos: list[tuple[str, int]], deaths: Deaths, who: NDArray[np.int32], start: Ints) -> Ints:
    """Per run: the first death at or after its start of a process with its worker and pid; an earlier one was another
    process, since pids come again."""
    first = np.array([deaths.get(name, [NEVER])[0] for name in whos] + [NEVER], np.int64)[who]
    for number in (number for number, name in enumerate(whos) if len(deaths.get(name, ())) > 1):
        some, times = np.flatnonzero(who == number), np.array([*deaths[whos[number]], NEVER], np.int64)
        first[some] = times[np.searchsorted(times, start[some])]
    return np.where(first < start, NEVER, first)
