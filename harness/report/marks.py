"""Faults and phases on a drawing over time: shaded in it, named above it."""

from __future__ import annotations

from collections.abc import Callable

from harness.report.spans import Span
from harness.report.text import escape

WIDE, HIGH = 1000, 200
ROWS = 3
_PER_LETTER = 1.25
"""Per cent of a drawing's width that a letter of a label takes, about."""
Share = Callable[[float], float]
"""Where a moment stands, 0 to 1."""


def shades(share: Share, faults: tuple[Span, ...], phases: tuple[Span, ...]) -> str:
    """Phases as pale bands, every other one, faults as stronger bands with an edge; what happens at once is its edge
    alone."""
    bands = "".join(_band("phase", share, span) for span in phases[1::2])
    return bands + "".join(_band("fault", share, span) + _edge(share, span) for span in faults)


def _band(kind: str, share: Share, span: Span) -> str:
    start, end = inside(share, span)
    return (
        f'<rect class="{kind}" x="{start * WIDE:.1f}" y="0" width="{(end - start) * WIDE:.1f}" height="{HIGH}"/>'
        if end > start
        else ""
    )


def _edge(share: Share, span: Span) -> str:
    return f'<path class="edge" d="M{inside(share, span)[0] * WIDE:.1f} 0V{HIGH}"/>'


def inside(share: Share, span: Span) -> tuple[float, float]:
    """Where the span begins and ends, within the drawing."""
    return min(max(share(span.start), 0.0), 1.0), min(max(share(span.end), 0.0), 1.0)


def labels(share: Share, faults: tuple[Span, ...], phases: tuple[Span, ...]) -> str:
    """The names of the phases in a row, and below them those of the faults in as few rows as hold them."""
    rows = _rows(share, faults)
    named = "".join(
        f'<div class="phases">{"".join(_phase(share, phase) for phase in row)}</div>' for row in _apart(share, phases)
    )
    flags = "".join(f'<div class="flags">{"".join(_flag(share, span) for span in row)}</div>' for row in rows)
    shown = sum(map(len, rows))
    more = f'<p class="more">{shown} of {len(faults)} faults named</p>' if shown < len(faults) else ""
    return named + flags + more


def _apart(share: Share, phases: tuple[Span, ...]) -> list[list[Span]]:
    """Phases in as few rows as keep those apart that are at the same time; one may begin a moment early."""
    rows: list[list[Span]] = []
    for phase in phases:
        row = next((row for row in rows if share(row[-1].end) <= share(phase.start) + 0.02), None)
        if row is None:
            rows.append([phase])
        else:
            row.append(phase)
    return rows


def _phase(share: Share, span: Span) -> str:
    start, end = inside(share, span)
    return (
        f'<span class="at" style="--at:{start:.4f};--wide:{end - start:.4f}" title="phase '
        f'{escape(span.name)}">{escape(span.name)}</span>'
    )


def _flag(share: Share, span: Span) -> str:
    left = inside(share, span)[0]
    n, _, name = span.name.partition(" ")
    side = " before" if left > 0.6 else ""
    return f'<span class="at flag{side}" style="--at:{left:.4f}"><b>{escape(n)}</b><i> {escape(name)}</i></span>'


def _rows(share: Share, faults: tuple[Span, ...]) -> list[list[Span]]:
    """Each label goes into the first row where it hides no other; what fits into no row is left out."""
    rows: list[list[Span]] = []
    taken: list[list[tuple[float, float]]] = []
    for span in faults:
        start, end = _extent(share, span)
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


def _extent(share: Share, span: Span) -> tuple[float, float]:
    left, width = inside(share, span)[0] * 100, len(span.name) * _PER_LETTER + 2
    return (left - width, left) if left > 60 else (left, left + width)
