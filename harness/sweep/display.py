"""What a person sees while a sweep goes on: a line for each run that has ended, with the time left."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

from harness.cell import Cell
from harness.report.text import clip, lasting, visible
from harness.suite.pace import left
from harness.sweep import text
from harness.sweep.course import Course
from harness.sweep.grid import Grid, Point
from harness.sweep.journal import Made

WIDTH = 110


class Display:
    """Progress on stderr; on a terminal the runs under way stand below it."""

    def __init__(self, grid: Grid, course: Course, *, seconds: float, jobs: int) -> None:
        self._grid, self._course, self._guess, self._jobs = grid, course, seconds, jobs
        self._waiting, self._of = list(course.todo), len(course.todo) + len(course.made)
        self._under_way: dict[Cell, float] = {}
        self._took: dict[Point, float] = {made.point: made.seconds for made in course.made}
        self._terminal = sys.stderr.isatty()

    def started(self, cell: Cell) -> None:
        """A run begins."""
        self._waiting.remove(cell)
        self._under_way[cell] = time.monotonic()
        self._draw()

    def ended(self, cell: Cell, made: Made) -> None:
        """A run has ended."""
        del self._under_way[cell]
        self._took[made.point] = made.seconds
        name = self._grid.name(made.point)
        self.say(text.line(made, name, len(self._course.made), self._of, self._left()))
        self._draw()

    def say(self, line: str) -> None:
        """A line that stays."""
        self.clear()
        print(line, file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Leave the terminal clean."""
        if self._terminal:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def _left(self) -> str:
        now = time.monotonic()
        going = [self._expected(cell) - (now - began) for cell, began in self._under_way.items()]
        waiting = [self._expected(cell) for cell in self._waiting]
        return f"about {lasting(max(1.0, round(left(waiting, going, self._jobs))))}" if waiting or going else ""

    def _expected(self, cell: Cell) -> float:
        known = self._took.get(self._course.point(cell))
        lengths: Sequence[float] = list(self._took.values()) or [self._guess]
        return known if known is not None else sum(lengths) / len(lengths)

    def _draw(self) -> None:
        if self._terminal and self._under_way:
            names = "; ".join(visible(self._grid.name(self._course.point(cell))) for cell in self._under_way)
            self.clear()
            print(clip(f"running {names}, {self._left()} left", WIDTH), end="", file=sys.stderr, flush=True)
