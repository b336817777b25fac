"""The charts of a run: what is drawn of it over time, whoever draws."""

from __future__ import annotations

import msgspec
import numpy as np

from harness.history.events import State
from harness.history.history import History, Ints
from harness.report.repeated import starts
from harness.report.series import PERCENTILES, Floats, Series, series
from harness.report.usage import MEGABYTE, MOST_POINTS, usages

MOST_LINES = 6


class Line(msgspec.Struct, frozen=True):
    """One series of a chart: values at moments, in seconds since the run began; nan leaves a gap."""

    name: str
    at: Floats
    values: Floats

    @property
    def known(self) -> Floats:
        """The values that there are."""
        return self.values[~np.isnan(self.values)]


class Chart(msgspec.Struct, frozen=True):
    """A title, what the values count, what a reader should know of them, and the lines."""

    name: str
    title: str
    unit: str
    about: str
    lines: tuple[Line, ...]

    @property
    def happened(self) -> bool:
        """Whether there is anything to see: a value that is not zero."""
        return any(bool(np.any(line.known != 0)) for line in self.lines)

    @property
    def largest(self) -> float:
        return max((float(line.known.max()) for line in self.lines if len(line.known)), default=0.0)


class Charts(msgspec.Struct, frozen=True):
    """What is drawn, how many seconds it shows, and the titles of what had nothing to show."""

    drawn: tuple[Chart, ...]
    absent: tuple[str, ...]
    seconds: float
    width: float
    """Seconds of a bin."""


def charts(history: History) -> Charts:
    """Every chart of the history."""
    s = series(history)
    made = [_jobs(s), _depth(s, history), _oldest(s), _latency(s), _runs(s, history), _dead(s, history)]
    made += [_downstream(s), _redis(history)]
    drawn = tuple(chart for chart in made if chart.happened)
    return Charts(drawn, tuple(chart.title for chart in made if not chart.happened), s.bins.seconds, s.bins.width)


def _jobs(s: Series) -> Chart:
    about = "Jobs offered by the load, acknowledged by the queue, completed by a worker."
    lines = _binned(s, {"offered": s.offered, "acked": s.acked, "completed": s.completed})
    return Chart("jobs", "Jobs", "per second", about, lines)


def _depth(s: Series, history: History) -> Chart:
    about = "Acked jobs that were neither completed nor given up; and what the queue said of itself, where it could."
    said = _states(history, "queued", "active", "delayed")
    return Chart("queue", "Queue depth", "jobs", about, (*_binned(s, {"outstanding": s.backlog}), *said))


def _oldest(s: Series) -> Chart:
    about = "How long ago the oldest job was acked that was neither completed nor given up."
    return Chart("oldest", "Age of the oldest job", "seconds", about, _binned(s, {"oldest": s.oldest}))


def _latency(s: Series) -> Chart:
    about = "From when a job was due to its completion, by when it was due; jobs never completed are not in it."
    lines = _binned(s, {f"p{p}": values for p, values in zip(PERCENTILES, s.latency, strict=True)})
    return Chart("latency", "Completion latency", "seconds", about, lines)


def _runs(s: Series, history: History) -> Chart:
    about = "Every run of a handler: a job's first, one after a failure, one after a death, any other that came again."
    began = starts(history)
    repeated = {"retries": began.retried, "redelivered": began.redelivered, "again": began.again}
    lines = {"first runs": began.first} | {name: times for name, times in repeated.items() if len(times)}
    rates = {name: s.bins.rate(times) for name, times in lines.items()}
    return Chart("runs", "Runs of the handler", "per second", about, _binned(s, rates))


def _dead(s: Series, history: History) -> Chart:
    about = "Runs after which a job was given up, in all until then; and what the queue held as failed or dead."
    lines = (*_binned(s, {"given up": s.given_up}), *_states(history, "failed", "dead"))
    return Chart("dead", "Dead letters", "jobs", about, lines)


def _downstream(s: Series) -> Chart:
    about = "Calls of the downstream: effects committed, replays of an answer to a known key, refusals by how."
    refused = sorted(s.refused.items(), key=lambda item: -float(item[1].sum()))
    lines = {"effect": s.effects} | ({"replay": s.replays} if s.replays.any() else {})
    lines |= {f"refused {how}".strip(): rate for how, rate in refused[: MOST_LINES - 3]}
    if rest := [rate for _, rate in refused[MOST_LINES - 3 :]]:
        lines["refused otherwise"] = np.sum(rest, axis=0)
    return Chart("downstream", "Downstream calls", "per second", about, _binned(s, lines))


def _redis(history: History) -> Chart:
    found = [usage for usage in usages(history) if usage.process.startswith("redis")]
    lines = [
        Line(f"{usage.process} {what}", usage.at, values / MEGABYTE)
        for usage in found[: MOST_LINES // 2]
        for what, values in (("resident", usage.rss), ("data", usage.used))
        if not np.isnan(values).all()
    ]
    about = "Memory that Redis had resident, and how much of it was data."
    return Chart("redis", "Redis memory", "MB", about, tuple(lines))


def _binned(s: Series, lines: dict[str, Floats] | dict[str, Ints]) -> tuple[Line, ...]:
    middles = s.bins.middles
    return tuple(Line(name, middles, np.asarray(values, np.float64)) for name, values in lines.items())


def _states(history: History, *names: str) -> tuple[Line, ...]:
    """What the queue said of itself; a count that it never gave has no line."""
    states = history.of(State)
    states = states[:: -(-len(states) // MOST_POINTS)] if states else []
    at = np.array([state.t - history.begins for state in states], np.float64) / 1e9
    said = {name: [getattr(state, name) for state in states] for name in names}
    return tuple(
        Line(name, at, np.array([np.nan if value is None else value for value in values], np.float64))
        for name, values in said.items()
        if any(value is not None for value in values)
    )
