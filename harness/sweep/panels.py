"""A sweep laid out flat: the first axis across, the second down, a panel for each value of the third."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from harness.sweep.grid import Point
from harness.sweep.sweep import Sweep


class Panel(msgspec.Struct, frozen=True):
    """A table of points; `rows` has its heads, which are empty where there is one axis only."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Point, ...]], ...]


def panels(sweep: Sweep) -> Iterator[Panel]:
    """Every panel."""
    across, *others = sweep.axes
    columns = tuple(f"{across.name}={value}" if n == 0 else value for n, value in enumerate(across.values))
    for third in others[1].values if len(others) > 1 else ("",):
        title = f"{others[1].name}={third}" if third else ""
        yield Panel(title, columns, tuple(_rows(sweep, (third,) if third else ())))


def _rows(sweep: Sweep, rest: Point) -> Iterator[tuple[str, tuple[Point, ...]]]:
    across, *others = sweep.axes
    for down in others[0].values if others else ("",):
        points = tuple((value, *((down,) if down else ()), *rest) for value in across.values)
        yield (f"{others[0].name}={down}" if others else ""), points
