"""How strongly each point of a sweep is coloured by a measurement: 0 for the worst, 1 for the best."""

from __future__ import annotations

from math import log

from harness.measurements import BY_NAME
from harness.sweep.grid import Point
from harness.sweep.ranking import Ranking
from harness.sweep.sweep import Sweep


def tones(sweep: Sweep, ranking: Ranking) -> dict[Point, float]:
    """Only of points that passed; on a scale of ratios where a comparison has one."""
    fit = {
        one.point: one.figures[ranking.name].mean
        for one in sweep.standings
        if one.stands == "PASS" and ranking.name in one.figures
    }
    ratio = BY_NAME[ranking.name].ratio(fit.values())
    scaled = {point: log(value) if ratio else value for point, value in fit.items()}
    low, high = min(scaled.values(), default=0.0), max(scaled.values(), default=0.0)
    if low == high:
        return dict.fromkeys(fit, 0.0)
    worst, best = (low, high) if ranking.better == "more" else (high, low)
    return {point: (at - worst) / (best - worst) for point, at in scaled.items()}
