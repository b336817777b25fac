"""The charts of a run: lines over its time, with faults and phases shaded and named."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import numpy as np

from harness.history.history import History, Ints
from harness.report import marks, spans, ticks
from harness.report.series import PERCENTILES, Bins, Floats, Series, series
from harness.report.spans import Span
from harness.report.text import escape, number

# The drawing is stretched to the width of the page, and text is laid over it: lines scale, letters do not.
WIDE, HIGH = 1000, 200


class Line(msgspec.Struct, frozen=True):
    """One series of a chart; nan leaves a gap."""

    name: str
    values: Floats | Ints


class Chart(msgspec.Struct, frozen=True):
    """A title, what the values count, what a reader should know of them, and the lines."""

    title: str
    unit: str
    about: str
    lines: tuple[Line, ...]


def render(history: History) -> str:
    """Every chart of the history as HTML."""
    measured = series(history)
    faults, phases = spans.faults(history), spans.phases(history)
    return "".join(_figure(i, chart, measured.bins, faults, phases) for i, chart in enumerate(charts(measured)))


def charts(s: Series) -> tuple[Chart, ...]:
    """What is drawn of the series."""
    percentiles = tuple(Line(f"p{p}", values) for p, values in zip(PERCENTILES, s.latency, strict=True))
    return (
        Chart(
            "Throughput",
            "jobs per second",
            "Jobs offered by the load, acknowledged by the queue, completed by a worker.",
            (Line("offered", s.offered), Line("acked", s.acked), Line("completed", s.completed)),
        ),
        Chart(
            "Backlog",
            "jobs",
            "Acknowledged jobs that were neither completed nor given up.",
            (Line("backlog", s.backlog),),
        ),
        Chart(
            "Completion latency",
            "seconds",
            "From the moment a job was due to its completion, by the moment it was due; jobs never completed are not "
            "in it.",
            percentiles,
        ),
        Chart(
            "Runs of the handler",
            "runs per second",
            "Every start of the handler, and those of a job that had been started before.",
            (Line("started", s.started), Line("started again", s.again)),
        ),
        Chart(
            "Downstream",
            "calls per second",
            "Side effects committed, calls answered from an idempotency key, calls refused.",
            (Line("effects", s.effects), Line("replays", s.replays), Line("refusals", s.refusals)),
        ),
    )


def _figure(i: int, chart: Chart, bins: Bins, faults: tuple[Span, ...], phases: tuple[Span, ...]) -> str:
    x, y = ticks.times(bins.seconds), ticks.values(_largest(chart.lines))
    return (
        f'<figure class="chart"><figcaption><h3>{escape(chart.title)} <span '
        f'class="unit">{escape(chart.unit)}</span></h3>'
        f'<p class="legend">{_legend(chart.lines)}</p></figcaption>'
        f"{marks.labels(x, faults, phases)}"
        f'<div class="plot">{_drawing(i, chart, bins, x, y, faults, phases)}{_tick_labels(x, y)}</div>'
        f'<p class="axis">{escape(x.unit)} since the run began</p></figure>\n'
    )


def _largest(lines: Iterable[Line]) -> float:
    tops = [float(np.nanmax(line.values)) for line in lines if len(line.values) and not np.all(np.isnan(line.values))]
    return max(tops, default=0.0)


def _legend(lines: tuple[Line, ...]) -> str:
    swatch = '<svg class="swatch" viewBox="0 0 28 8" aria-hidden="true"><path class="line line{i}" d="M0 4H28"/></svg>'
    return " ".join(f"<span>{swatch.format(i=i)} {escape(line.name)}</span>" for i, line in enumerate(lines))


def _drawing(
    i: int, chart: Chart, bins: Bins, x: ticks.Axis, y: ticks.Axis, faults: tuple[Span, ...], phases: tuple[Span, ...]
) -> str:
    xs = bins.middles / x.top * WIDE
    lines = "".join(
        f'<path class="line line{n}" d="{path(xs, HIGH - line.values / y.top * HIGH)}"/>'
        for n, line in enumerate(chart.lines)
    )
    return (
        f'<svg viewBox="0 0 {WIDE} {HIGH}" preserveAspectRatio="none" role="img" aria-labelledby="chart{i}-title '
        f'chart{i}-desc">'
        f'<title id="chart{i}-title">{escape(chart.title)}, {escape(chart.unit)}</title><desc '
        f'id="chart{i}-desc">{escape(_described(chart))}</desc>'
        f"{marks.shades(x, faults, phases)}{_grid(x, y)}{lines}</svg>"
    )


def _described(chart: Chart) -> str:
    return " ".join([chart.about, *(f"{line.name}: {_summary(line.values)}." for line in chart.lines)])


def _summary(values: Floats | Ints) -> str:
    known = values[~np.isnan(values)]
    if not len(known):
        return "no data"
    return f"mean {number(float(known.mean()))}, highest {number(float(known.max()))}, last {number(float(known[-1]))}"


def path(xs: Floats, ys: Floats) -> str:
    """The path through the points; where a y is nan the pen is lifted, and a lone point gets a short dash."""
    known = ~np.isnan(ys)
    before, after = np.r_[False, known[:-1]], np.r_[known[1:], False]
    steps = []
    for x, y, begins, alone in zip(xs[known], ys[known], ~before[known], (~before & ~after)[known], strict=True):
        steps.append(f"{'M' if begins else 'L'}{x:.1f} {y:.1f}" + ("h3" if alone else ""))
    return "".join(steps)


def _grid(x: ticks.Axis, y: ticks.Axis) -> str:
    across = "".join(f"M0 {HIGH - y.share(value) * HIGH:.1f}H{WIDE}" for value in y.ticks)
    up = "".join(f"M{x.share(value) * WIDE:.1f} {HIGH}v-4" for value in x.ticks)
    return f'<path class="grid" d="{across}{up}"/>'


def _tick_labels(x: ticks.Axis, y: ticks.Axis) -> str:
    left = "".join(
        f'<span class="y" style="top:{100 - y.share(value) * 100:.2f}%">{y.label(value)}</span>' for value in y.ticks
    )
    below = "".join(
        f'<span class="x" style="left:{x.share(value) * 100:.2f}%">{x.label(value)}</span>' for value in x.ticks
    )
    return f'<div aria-hidden="true">{left}{below}</div>'
