"""Sweeps made by hand: a grid, and runs of its points without a system."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from harness.cell import Cell
from harness.sweep.axis import Axis
from harness.sweep.grid import Grid, Point
from harness.sweep.journal import Made
from harness.sweep.sweep import Sweep, gathered


def grid(*axes: Axis) -> Grid:
    return Grid(Cell("scenarios/kill.yaml", "memory"), axes or (Axis("lease", ("1s", "2s", "5s")),))


def made(point: Point, turn: int = 0, value: str = "PASS", **figures: float) -> Made:
    """A run; `figures` have `_` for `.` in their names."""
    measured = {name.replace("_", "."): figure for name, figure in figures.items()}
    failing = ("no_lost_jobs",) if value == "FAIL" else ()
    code = {"PASS": 0, "FAIL": 1, "INCONCLUSIVE": 3, "ERROR": 4}[value]
    return Made(point, turn, 7 + turn, code, value, f"it came to {value}.", failing, f"runs/{turn}", 2.0, measured)


def swept(
    of: Grid, figure: Callable[[Point, int], float], repeat: int = 3, values: Mapping[Point, str] | None = None
) -> Sweep:
    """Every point run so often, with a p95 as `figure` gives it, and the verdict that `values` has for the point."""
    runs = [
        made(point, turn, (values or {}).get(point, "PASS"), latency_p95=figure(point, turn))
        for point in of.points
        for turn in range(repeat)
    ]
    return gathered(of, runs, target="memory", repeat=repeat, seed=7, command="harness sweep scenarios/kill.yaml")
