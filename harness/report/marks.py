"""Faults and phases on a chart: shaded in the drawing, named above it."""

from __future__ import annotations

from harness.report.spans import Span
from harness.report.text import escape
from harness.report.ticks import Axis

WIDE, HIGH = 1000, 200
ROWS = 3
_PER_LETTER = 1.25
"""Per cent of a chart's width that a letter of a label takes, about."""


def shades(x: Axis, faults: tuple[Span, ...], phases: tuple[Span, ...]) -> str:
    """Phases as pale bands, every other one, faults as stronger bands with an edge; what happens at once is its edge
    alone."""
    bands = "".join(_band("phase", x, span) for span in phases[1::2])
    return bands + "".join(_band("fault", x, span) + _edge(x, span) for span in faults)


def _band(kind: str, x: Axis, span: Span) -> str:
    start, end = _inside(x, span)
    return (
        f'<rect class="{kind}" x="{start * WIDE:.1f}" y="0" width="{(end - start) * WIDE:.1f}" height="{HIGH}"/>'
        if end > start
        else ""
    )


def _edge(x: Axis, span: Span) -> str:
    return f'<path class="edge" d="M{_inside(x, span)[0] * WIDE:.1f} 0V{HIGH}"/>'


def _inside(x: Axis, span: Span) -> tuple[float, float]:
    return min(max(x.share(span.start), 0.0), 1.0), min(max(x.share(span.end), 0.0), 1.0)


def labels(x: Axis, faults: tuple[Span, ...], phases: tuple[Span, ...]) -> str:
    """The names of the phases in a row, and below them those of the faults in as few rows as hold them."""
    rows = _rows(x, faults)
    named = "".join(_phase(x, phase) for phase in phases)
    flags = "".join(f'<div class="flags">{"".join(_flag(x, span) for span in row)}</div>' for row in rows)
    shown = sum(map(len, rows))
    more = f'<p class="more">{shown} of {len(faults)} faults named</p>' if shown < len(faults) else ""
    return (f'<div class="phases">{named}</div>' if named else "") + flags + more


def _phase(x: Axis, span: Span) -> str:
    start, end = _inside(x, span)
    return (
        f'<span style="left:{start * 100:.2f}%;width:{(end - start) * 100:.2f}%" title="phase '
        f'{escape(span.name)}">{escape(span.name)}</span>'
    )


def _flag(x: Axis, span: Span) -> str:
    left = _inside(x, span)[0] * 100
    n, _, name = span.name.partition(" ")
    side = " before" if left > 60 else ""
    return f'<span class="flag{side}" style="left:{left:.2f}%"><b>{escape(n)}</b><i> {escape(name)}</i></span>'


def _rows(x: Axis, faults: tuple[Span, ...]) -> list[list[Span]]:
    """Each label goes into the first row where it hides no other; what fits into no row is left out."""
    rows: list[list[Span]] = []
    taken: list[list[tuple[float, float]]] = []
    for span in faults:
        start, end = _extent(x, span)
        row = next(
            (i for i, others in enumerate(taken) if all(end <= left or start >= right for left, right in others)),
            len(rows),
        )
        if row == len(rows) < ROWS:
            rows.append([])
            taken.append([])
        if row < len(rows):
            rows[row].append(span)
            taken[row].append((start, end))
    return rows


def _extent(x: Axis, span: Span) -> tuple[float, float]:
    left, width = _inside(x, span)[0] * 100, len(span.name) * _PER_LETTER + 2
    return (left - width, left) if left > 60 else (left, left + width)
