"""The grid of a sweep: each point is a choice of one value from every axis, and a cell that can be run."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from itertools import product

import msgspec

from harness import scenario as scenarios
from harness import variants
from harness.cell import Cell
from harness.decode import key_of, keys
from harness.problems import Problem, Problems, refuse
from harness.scenario import Scenario
from harness.sweep.axis import WORKERS, Axis, known
from harness.target import Target

Point = tuple[str, ...]
"""A value of each axis, in their order."""
MOST_WORKERS = 64


class Grid(msgspec.Struct, frozen=True):
    """What is swept: a cell without the axes' settings, and the axes."""

    cell: Cell
    axes: tuple[Axis, ...]

    @property
    def points(self) -> tuple[Point, ...]:
        """Every one; the last axis varies fastest."""
        return tuple(product(*(axis.values for axis in self.axes)))

    def name(self, point: Point) -> str:
        """`prefetch=4 workers=2`."""
        return " ".join(f"{axis.name}={value}" for axis, value in zip(self.axes, point, strict=True))

    def at(self, point: Point, seed: int, folder: str) -> Cell:
        """The point's cell; the file that sets its number of workers lies in the folder."""
        chosen = {axis.name: value for axis, value in zip(self.axes, point, strict=True)}
        workers = chosen.pop(WORKERS, "")
        settings = {**dict(self.cell.knobs), **chosen}
        overlay = os.path.join(folder, _file(workers)) if workers else ""
        return msgspec.structs.replace(self.cell, seed=seed, knobs=tuple(settings.items()), overlay=overlay)


def checked(grid: Grid) -> Scenario:
    """The scenario of the first point, once every point was found to be one that can be run; raises `Problems`."""
    base, target = _load(grid.cell)
    known(grid.axes, _settings(target), f"target {target.name}")
    found: list[Problem] = []
    loaded: dict[Point, Scenario] = {}
    with tempfile.TemporaryDirectory() as folder:
        lay(grid, folder)
        for point in grid.points:
            try:
                loaded[point] = _load(grid.at(point, base.seed, folder))[0]
            except Problems as problems:
                found += problems.found
    if found:
        raise Problems(sorted(set(found)))
    _distinct(grid, loaded)
    return loaded[grid.points[0]]


def lay(grid: Grid, folder: str) -> None:
    """Write the files that set the number of workers; raises `Problems` for what is no number of them."""
    for axis in (axis for axis in grid.axes if axis.name == WORKERS):
        for value in axis.values:
            if not (value.isdecimal() and 1 <= int(value) <= MOST_WORKERS):
                raise refuse(f"--vary {axis.text}", f"expected a whole number from 1 to {MOST_WORKERS}, got `{value}`")
            with open(os.path.join(folder, _file(value)), "w") as file:
                file.write(f"workers: {value}\n")


def _file(workers: str) -> str:
    return f"workers-{workers}.yaml"


def _load(cell: Cell) -> tuple[Scenario, Target]:
    return scenarios.load(
        cell.scenario,
        target=cell.target or None,
        preset=cell.preset or None,
        knobs=dict(cell.knobs),
        targets=cell.targets,
        seed=cell.seed,
        variant=cell.variant or None,
        overlay=cell.overlay or None,
        quick=cell.quick,
    )


def _settings(target: Target) -> Iterator[str]:
    yield from target.knobs
    for server in target.needs:
        yield from (f"{server}.{key_of(field.name)}" for field in keys(variants.variant("servers", server)))


def _distinct(grid: Grid, loaded: dict[Point, Scenario]) -> None:
    seen: list[tuple[Scenario, Point]] = []
    for point, scenario in loaded.items():
        twin = next((other for one, other in seen if one == scenario), None)
        if twin is not None:
            raise refuse("--vary", f"{grid.name(twin)} and {grid.name(point)} are the same")
        seen.append((scenario, point))


def told(axes: Sequence[Axis]) -> str:
    """`prefetch x workers`."""
    return " x ".join(axis.name for axis in axes)
