"""One job's life drawn as lanes over time: the load, each process that ran it, and the downstream."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np

from harness.history import columns as c
from harness.history.history import NEVER, History
from harness.report import spans, ticks
from harness.report.text import escape

WIDE, HIGH = 1000, 20
MOST_LANES = 12
_GLYPHS = {
    "offer": "\u25b7",
    "ack": "\u25b6",
    "reject": "\u00d7",
    "unknown": "?",
    "drop": "\u00d7",
    "effect": "\u25c6",
    "replay": "\u25c7",
    "refuse": "\u2298",
    "death": "\u2716",
    "done": "\u2713",
    "failed": "!",
    "dead": "\u2020",
}
_WORDS = {
    "offer": "offered",
    "ack": "acked",
    "reject": "rejected",
    "unknown": "outcome unknown",
    "drop": "dropped",
    "effect": "effect",
    "replay": "replay",
    "refuse": "refused",
    "death": "process died",
    "done": "done",
    "failed": "failed",
    "dead": "dead",
}


class Mark(msgspec.Struct, frozen=True):
    """Something that happened at once, seconds since the run began."""

    at: float
    kind: str


class Lane(msgspec.Struct, frozen=True):
    """One row: bars for runs (start, end, how they ended) and marks."""

    name: str
    bars: tuple[tuple[float, float, str], ...]
    marks: tuple[Mark, ...]


class Strip(msgspec.Struct, frozen=True):
    """The lanes of one job, and the stretch of time they show."""

    key: str
    lanes: tuple[Lane, ...]
    start: float
    end: float

    def share(self, at: float) -> float:
        """Where a moment stands, 0 to 1."""
        return (at - self.start) / (self.end - self.start)


def strip(history: History, key: str) -> Strip | None:
    """What the history holds of the job; None where it holds nothing."""
    job = history.job_of.get(key)
    if job is None:
        return None
    lanes = tuple(_lanes(history, job))
    times = [mark.at for lane in lanes for mark in lane.marks] + [
        at for lane in lanes for start, end, _ in lane.bars for at in (start, end)
    ]
    if not times:
        return None
    pad = max(max(times) - min(times), 0.001) * 0.03
    return Strip(key, lanes, min(times) - pad, max(times) + pad)


def _lanes(history: History, job: int) -> Iterator[Lane]:
    rows = np.flatnonzero(history.columns.job == job)
    rows = rows[np.argsort(history.columns.t[rows], kind="stable")]
    seen = [Mark(spans.since(history, int(history.columns.t[row])), c.KINDS[history.columns.kind[row]]) for row in rows]
    yield Lane("load", (), tuple(mark for mark in seen if mark.kind in ("offer", "ack", "reject", "unknown", "drop")))
    yield from _worker_lanes(history, job)
    calls = tuple(mark for mark in seen if mark.kind in ("effect", "replay", "refuse"))
    if calls:
        yield Lane("downstream", (), calls)


def _worker_lanes(history: History, job: int) -> Iterator[Lane]:
    runs = history.runs
    mine = np.flatnonzero(runs.job == job)
    mine = mine[np.argsort(runs.start[mine], kind="stable")]
    for who in dict.fromkeys(int(runs.who[run]) for run in mine):
        worker, pid = history.columns.whos[who]
        bars = tuple(_bar(history, int(run)) for run in mine if runs.who[run] == who)
        yield Lane(f"{worker} pid {pid}", bars, tuple(Mark(end, how) for _, end, how in bars if how in _GLYPHS))


def _bar(history: History, run: int) -> tuple[float, float, str]:
    runs = history.runs
    start, finish, died = int(runs.start[run]), int(runs.finish[run]), int(runs.died[run])
    if finish != NEVER:
        return spans.since(history, start), spans.since(history, finish), c.OUTCOMES[int(runs.outcome[run])]
    end, how = (died, "death") if died != NEVER else (history.ends, "open")
    return spans.since(history, start), spans.since(history, max(start, end)), how


def render(strip: Strip) -> str:
    """The strip as HTML: a drawing per lane, stretched to the page, with its marks laid over it."""
    shown = strip.lanes[:MOST_LANES]
    lanes = "".join(
        f'<div class="lane"><span class="who">{escape(lane.name)}</span><div '
        f'class="track">{_bars(strip, lane)}{_marks(strip, lane)}</div></div>'
        for lane in shown
    )
    more = (
        f'<p class="more">and {len(strip.lanes) - len(shown)} more lanes</p>' if len(shown) < len(strip.lanes) else ""
    )
    return (
        '<div class="strip" role="group" aria-label="timeline of '
        f'{escape(strip.key)}">{lanes}{more}{_axis(strip)}{_legend(strip)}</div>'
    )


def _bars(strip: Strip, lane: Lane) -> str:
    bars = "".join(
        f'<rect class="run {how}" x="{strip.share(start) * WIDE:.1f}" y="3" '
        f'width="{max((strip.share(end) - strip.share(start)) * WIDE, 2):.1f}" height="14"/>'
        for start, end, how in lane.bars
    )
    title = f"{lane.name}: {len(lane.bars)} runs, {len(lane.marks)} moments"
    return (
        f'<svg viewBox="0 0 {WIDE} {HIGH}" preserveAspectRatio="none" role="img" '
        f'aria-label="{escape(title)}"><title>{escape(title)}</title>'
        f'<path class="grid" d="M0 10H{WIDE}"/>{bars}</svg>'
    )


def _marks(strip: Strip, lane: Lane) -> str:
    return "".join(
        f'<span class="mark {mark.kind}" style="left:{strip.share(mark.at) * 100:.2f}%" title="{_WORDS[mark.kind]} '
        f'at {mark.at:.3f} s">'
        f"{_GLYPHS[mark.kind]}</span>"
        for mark in lane.marks
    )


def _axis(strip: Strip) -> str:
    step = ticks.times(strip.end - strip.start, most=5).step
    first = int(strip.start // step) + 1
    axis = ticks.Axis(strip.end, step)
    at = [n * step for n in range(first, int(strip.end // step) + 1)]
    labels = "".join(
        f'<span class="x" style="left:{strip.share(value) * 100:.2f}%">{axis.label(value)} s</span>' for value in at
    )
    return (
        f'<div class="lane scale" aria-hidden="true"><span class="who"></span><div class="track">{labels}</div></div>'
    )


def _legend(strip: Strip) -> str:
    kinds = dict.fromkeys(mark.kind for lane in strip.lanes for mark in lane.marks)
    marks = [f'<span><b class="{kind}">{_GLYPHS[kind]}</b> {_WORDS[kind]}</span>' for kind in kinds]
    bars = ['<span><b class="bar">\u25ac</b> handler running</span>'] if any(lane.bars for lane in strip.lanes) else []
    return f'<p class="legend">{" ".join(bars + marks)}</p>'
