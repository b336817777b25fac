"""A sparkline: how one measurement went from run to run, as a small SVG that says the same in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

import msgspec

from harness.report.measured import ABOUT, written
from harness.report.text import escape

WIDTH, HEIGHT, EDGE = 110, 26, 4


class Dot(msgspec.Struct, frozen=True):
    """One run's value; it stands with those of the same `part`, and the line is broken between parts."""

    value: float
    part: str = ""
    bad: bool = False
    """Its run was no pass, and it is dots as a ring."""


def spark(name: str, dots: Sequence[Dot]) -> str:
    """The line through the runs, oldest first, from zero up; nothing where there is nothing to see."""
    top = max((dot.value for dot in dots), default=0.0)
    if len(dots) < 2 or not top:
        return ""
    places = [(_x(n, len(dots)), HEIGHT - EDGE - dot.value / top * (HEIGHT - 2 * EDGE)) for n, dot in enumerate(dots)]
    lines = "".join(map(_line, _lines(dots, places)))
    rings = [(x, y) for (x, y), dot in zip(places, dots, strict=True) if dot.bad]
    return (
        f'<svg class="spark" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(_words(name, dots))}">'
        f"<title>{escape(_words(name, dots))}</title>{lines}{_circles(rings, 'bad')}"
        f"{'' if dots[-1].bad else _circles(places[-1:], 'last')}</svg>"
    )


def _x(n: int, count: int) -> float:
    return EDGE + n * (WIDTH - 2 * EDGE) / (count - 1)


def _lines(dots: Sequence[Dot], places: Sequence[tuple[float, float]]) -> Iterator[list[tuple[float, float]]]:
    """The places of each part."""
    every = zip(dots, places, strict=True)
    for _, part in groupby(every, key=lambda one: one[0].part):
        yield [place for _, place in part]


def _line(places: Sequence[tuple[float, float]]) -> str:
    points = " ".join(f"{x:.0f},{y:.1f}" for x, y in places)
    return f'<polyline points="{points}"/>' if len(places) > 1 else _circles(places, "last")


def _circles(places: Iterable[tuple[float, float]], kind: str) -> str:
    return "".join(f'<circle class="{kind}" cx="{x:.0f}" cy="{y:.1f}" r="2.4"/>' for x, y in places)


def _words(name: str, dots: Sequence[Dot]) -> str:
    values = [dot.value for dot in dots]
    least, most, last = (written(name, value) for value in (min(values), max(values), values[-1]))
    return f"{ABOUT[name]}, {len(values)} runs: {least} to {most}, last {last}"
