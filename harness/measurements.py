"""What a run's history measures: each figure by its name, with its unit and which way is better."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

import msgspec
import numpy as np

from harness.history import columns as c
from harness.history.events import Sample
from harness.history.history import History, Ints
from harness.invariants._outages import outages
from harness.invariants._percentile import percentiles

Unit = Literal["rate", "duration", "size", ""]
RANKS = {"latency.p50": 50.0, "latency.p95": 95.0, "latency.p99": 99.0}


class Measurement(msgspec.Struct, frozen=True):
    """One figure of a run; `unit` is one of `harness.units`, or empty for a plain number."""

    name: str
    unit: Unit
    better: Literal["more", "less"]
    about: str

    def ratio(self, values: Iterable[float]) -> bool:
        """Whether values of this figure are best compared by their ratio: quantities, none of which is 0."""
        return bool(self.unit) and all(value > 0 for value in values)


MEASUREMENTS = (
    Measurement("throughput", "rate", "more", "jobs completed from the first offer to the last completion"),
    Measurement("latency.p50", "duration", "less", "from when a job was meant to be offered until it is completed"),
    Measurement("latency.p95", "duration", "less", "the same, for 95 of 100 acked jobs"),
    Measurement("latency.p99", "duration", "less", "the same, for 99 of 100 acked jobs"),
    Measurement("recovery", "duration", "less", "after the worst fault, until all that was acked before is settled"),
    Measurement("drain", "duration", "less", "after load and faults, until every acked job is settled"),
    Measurement("amplification", "", "less", "runs of handlers for each job that ran: 1 is without retries"),
    Measurement("duplicates", "", "less", "executions of jobs whose side effect had been committed before"),
    Measurement("memory", "size", "less", "the most that producer, workers and servers had resident, each at its peak"),
)
BY_NAME = {measurement.name: measurement for measurement in MEASUREMENTS}


def measure(history: History) -> dict[str, float]:
    """Every figure that this history allows, in the order of MEASUREMENTS.

    Always finite: a job that is not settled counts as if it were at the moment when the history stops, which is the
    least that it can have taken.
    """
    if not history.acked.any():
        return {}
    parts: tuple[Callable[[History], dict[str, float]], ...] = (_throughput, _latency, _recovery, _drain)
    parts += (_amplification, _duplicates, _memory)
    return {name: value for part in parts for name, value in part(history).items()}


def _throughput(history: History) -> dict[str, float]:
    offers, done = history.rows(c.OFFER).t, history.completed_at[history.completed]
    if not len(offers) or not len(done) or done.max() <= offers[0]:
        return {}
    return {"throughput": len(done) * 1e9 / int(done.max() - offers[0])}


def _latency(history: History) -> dict[str, float]:
    judged = history.acked & history.offered
    if not judged.any():
        return {}
    waited = np.minimum(history.completed_at, history.ends)[judged] - history.columns.intended[judged]
    ranked = percentiles(waited, list(RANKS.values()))
    return {name: value / 1e9 for name, value in zip(RANKS, ranked, strict=True)}


def _recovery(history: History) -> dict[str, float]:
    acked_at, settled_at = history.first_time(c.ACK), _settled(history)
    before = [(outage.over, settled_at[acked_at <= outage.over]) for outage in outages(history)]
    took = [max(0, int(times.max()) - over) for over, times in before if len(times)]
    return {"recovery": max(took) / 1e9} if took else {}


def _drain(history: History) -> dict[str, float]:
    offers = history.rows(c.OFFER).t
    if not len(offers):
        return {}
    since = max([int(offers[-1]), *(outage.over for outage in outages(history))])
    return {"drain": max(0, int(_settled(history)[history.acked].max()) - since) / 1e9}


def _amplification(history: History) -> dict[str, float]:
    runs = history.count(c.START)
    ran = int(np.count_nonzero(runs))
    return {"amplification": int(runs.sum()) / ran} if ran else {}


def _duplicates(history: History) -> dict[str, float]:
    """The downstream sees a job done again, whether it did the effect anew or knew the key."""
    effects = history.count(c.EFFECT)
    done = effects > 0
    again = effects[done] + history.count(c.REPLAY)[done] - 1
    return {"duplicates": float(again.sum())} if done.any() else {}


def _memory(history: History) -> dict[str, float]:
    peaks: dict[str, int] = {}
    for sample in history.of(Sample):
        peaks[sample.process] = max(sample.rss, peaks.get(sample.process, 0))
    return {"memory": float(sum(peaks.values()))} if peaks else {}


def _settled(history: History) -> Ints:
    return np.minimum(history.settled_at, history.ends)
