"""One job's life as lanes over time: the load, the queue, each process that ran it, and the downstream."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np

from harness.history import columns as c
from harness.history.events import Revive
from harness.history.history import NEVER, History, Ints
from harness.report import spans
from harness.report.spans import Span
from harness.report.text import lasting

MOST_RUNS = 60
MOST_CALLS = 120
MOST_FAULTS = 8
BEND = 0.4
"""The power of a wait by which it is drawn: 2 s take 6 times the room of 20 ms, not 100 times."""
CALLS = (c.EFFECT, c.REPLAY, c.REFUSE, c.CHANGE)


class Bar(msgspec.Struct, frozen=True):
    """Something that lasted: a run by how it ended (done, failed, dead, death, open), or a wait (queued, retry,
    redelivery, never)."""

    start: float
    end: float
    kind: str
    label: str
    short: str
    """What is left of the label where there is little room."""
    says: str


class Mark(msgspec.Struct, frozen=True):
    """Something that happened at once, seconds since the run began."""

    at: float
    kind: str
    label: str = ""
    says: str = ""


class Lane(msgspec.Struct, frozen=True):
    """One row."""

    name: str
    bars: tuple[Bar, ...] = ()
    marks: tuple[Mark, ...] = ()


class Strip(msgspec.Struct, frozen=True):
    """The lanes of one job, the faults of that time, and the scale: `places`, 0 to 1, of the moments in `stops`."""

    key: str
    lanes: tuple[Lane, ...]
    faults: tuple[Span, ...]
    stops: tuple[float, ...]
    places: tuple[float, ...]
    left_out: str = ""

    def share(self, at: float) -> float:
        """Where a moment stands, 0 to 1."""
        return float(np.interp(at, self.stops, self.places))


class _Run(msgspec.Struct, frozen=True):
    who: int
    attempt: int
    start: int
    end: int
    how: str


def strip(history: History, key: str) -> Strip | None:
    """What the history holds of the job; None where it holds nothing."""
    job = history.job_of.get(key)
    if job is None:
        return None
    rows = np.flatnonzero(history.columns.job == job)
    rows = rows[np.argsort(history.columns.t[rows], kind="stable")]
    runs, calls = _runs(history, job), rows[np.isin(history.columns.kind[rows], CALLS)]
    lanes = (
        Lane("load", marks=tuple(_marks(history, rows[np.isin(history.columns.kind[rows], range(c.START))]))),
        Lane("queue", tuple(_waits(history, job, runs)), tuple(_revived(history, key))),
        *_workers(history, runs[:MOST_RUNS]),
        Lane("downstream", marks=tuple(_marks(history, calls[:MOST_CALLS]))),
    )
    return _scaled(history, key, tuple(lane for lane in lanes if lane.bars or lane.marks), _unshown(runs, calls))


def _unshown(runs: list[_Run], calls: Ints) -> str:
    rest = {"runs": len(runs) - MOST_RUNS, "calls": len(calls) - MOST_CALLS}
    return " and ".join(f"{count:,} later {what}" for what, count in rest.items() if count > 0)


def _scaled(history: History, key: str, lanes: tuple[Lane, ...], left_out: str) -> Strip | None:
    times = {mark.at for lane in lanes for mark in lane.marks}
    times |= {at for lane in lanes for bar in lane.bars for at in (bar.start, bar.end)}
    if not times:
        return None
    first, last = min(times), max(times)
    faults = tuple(span for span in spans.faults(history) if span.start <= last and span.end >= first)[:MOST_FAULTS]
    times |= {at for span in faults for at in (span.start, span.end) if first <= at <= last}
    stops = np.array(sorted(times))
    room = np.r_[0.0, np.cumsum(np.diff(stops) ** BEND)]
    places = 0.02 + 0.95 * room / room[-1] if len(stops) > 1 else np.array([0.5])
    return Strip(key, lanes, faults, tuple(stops.tolist()), tuple(places.tolist()), left_out)


def _marks(history: History, rows: Ints) -> Iterator[Mark]:
    columns, effects = history.columns, 0
    for row in rows.tolist():
        kind, how = c.KINDS[columns.kind[row]], columns.texts[columns.text[row]]
        effects += kind == "effect"
        again = kind == "effect" and effects > 1
        label = {"effect": f"effect {effects}", "refuse": how, "change": f"version {columns.num[row]}"}.get(kind, "")
        said = f"side effect {effects}" if kind == "effect" else f"{kind} {how}".strip()
        yield Mark(spans.since(history, int(columns.t[row])), "again" if again else kind, label, said)


def _revived(history: History, key: str) -> Iterator[Mark]:
    """A dead letter that somebody put back, or removed."""
    for note in history.of(Revive):
        if note.key == key:
            says = f"dead letter {note.outcome} by {note.who}"
            yield Mark(spans.since(history, note.t), "revive", note.outcome, says)


def _runs(history: History, job: int) -> list[_Run]:
    runs, attempts = history.runs, history.rows(c.START).num
    mine = np.flatnonzero(runs.job == job)
    mine = mine[np.argsort(runs.start[mine], kind="stable")]
    return [_run(history, run, int(attempts[run])) for run in mine.tolist()]


def _run(history: History, run: int, attempt: int) -> _Run:
    runs = history.runs
    who, start, finish, died = int(runs.who[run]), int(runs.start[run]), int(runs.finish[run]), int(runs.died[run])
    if finish != NEVER:
        return _Run(who, attempt, start, finish, c.OUTCOMES[int(runs.outcome[run])])
    end, how = (died, "death") if died != NEVER else (history.ends, "open")
    return _Run(who, attempt, start, max(start, end), how)


def _workers(history: History, runs: list[_Run]) -> Iterator[Lane]:
    """A lane for each process, in the order in which they first ran the job."""
    for who in dict.fromkeys(run.who for run in runs):
        worker, pid = history.columns.whos[who]
        mine = [run for run in runs if run.who == who]
        marks = tuple(Mark(spans.since(history, run.end), run.how) for run in mine if run.how != "open")
        yield Lane(f"{worker} pid {pid}", tuple(_bar(history, run) for run in mine), marks)


def _bar(history: History, run: _Run) -> Bar:
    took = lasting((run.end - run.start) / 1e9)
    ended = {"death": "the process died", "open": "no end was seen"}.get(run.how, run.how)
    says = f"attempt {run.attempt}, {took}: {ended}"
    start, end = spans.since(history, run.start), spans.since(history, run.end)
    return Bar(start, end, run.how, f"attempt {run.attempt}", f"{run.attempt}", says)


def _waits(history: History, job: int, runs: list[_Run]) -> Iterator[Bar]:
    """What the queue made of it: the wait for the first run, for each next one, and for one that never came."""
    acked = int(history.first_time(c.ACK)[job])
    if acked == NEVER and not runs:
        return
    since, how = (acked, "queued") if acked != NEVER else (runs[0].start, "queued")
    for run in runs[:MOST_RUNS]:
        if run.start > since:
            yield _wait(history, since, run.start, how)
        since, how = max(since, run.end), {"failed": "retry", "death": "redelivery"}.get(run.how, "again")
    if history.outstanding[job] and len(runs) <= MOST_RUNS and since < history.ends:
        yield _wait(history, since, history.ends, "never")


_WAITED = {
    "queued": "waits",
    "retry": "until retried",
    "redelivery": "until redelivered",
    "again": "until run again",
    "never": "not seen again",
}


def _wait(history: History, since: int, until: int, how: str) -> Bar:
    took = lasting((until - since) / 1e9)
    label = f"{_WAITED[how]} {took}" if how in ("queued", "never") else f"{took} {_WAITED[how]}"
    return Bar(spans.since(history, since), spans.since(history, until), how, label, took, label)
