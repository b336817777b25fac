"""Time series of a history: rates, backlog, ages and latencies in equal bins of the run's time."""

from __future__ import annotations

from math import ceil, floor, log10

import msgspec
import numpy as np
from numpy.typing import NDArray

from harness.history import columns as c
from harness.history.history import NEVER, History, Ints

Floats = NDArray[np.float64]
PERCENTILES = (50, 95, 99)
MOST_BINS = 200
FEWEST_BINS = 40
JOBS_PER_BIN = 4


class Bins(msgspec.Struct, frozen=True):
    """`count` stretches of `width` seconds from the run's beginning, which is `begins` on the history's clock."""

    begins: int
    width: float
    count: int

    @property
    def seconds(self) -> float:
        return self.width * self.count

    @property
    def middles(self) -> Floats:
        return np.asarray((np.arange(self.count) + 0.5) * self.width, np.float64)

    @property
    def ends(self) -> Ints:
        """When each bin ends, on the history's clock."""
        return self.begins + np.round((np.arange(self.count) + 1) * self.width * 1e9).astype(np.int64)

    def of(self, times: Ints) -> Ints:
        """The number of the bin that each time falls in; `count` for those outside the run."""
        bins = np.floor((times - self.begins) / (self.width * 1e9)).astype(np.int64)
        return np.where((bins >= 0) & (bins < self.count), bins, self.count)

    def tally(self, times: Ints) -> Ints:
        """How many of the times fall in each bin."""
        return np.bincount(self.of(times), minlength=self.count + 1)[: self.count]

    def rate(self, times: Ints) -> Floats:
        """How many of the times fall in each bin, per second."""
        return self.tally(times) / self.width


class Series(msgspec.Struct, frozen=True):
    """Every series of one history over the same bins."""

    bins: Bins
    offered: Floats
    acked: Floats
    completed: Floats
    backlog: Ints
    """Acked jobs that were neither completed nor given up when the bin ended."""
    oldest: Floats
    """How many seconds before the bin ended the oldest of them had been acked; 0 where there was none."""
    latency: tuple[Floats, ...]
    """Seconds from the intended time to completion, one series per percentile of PERCENTILES, by intended time; nan
    where no job was due."""
    given_up: Ints
    """Runs that ended `dead` until the bin ended."""
    effects: Floats
    replays: Floats
    refused: dict[str, Floats]
    """Calls refused, by how."""


def series(history: History) -> Series:
    """The series of a history, empty ones included."""
    bins = bins_of(history)
    acked_at, completed_at = history.first_time(c.ACK), history.completed_at
    finishes = history.rows(c.FINISH)
    return Series(
        bins=bins,
        offered=bins.rate(history.rows(c.OFFER).t),
        acked=bins.rate(_known(acked_at)),
        completed=bins.rate(_known(completed_at)),
        backlog=_backlog(bins, acked_at, history.settled_at),
        oldest=_oldest(bins, acked_at, history.settled_at),
        latency=_latency(bins, history.columns.intended, completed_at),
        given_up=np.cumsum(bins.tally(finishes.t[finishes.num == c.DEAD])),
        effects=bins.rate(history.rows(c.EFFECT).t),
        replays=bins.rate(history.rows(c.REPLAY).t),
        refused=_refused(bins, history),
    )


def bins_of(history: History) -> Bins:
    """Between 100 and 200 bins of a round width; fewer where so few jobs were offered that a bin would hold one or
    none."""
    seconds = max((history.ends - history.begins) / 1e9, 0.001)
    most = min(max(history.jobs / JOBS_PER_BIN, FEWEST_BINS), MOST_BINS)
    width = _round_up(seconds / most)
    return Bins(history.begins, width, max(1, ceil(seconds / width)))


def _round_up(width: float) -> float:
    """The next of 1, 2, 2.5, 5 and 10 times a power of ten: steps of at most two, so that the number of bins at most
    halves."""
    power = 10.0 ** floor(log10(width))
    return next(step * power for step in (1, 2, 2.5, 5, 10) if step * power >= width * (1 - 1e-9))


def _known(times: Ints) -> Ints:
    return np.asarray(times[times != NEVER], np.int64)


def _backlog(bins: Bins, acked_at: Ints, settled_at: Ints) -> Ints:
    acked = acked_at != NEVER
    came = acked_at[acked]
    # A fast worker may finish a job before its producer has heard the ack: such a job never waited.
    went = np.maximum(settled_at[acked], came)
    return np.cumsum(bins.tally(came) - bins.tally(_known(went)))


def _oldest(bins: Bins, acked_at: Ints, settled_at: Ints) -> Floats:
    acked = np.flatnonzero(acked_at != NEVER)
    order = acked[np.argsort(acked_at[acked], kind="stable")]
    came, ends = np.append(acked_at[order], NEVER), np.minimum(bins.ends, NEVER - 1)
    # In the order of acks, the first that settles after a moment is also the first whose running maximum does.
    oldest = came[np.searchsorted(np.maximum.accumulate(settled_at[order]), ends, side="right")]
    return np.where(oldest <= ends, ends - np.minimum(oldest, ends), 0) / 1e9


def _latency(bins: Bins, intended: Ints, completed_at: Ints) -> tuple[Floats, ...]:
    judged = (completed_at != NEVER) & (intended > 0)
    bin_of, waited = bins.of(intended[judged]), (completed_at[judged] - intended[judged]) / 1e9
    order = np.lexsort((waited, bin_of))
    waited = waited[order]
    firsts = np.searchsorted(bin_of[order], np.arange(bins.count + 1))
    return tuple(_nearest_rank(waited, firsts, percentile) for percentile in PERCENTILES)


def _nearest_rank(waited: Floats, firsts: Ints, percentile: int) -> Floats:
    """Per bin: the smallest wait that `percentile` per cent of its jobs did not exceed."""
    sizes = np.diff(firsts)
    out = np.full(len(sizes), np.nan)
    some = sizes > 0
    ranks = -(-sizes[some] * percentile // 100)
    out[some] = waited[firsts[:-1][some] + ranks - 1]
    return out


def _refused(bins: Bins, history: History) -> dict[str, Floats]:
    rows = np.flatnonzero(history.columns.kind == c.REFUSE)
    texts, how = np.unique(history.columns.text[rows], return_inverse=True)
    times = history.columns.t[rows]
    return {history.columns.texts[text]: bins.rate(times[how == n]) for n, text in enumerate(texts)}
