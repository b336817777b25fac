"""Both runs of a pair in one chart: A as a solid line with discs, B as a dashed one with squares, faults shaded."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np

from harness.history import columns as c
from harness.history.history import History
from harness.report import spans, ticks
from harness.report.series import PERCENTILES, Bins, Floats, series
from harness.report.spans import Span
from harness.report.text import escape, number

WIDE, HIGH = 1000, 200
SIDES = {"a": "\u25cf", "b": "\u25a0"}
DOTS = 8


class Line(msgspec.Struct, frozen=True):
    """One side's values in the bins of its run, and its faults."""

    side: str
    bins: Bins
    values: Floats
    faults: tuple[Span, ...]


class Chart(msgspec.Struct, frozen=True):
    """What is drawn of both."""

    title: str
    unit: str
    lines: tuple[Line, Line]


def render(a: History, b: History) -> str:
    """The charts as HTML, and the faults that are shaded in them by name."""
    drawn = "".join(map(_figure, charts(a, b)))
    return f'{_legend(bool(a.faults or b.faults))}<div class="charts">{drawn}</div>{_faults(a, b)}'


def charts(a: History, b: History) -> tuple[Chart, ...]:
    """Throughput, latency, backlog and calls of the downstream."""
    one, other = _values(a), _values(b)
    return tuple(
        Chart(title, unit, (_line("a", a, one[n]), _line("b", b, other[n])))
        for n, (title, unit) in enumerate(
            [
                ("Throughput", "jobs completed per second"),
                ("Latency", "seconds, 95 of 100 jobs that were due then"),
                ("Backlog", "jobs"),
                ("Downstream", "calls per second"),
            ]
        )
    )


def _values(history: History) -> list[tuple[Bins, Floats]]:
    s = series(history)
    calls = np.concatenate([history.rows(kind).t for kind in (c.EFFECT, c.REPLAY, c.REFUSE)])
    every = (s.completed, s.latency[PERCENTILES.index(95)], s.backlog, s.bins.rate(calls))
    return [(s.bins, np.asarray(values, np.float64)) for values in every]


def _line(side: str, history: History, drawn: tuple[Bins, Floats]) -> Line:
    return Line(side, *drawn, spans.faults(history))


def _legend(shaded: bool) -> str:
    keys = "".join(
        f'<span><svg viewBox="0 0 34 8" aria-hidden="true"><path class="line {side}" d="M0 4H34"/></svg> '
        f'<b class="{side}">{shape}</b> {side.upper()}</span>'
        for side, shape in SIDES.items()
    )
    note = "<span>shaded: faults, those of A above and those of B below</span>" if shaded else ""
    return f'<p class="legend">{keys}{note}</p>'


def _figure(chart: Chart) -> str:
    x = ticks.times(max(line.bins.seconds for line in chart.lines))
    y = ticks.values(max(_largest(line.values) for line in chart.lines))
    drawn = "".join(_shades(line, x) for line in chart.lines) + _grid(x, y)
    drawn += "".join(f'<path class="line {line.side}" d="{path(_xs(line, x), _ys(line, y))}"/>' for line in chart.lines)
    said = ". ".join(f"{line.side.upper()}: {_summary(line.values)}" for line in chart.lines)
    return (
        f'<figure class="chart"><figcaption><h3>{chart.title} <span class="unit">{chart.unit}</span></h3></figcaption>'
        f'<div class="plot"><svg viewBox="0 0 {WIDE} {HIGH}" preserveAspectRatio="none" role="img" '
        f'aria-label="{chart.title}, {chart.unit}. {said}">{drawn}</svg>'
        f"{''.join(_dots(line, x, y) for line in chart.lines)}{_labels(x, y)}</div>"
        f'<p class="axis">{x.unit} since each run began</p></figure>\n'
    )


def path(xs: Floats, ys: Floats) -> str:
    """The path through the points; where a y is nan the pen is lifted, and a lone point gets a short dash."""
    known = ~np.isnan(ys)
    goes_on, alone = np.r_[False, known[:-1]], ~np.r_[False, known[:-1]] & ~np.r_[known[1:], False]
    return "".join(
        f"{'L' if goes_on[n] else 'M'}{xs[n]:.1f} {ys[n]:.1f}{'h3' if alone[n] else ''}" for n in np.flatnonzero(known)
    )


def _xs(line: Line, x: ticks.Axis) -> Floats:
    return np.asarray(line.bins.middles / x.top * WIDE, np.float64)


def _ys(line: Line, y: ticks.Axis) -> Floats:
    return np.asarray(HIGH - line.values / y.top * HIGH, np.float64)


def _largest(values: Floats) -> float:
    return float(np.nanmax(values)) if len(values) and not np.isnan(values).all() else 0.0


def _summary(values: Floats) -> str:
    known = values[~np.isnan(values)]
    return f"mean {number(float(known.mean()))}, highest {number(float(known.max()))}" if len(known) else "no data"


def _dots(line: Line, x: ticks.Axis, y: ticks.Axis) -> str:
    """A few marks by which the sides are known without colour; those of B stand between those of A."""
    known = np.flatnonzero(~np.isnan(line.values))
    shift = 0.25 if line.side == "a" else 0.75
    chosen = known[((np.arange(DOTS) + shift) / DOTS * len(known)).astype(int)] if len(known) else known
    return "".join(
        f'<span class="dot {line.side}" aria-hidden="true" style="left:{_xs(line, x)[n] / WIDE * 100:.2f}%;'
        f'top:{_ys(line, y)[n] / HIGH * 100:.2f}%">{SIDES[line.side]}</span>'
        for n in dict.fromkeys(chosen.tolist())
    )


def _shades(line: Line, x: ticks.Axis) -> str:
    top = 0 if line.side == "a" else HIGH // 2
    return "".join(_shade(line.side, x.share(span.start) * WIDE, x.share(span.end) * WIDE, top) for span in line.faults)


def _shade(side: str, start: float, end: float, top: int) -> str:
    return (
        f'<rect class="fault {side}" x="{start:.1f}" y="{top}" width="{max(0.0, end - start):.1f}" '
        f'height="{HIGH // 2}"/><path class="edge {side}" d="M{start:.1f} {top}v{HIGH // 2}"/>'
    )


def _grid(x: ticks.Axis, y: ticks.Axis) -> str:
    across = "".join(f"M0 {HIGH - y.share(value) * HIGH:.1f}H{WIDE}" for value in y.ticks)
    return f'<path class="grid" d="{across}{"".join(f"M{x.share(at) * WIDE:.1f} {HIGH}v-4" for at in x.ticks)}"/>'


def _labels(x: ticks.Axis, y: ticks.Axis) -> str:
    left = "".join(f'<span class="y" style="top:{100 - y.share(v) * 100:.2f}%">{y.label(v)}</span>' for v in y.ticks)
    below = "".join(f'<span class="x" style="left:{x.share(v) * 100:.2f}%">{x.label(v)}</span>' for v in x.ticks)
    return f'<div aria-hidden="true">{left}{below}</div>'


def _faults(a: History, b: History) -> str:
    told = [f"<b>{side}</b> {escape(', '.join(_spoken(run)))}" for side, run in (("A", a), ("B", b)) if run.faults]
    return f'<p class="small quiet">Faults: {"; ".join(told)}.</p>' if told else ""


def _spoken(history: History) -> Iterator[str]:
    for span in spans.faults(history):
        until = f" to {span.end:.1f} s" if span.end - span.start >= 0.1 else ""
        yield f"{span.name.partition(' ')[2]} at {span.start:.1f} s{until}"
