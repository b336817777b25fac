"""Runs of a grid -> sweep: how each point stands, and which are best by each measurement."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from harness.measurements import COMPARED, Measurement
from harness.sweep.axis import Axis
from harness.sweep.grid import Grid, Point
from harness.sweep.journal import Made
from harness.sweep.ranking import Ranking, ranking
from harness.sweep.standing import Standing, standing

VERSION = 1
FAILED, UNDECIDED, BROKEN, LEFT = 1, 3, 4, 5


class Sweep(msgspec.Struct, frozen=True, kw_only=True):
    """What `sweep.json` holds."""

    scenario: str
    target: str
    axes: tuple[Axis, ...]
    repeat: int
    seed: int
    standings: tuple[Standing, ...]
    rankings: tuple[Ranking, ...]
    """Of each measurement that some run has."""
    warnings: tuple[str, ...] = ()
    command: str = ""
    version: int = VERSION

    def at(self, point: Point) -> Standing:
        """How this point stands."""
        return next(one for one in self.standings if one.point == point)

    @property
    def code(self) -> int:
        """The exit code: 4 or 5 where a run went wrong; else 0 if any point passed every time, so that there is
        something to choose; else 1 if every point broke a claim, and 3 if that is not known of all."""
        codes = {run.code for one in self.standings for run in one.runs}
        stands = {one.stands for one in self.standings}
        if wrong := next((code for code in (BROKEN, LEFT) if code in codes), 0):
            return wrong
        return 0 if "PASS" in stands else FAILED if stands == {"FAIL"} else UNDECIDED


def gathered(
    grid: Grid,
    made: Sequence[Made],
    *,
    target: str,
    repeat: int,
    seed: int,
    measured: Sequence[Measurement] = COMPARED,
    warnings: Sequence[str] = (),
    command: str = "",
) -> Sweep:
    """All that the runs came to. Pure: the same runs give the same sweep."""
    runs: dict[Point, list[Made]] = {point: [] for point in grid.points}
    for one in made:
        runs[one.point].append(one)
    standings = tuple(standing(point, some, repeat) for point, some in runs.items())
    known = {name for one in standings for name in one.figures}
    return Sweep(
        scenario=grid.cell.situation,
        target=target,
        axes=grid.axes,
        repeat=repeat,
        seed=seed,
        standings=standings,
        rankings=tuple(ranking(one, standings, repeat) for one in measured if one.name in known),
        warnings=tuple(warnings),
        command=command,
    )
