"""What a person sees while a suite goes on: a line for each run that has ended, with the time left."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence

from harness.cell import Cell
from harness.report.suite import text
from harness.report.text import clip, lasting, visible
from harness.suite.journal import Ended
from harness.suite.pace import Pace, left

WIDTH = 110


class Display:
    """Progress on stderr; on a terminal the runs under way stand below it."""

    def __init__(self, todo: Sequence[Cell], pace: Pace, *, made: int, jobs: int) -> None:
        self._waiting, self._pace, self._jobs = list(todo), pace, jobs
        self._made, self._of = made, made + len(todo)
        self._under_way: list[tuple[Cell, float]] = []
        self._terminal = sys.stderr.isatty()
        self._colour = self._terminal and not os.environ.get("NO_COLOR")

    def started(self, cell: Cell) -> None:
        """A run begins."""
        self._waiting.remove(cell)
        self._under_way.append((cell, time.monotonic()))
        self._draw()

    def ended(self, ended: Ended) -> None:
        """A run has ended."""
        self._under_way.remove(next(one for one in self._under_way if one[0] == ended.cell))
        self._pace.learn(ended)
        self._made += 1
        self.say(text.line(ended, self._made, self._of, self._left(), self._colour))
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
        waiting = [self._pace.expected(cell) for cell in self._waiting]
        going = [(self._pace.expected(cell), time.monotonic() - began) for cell, began in self._under_way]
        known = [seconds for seconds in waiting if seconds is not None]
        begun = [seconds - age for seconds, age in going if seconds is not None]
        if len(known) < len(waiting) or len(begun) < len(going) or not (waiting or going):
            return ""
        return f"about {lasting(max(1.0, round(left(known, begun, self._jobs))))} left"

    def _draw(self) -> None:
        if self._terminal and self._under_way:
            names = ", ".join(visible(cell.name) for cell, _ in self._under_way)
            line = "  ".join(filter(None, [f"{self._made}/{self._of}", self._left(), f"running {names}"]))
            self.clear()
            print(clip(line, WIDTH), end="", file=sys.stderr, flush=True)
