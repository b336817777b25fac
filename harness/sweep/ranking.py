"""Which points are best by one measurement, and which of the others cannot be told from them."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log
from typing import Literal

import msgspec
import numpy as np

from harness.measurements import Measurement
from harness.sweep.apart import margin
from harness.sweep.grid import Point
from harness.sweep.standing import Standing

TWICE, LARGEST = log(2), log(1000)
"""Logarithms of a ratio from which it is told as a factor, and from which nobody wants to read it."""


class Ranking(msgspec.Struct, frozen=True, kw_only=True):
    """The points by one measurement; `best` is None where none is to be called so, and `why` says the reason."""

    name: str
    unit: str
    better: Literal["more", "less"]
    best: Point | None = None
    level: tuple[Point, ...] = ()
    """Those that passed and differ from the best by no more than noise may."""
    margin: str = ""
    """How far apart two points must lie to be told apart."""
    why: str = ""


def ranking(measurement: Measurement, standings: Sequence[Standing], repeat: int) -> Ranking:
    """Rank the points all of whose runs passed and were measured."""
    name, unit, better = measurement.name, measurement.unit, measurement.better
    fit = [one for one in standings if one.stands == "PASS" and _measured(one, name) == repeat]
    if len(fit) < 2:
        why = "no point passed every time" if not fit else "only one point passed every time"
        return Ranking(name=name, unit=unit, better=better, why=why)
    values = np.array([[run.measured[name] for run in one.runs] for one in fit], np.float64).T
    ratio = measurement.ratio(values.flat)
    means = (np.log(values) if ratio else values).mean(axis=0)
    found = margin(np.log(values) if ratio else values)
    if found is None:
        return Ranking(name=name, unit=unit, better=better, why="too few repeats to tell noise from a difference")
    at = int(means.argmax() if better == "more" else means.argmin())
    level = tuple(one.point for one, mean in zip(fit, means, strict=True) if abs(mean - means[at]) <= found)
    if len(level) == len(fit):
        why = "no difference shown: all that passed lie within what noise may do"
        return Ranking(name=name, unit=unit, better=better, level=level, margin=_told(found, ratio), why=why)
    others = tuple(point for point in level if point != fit[at].point)
    return Ranking(name=name, unit=unit, better=better, best=fit[at].point, level=others, margin=_told(found, ratio))


def _measured(standing: Standing, name: str) -> int:
    return sum(name in run.measured for run in standing.runs)


def _told(found: float, ratio: bool) -> str:
    if not ratio:
        return f"{found:.2g}"
    if found < TWICE:
        return f"{exp(found) - 1:.1%}"
    return f"a factor of {exp(found):.3g}" if found < LARGEST else "any that were seen"
