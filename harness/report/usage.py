"""What each process used, from the samples of a run: its share of a core and its resident memory."""

from __future__ import annotations

import msgspec
import numpy as np

from harness.history.events import Sample
from harness.history.history import History
from harness.report.series import Floats

MOST_POINTS = 300
MEGABYTE = 1024 * 1024


class Usage(msgspec.Struct, frozen=True):
    """One process over time, seconds since the run began; nan where a restart makes the CPU of a stretch unknown."""

    process: str
    at: Floats
    cpu: Floats
    """Cores used since the sample before: 1 is one core's whole time."""
    rss: Floats
    """Bytes resident."""
    used: Floats
    """Bytes of data in it, as a server says itself; nan where it does not."""


def usages(history: History) -> tuple[Usage, ...]:
    """Every process that was sampled, in the order of their first samples."""
    by_process: dict[str, list[Sample]] = {}
    for sample in history.of(Sample):
        by_process.setdefault(sample.process, []).append(sample)
    return tuple(_usage(history, process, samples) for process, samples in by_process.items())


def _usage(history: History, process: str, samples: list[Sample]) -> Usage:
    at = np.array([sample.t - history.begins for sample in samples], np.float64) / 1e9
    used = np.array([sample.cpu for sample in samples], np.float64)
    rss = np.array([sample.rss for sample in samples], np.float64)
    data = np.array([np.nan if sample.used is None else sample.used for sample in samples], np.float64)
    kept = slice(None, None, -(-len(at) // MOST_POINTS))
    at, used, rss, data = at[kept], used[kept], _peaks(rss, kept.step), data[kept]
    since, more = np.diff(at), np.diff(used)
    # A process that was started anew counts from nothing again.
    known = (since > 0) & (more >= 0)
    cpu = np.where(known, more / np.where(known, since, 1.0), np.nan)
    return Usage(process, at, np.r_[np.nan, cpu], rss, data)


def _peaks(values: Floats, every: int) -> Floats:
    """The largest of each stretch of so many values: a peak is what a reader looks for."""
    padded = np.pad(values, (0, -len(values) % every), mode="edge")
    return np.asarray(padded.reshape(-1, every).max(axis=1), np.float64)
