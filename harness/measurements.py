"""What a run's history measures: each figure by its name, with its unit and which way is better."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

import msgspec
import numpy as np

from harness.history import columns as c
from harness.history.events import Sample
from harness.history.history import History, Ints
from harness.invariants._calls import busiest, calls, offered_rate
from harness.invariants._outages import outages
from harness.invariants._percentile import percentiles

Unit = Literal["rate", "duration", "size", ""]
SEEN_ELSEWHERE = ("recovery.first", "recovery.pace", "age", "calls", "calls.peak")
"""Figures that mostly say again what another one says."""
PACE = 0.9
"""The part of the throughput before a fault that counts as having it back."""
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
    Measurement("recovery.first", "duration", "less", "after the worst fault, until any job is completed"),
    Measurement(
        "recovery.pace", "duration", "less", "after the worst fault, until jobs are completed as fast as before"
    ),
    Measurement("drain", "duration", "less", "after load and faults, until every acked job is settled"),
    Measurement("age", "duration", "less", "the oldest a job became before it was settled"),
    Measurement("amplification", "", "less", "runs of handlers for each job that ran: 1 is without retries"),
    Measurement("calls", "", "less", "calls of the provider for each job that it saw"),
    Measurement("calls.peak", "", "less", "the most calls of the provider in a second, over the offered rate"),
    Measurement("duplicates", "", "less", "executions of jobs whose side effect had been committed before"),
    Measurement("memory", "size", "less", "the most that producer, workers and servers had resident, each at its peak"),
)
COMPARED = tuple(one for one in MEASUREMENTS if one.name not in SEEN_ELSEWHERE)
"""Those that a comparison looks at unless it is told which: each more makes it harder to be sure of any."""
BY_NAME = {measurement.name: measurement for measurement in MEASUREMENTS}


def measure(history: History) -> dict[str, float]:
    """Every figure that this history allows, in the order of MEASUREMENTS.

    Always finite: a job that is not settled counts as if it were at the moment when the history stops, which is the
    least that it can have taken.
    """
    if not history.acked.any():
        return {}
    parts: tuple[Callable[[History], dict[str, float]], ...] = (_throughput, _latency, _recovery, _first, _pace, _drain)
    parts += (_age, _amplification, _calls, _duplicates, _memory)
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


def _first(history: History) -> dict[str, float]:
    """Only what was acked before the fault was over could be completed at once."""
    done, acked_at, settled_at = (
        np.sort(history.completed_at[history.completed]),
        history.first_time(c.ACK),
        _settled(history),
    )
    took = [
        (int(done[place]) if (place := int(np.searchsorted(done, outage.over, "right"))) < len(done) else history.ends)
        - outage.over
        for outage in outages(history)
        if ((acked_at <= outage.over) & (settled_at > outage.over)).any()
    ]
    return {"recovery.first": max(took) / 1e9} if took else {}


def _pace(history: History) -> dict[str, float]:
    """From the end of a fault to the first second in which as many jobs are completed as were on average before the
    first fault; faults with no such second before them cannot be measured, nor those after which there was not so
    much to do."""
    struck, done = outages(history), np.sort(history.completed_at[history.completed])
    if not struck or not len(done):
        return {}
    since, until = int(done[0]), struck[0].injected
    if until - since < 1e9:
        return {}
    wanted = max(1.0, PACE * np.count_nonzero(done < until) / ((until - since) / 1e9))
    left = np.sort(_settled(history)[history.acked])
    ends = np.searchsorted(done, done + int(1e9), "left") - np.arange(len(done))
    fast = done[ends >= wanted]
    took = [
        (int(fast[place]) if (place := int(np.searchsorted(fast, outage.over))) < len(fast) else history.ends)
        - outage.over
        for outage in struck
        if len(left) - np.searchsorted(left, outage.over, "right") >= wanted
    ]
    return {"recovery.pace": max(took) / 1e9} if took else {}


def _age(history: History) -> dict[str, float]:
    judged = history.acked & history.offered
    if not judged.any():
        return {}
    return {"age": float((_settled(history) - history.columns.intended)[judged].max()) / 1e9}


def _calls(history: History) -> dict[str, float]:
    made, rate = calls(history), offered_rate(history)
    if not len(made.t) or not rate:
        return {}
    jobs = int(np.count_nonzero(np.bincount(made.job)))
    return {"calls": len(made.t) / jobs, "calls.peak": busiest(made.t) / rate}


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
