"""A chart as HTML: lines over the run's time, with faults and phases shaded and named, and told in words."""

from __future__ import annotations

import json

import numpy as np

from harness.history.history import History
from harness.report import marks, spans, ticks
from harness.report.charts import Chart, Charts, Line
from harness.report.series import Floats
from harness.report.spans import Span
from harness.report.text import escape, lasting, number, visible

# The drawing is stretched to the width of the page, and text is laid over it: lines scale, letters do not.
WIDE, HIGH = marks.WIDE, marks.HIGH
MOST_FAULTS = 100
"""Faults that are shaded: more would make one grey of all."""
MOST_BUTTONS = 8


def render(charts: Charts, history: History, absent: tuple[str, ...]) -> str:
    """Every chart, and a line that says what had nothing to show."""
    struck, phases = spans.faults(history), spans.phases(history)
    faults = struck[:MOST_FAULTS]
    drawn = "".join(_figure(chart, charts.seconds, faults, phases) for chart in charts.drawn)
    named = escape(json.dumps([[visible(span.name), span.start, span.end] for span in faults[:MOST_BUTTONS]]))
    return (
        f'<div class="charts" data-seconds="{charts.seconds:g}" data-spans="{named}">{drawn}</div>'
        f"{_aside(charts, absent, len(struck))}"
    )


def _aside(charts: Charts, absent: tuple[str, ...], faults: int) -> str:
    said = f"One point stands for {lasting(charts.width)} of the run. " if charts.drawn else ""
    if faults > MOST_FAULTS:
        said += f"The first {MOST_FAULTS} of {faults:,} faults are shaded. "
    if absent:
        said += f"Not drawn, because there was nothing to draw: {', '.join(absent)}."
    return f'<p class="more">{escape(said)}</p>' if said else ""


def _figure(chart: Chart, seconds: float, faults: tuple[Span, ...], phases: tuple[Span, ...]) -> str:
    x, y = ticks.times(seconds), ticks.values(chart.largest)
    title = f'{escape(chart.title)} <span class="unit">{escape(chart.unit)}</span>'
    return (
        f'<figure class="chart" id="chart-{chart.name}" data-lines="{escape(_data(chart))}"><figcaption><h3>{title}'
        f'</h3><p class="legend">{_legend(chart.lines)}</p></figcaption>'
        f"{marks.labels(x.share, faults, phases)}"
        f'<div class="plot">{_drawing(chart, x, y, faults, phases)}{_tick_labels(x, y)}</div>'
        f'<p class="axis">{escape(x.unit)} since the run began</p>{_told(chart)}</figure>\n'
    )


def _data(chart: Chart) -> str:
    """The points for whoever hovers: each line's name, its moments (null: those of the line before), its values."""
    before: Floats | None = None
    lines = []
    for line in chart.lines:
        lines.append([visible(line.name), None if line.at is before else _short(line.at), _short(line.values)])
        before = line.at
    return json.dumps(lines, separators=(",", ":"))


def _short(values: Floats) -> list[float | None]:
    return [None if value != value else float(f"{value:.4g}") for value in values.tolist()]


def _legend(lines: tuple[Line, ...]) -> str:
    swatch = '<svg class="swatch" viewBox="0 0 28 8" aria-hidden="true"><path class="line line{i}" d="M0 4H28"/></svg>'
    return " ".join(f"<span>{swatch.format(i=i)} {escape(line.name)}</span>" for i, line in enumerate(lines))


def _drawing(chart: Chart, x: ticks.Axis, y: ticks.Axis, faults: tuple[Span, ...], phases: tuple[Span, ...]) -> str:
    lines = "".join(
        f'<path class="line line{n}" d="{path(line.at / x.top * WIDE, HIGH - line.values / y.top * HIGH)}"/>'
        for n, line in enumerate(chart.lines)
    )
    name = f"chart-{chart.name}"
    return (
        f'<svg viewBox="0 0 {WIDE} {HIGH}" preserveAspectRatio="none" role="img" aria-labelledby="{name}-title '
        f'{name}-desc"><title id="{name}-title">{escape(chart.title)}, {escape(chart.unit)}</title>'
        f'<desc id="{name}-desc">{escape(" ".join([chart.about, *map(_summary, chart.lines)]))}</desc>'
        f"{marks.shades(x.share, faults, phases)}{_grid(x, y)}{lines}</svg>"
    )


def _told(chart: Chart) -> str:
    """What the lines show, for who cannot see or compare them."""
    rows = "".join(f"<li>{escape(_summary(line))}</li>" for line in chart.lines)
    return f'<details class="told"><summary>In words</summary><p>{escape(chart.about)}</p><ul>{rows}</ul></details>'


def _summary(line: Line) -> str:
    known = line.known
    if not len(known):
        return f"{line.name}: no data."
    peak = int(np.nanargmax(line.values))
    return (
        f"{line.name}: mean {number(float(known.mean()))}, highest {number(float(known.max()))} at "
        f"{lasting(max(float(line.at[peak]), 0.0))}, last {number(float(known[-1]))}."
    )


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
    return f'<path class="grid" d="{across}"/><path class="grid ticks" d="{up}"/>'


def _tick_labels(x: ticks.Axis, y: ticks.Axis) -> str:
    left = "".join(
        f'<span class="y" style="top:{100 - y.share(value) * 100:.2f}%">{y.label(value)}</span>' for value in y.ticks
    )
    below = "".join(
        f'<span class="at x" style="--at:{x.share(value):.4f}">{x.label(value)}</span>' for value in x.ticks
    )
    return f'<div class="ys" aria-hidden="true">{left}</div><div class="xs" aria-hidden="true">{below}</div>'
