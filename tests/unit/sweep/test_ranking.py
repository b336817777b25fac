"""Noise is not taken for a difference, a difference is seen, and what failed is never best."""

from __future__ import annotations

import numpy as np
import pytest

from harness.sweep.apart import margin
from harness.sweep.axis import Axis
from harness.sweep.grid import Point
from tests.unit.sweep.swept import grid, made, swept

TIMES = {"1s": 0.1, "2s": 0.102, "5s": 0.2}


def steady(point: Point, turn: int) -> float:
    return TIMES[point[0]] * (1 + 0.01 * ((turn * 2 + len(point[0]) + int(point[0][0])) % 3))


def test_the_best_is_marked_with_those_that_cannot_be_told_from_it() -> None:
    (ranking,) = swept(grid(), steady).rankings
    assert (ranking.best, ranking.level, ranking.why) == (("1s",), (("2s",),), "")


def test_a_point_that_failed_once_is_never_best_nor_level() -> None:
    (ranking,) = swept(grid(), steady, values={("1s",): "FAIL"}).rankings
    assert (ranking.best, ranking.level) == (("2s",), ())


def test_where_nothing_can_be_told_nothing_is_best() -> None:
    same = swept(grid(), lambda point, turn: 0.1 + 0.01 * ((turn + int(point[0][0])) % 3)).rankings[0]
    assert (same.best, same.why) == (None, "no difference shown: all that passed lie within what noise may do")
    few = swept(grid(), steady, repeat=1).rankings[0]
    assert (few.best, few.why) == (None, "too few repeats to tell noise from a difference")
    one = swept(grid(), steady, values={("1s",): "FAIL", ("5s",): "INCONCLUSIVE"}).rankings[0]
    assert (one.best, one.why) == (None, "only one point passed every time")
    none = swept(grid(), steady, values=dict.fromkeys(grid().points, "FAIL")).rankings[0]
    assert (none.best, none.why) == (None, "no point passed every time")


@pytest.mark.parametrize(
    ("values", "code"),
    [
        (("PASS", "FAIL", "FAIL"), 0),
        (("FAIL", "FAIL", "FAIL"), 1),
        (("FAIL", "INCONCLUSIVE", "FAIL"), 3),
        (("PASS", "PASS", "ERROR"), 4),
    ],
)
def test_the_exit_code_says_whether_there_is_anything_to_choose(values: tuple[str, ...], code: int) -> None:
    of = grid()
    assert swept(of, steady, values=dict(zip(of.points, values, strict=True))).code == code


def test_a_point_stands_as_its_worst_run_does() -> None:
    from harness.sweep.standing import standing

    runs = [made(("1s",), 0, drain=2.0), made(("1s",), 1, "FAIL", drain=8.0)]
    found = standing(("1s",), runs, 2)
    assert (found.stands, found.failing, found.says) == ("FAIL", ("no_lost_jobs",), "it came to FAIL.")
    assert (found.figures["drain"].mean, found.figures["drain"].share) == (pytest.approx(4.0), pytest.approx(0.75))
    assert standing(("1s",), runs[:1], 2).stands == "not run"


def test_points_that_are_the_same_are_told_apart_five_times_in_a_hundred_at_most() -> None:
    random, times = np.random.default_rng(1), 100
    told = 0
    for _ in range(times):
        values = random.normal(0, 0.1, (3, 1)) + random.standard_t(3, (3, 12)) * 0.1
        found = margin(values)
        assert found is not None
        told += float(np.ptp(values.mean(axis=0))) > found
    assert told <= times * 0.05 + 3 * (times * 0.05 * 0.95) ** 0.5


@pytest.mark.parametrize("points", [3, 12])
def test_a_point_that_is_far_from_the_others_is_told_apart(points: int) -> None:
    random, times = np.random.default_rng(2), 30
    values = [random.normal(0, 0.05, (3, points)) + np.where(np.arange(points) == 2, -0.6, 0) for _ in range(times)]
    assert sum(float(np.ptp(one.mean(axis=0))) > (margin(one) or 9.0) for one in values) >= 0.95 * times


def test_one_turn_or_one_point_tells_nothing() -> None:
    assert margin(np.array([[1.0, 2.0, 3.0]])) is None
    assert margin(np.array([[1.0], [2.0], [3.0]])) is None
    assert margin(np.array([[1.0, 1.0]] * 3)) == 0.0


def test_more_is_better_where_it_is() -> None:
    from harness.sweep.sweep import gathered

    of = grid(Axis("concurrency", ("1", "2", "4")))
    runs = [made(p, t, throughput=float(p[0]) * 10 + t / 10) for p in of.points for t in range(3)]
    (ranking,) = gathered(of, runs, target="memory", repeat=3, seed=1).rankings
    assert (ranking.best, ranking.level) == (("4",), ())
