"""A sweep under way: every point once, in an order drawn anew for each turn, then all of them again."""

from __future__ import annotations

import os
from collections.abc import Iterable
from random import Random

from harness.cell import Cell, Outcome
from harness.compare.observed import observe
from harness.sweep.grid import Grid, Point
from harness.sweep.journal import Made

Turn = tuple[int, Point]


class Course:
    """The runs of a sweep: what drifts with time weighs on all points alike, and each turn has a seed of its own."""

    def __init__(self, grid: Grid, repeat: int, seed: int, folder: str) -> None:
        self._grid, self._folder, self._seed = grid, folder, seed
        self._cells = {
            grid.at(point, seed + turn, folder): (turn, point)
            for turn in range(repeat)
            for point in _shuffled(grid, seed, turn)
        }
        self._made: dict[Turn, Made] = {}

    def take_up(self, made: Iterable[Made]) -> int:
        """Count runs of an earlier sitting as made, unless they came to no verdict; how many."""
        wanted = set(self._cells.values())
        self._made |= {
            (one.turn, one.point): one for one in made if (one.turn, one.point) in wanted and one.value != "ERROR"
        }
        return len(self._made)

    @property
    def todo(self) -> list[Cell]:
        """The runs that are still to be made, in their order."""
        return [cell for cell, turn in self._cells.items() if turn not in self._made]

    @property
    def made(self) -> list[Made]:
        """The runs that were made, by turn and then as the grid has them."""
        order = {point: n for n, point in enumerate(self._grid.points)}
        return sorted(self._made.values(), key=lambda one: (one.turn, order[one.point]))

    def point(self, cell: Cell) -> Point:
        """Where in the grid a run stands."""
        return self._cells[cell][1]

    def note(self, outcome: Outcome) -> Made:
        """A run has ended: what it came to, with its figures where it was as planned."""
        turn, point = self._cells[outcome.cell]
        observed = observe(outcome.folder, outcome.result) if outcome.judged else None
        made = Made(
            point,
            turn,
            self._seed + turn,
            outcome.code,
            outcome.value if outcome.judged else "ERROR",
            outcome.says,
            outcome.failing,
            os.path.relpath(outcome.folder, self._folder) if outcome.folder else "",
            round(outcome.seconds, 2),
            observed.measured if observed and observed.sound else {},
        )
        self._made[turn, point] = made
        return made


def _shuffled(grid: Grid, seed: int, turn: int) -> list[Point]:
    points = list(grid.points)
    Random(f"{seed} {turn}").shuffle(points)
    return points
