"""Shapes: how many jobs, when, and the same ones for the same seed."""

from itertools import pairwise
from math import sqrt
from random import Random

import pytest

from harness.load.shapes import Burst, Closed, Constant, Locustfile, Open, Poisson, Ramp, Shape

OPEN: list[Open] = [Constant(50, 4), Poisson(50, 4), Ramp(10, 90, 4), Ramp(90, 0, 4), Burst(10, every=2, times=3)]


def offsets(shape: Open, seed: int = 1) -> list[float]:
    return list(shape.arrivals(Random(seed)))


@pytest.mark.parametrize(
    ("shape", "jobs"),
    [
        (Constant(100, 3), 300),
        (Constant(0.1, 30), 3),
        (Constant(0.3, 1), 1),
        (Ramp(0, 100, 10), 500),
        (Ramp(100, 0, 10), 500),
        (Ramp(50, 50, 2), 100),
        (Burst(7), 7),
        (Burst(7, every=1, times=3), 21),
    ],
)
def test_a_shape_has_the_jobs_that_its_rate_and_length_say(shape: Open, jobs: int) -> None:
    assert len(offsets(shape)) == jobs


@pytest.mark.parametrize("shape", OPEN, ids=repr)
def test_arrivals_are_in_order_and_within_the_stage(shape: Open) -> None:
    found = offsets(shape)
    assert all(earlier <= later for earlier, later in pairwise(found))
    assert found[0] >= 0
    assert found[-1] < shape.seconds


@pytest.mark.parametrize("shape", OPEN, ids=repr)
def test_a_seed_decides_everything(shape: Open) -> None:
    assert offsets(shape, seed=3) == offsets(shape, seed=3)


def test_another_seed_gives_other_poisson_arrivals() -> None:
    assert offsets(Poisson(50, 4), seed=3) != offsets(Poisson(50, 4), seed=4)


def test_constant_arrivals_are_equally_far_apart() -> None:
    assert offsets(Constant(4, 1)) == [0.0, 0.25, 0.5, 0.75]


def test_a_burst_is_all_at_once() -> None:
    assert offsets(Burst(2, every=1.5, times=2)) == [0.0, 0.0, 1.5, 1.5]


def test_a_ramp_gathers_where_its_rate_is_high() -> None:
    rising = offsets(Ramp(0, 100, 10))
    assert sum(offset < 5 for offset in rising) == pytest.approx(125, abs=1)


@pytest.mark.parametrize("seed", range(5))
def test_poisson_arrivals_have_the_mean_and_variance_of_their_name(seed: int) -> None:
    rate, seconds = 200.0, 100
    found = offsets(Poisson(rate, seconds), seed)
    mean = rate * seconds
    assert abs(len(found) - mean) < 5 * sqrt(mean)
    each_second = [0] * seconds
    for offset in found:
        each_second[int(offset)] += 1
    average = len(found) / seconds
    variance = sum((count - average) ** 2 for count in each_second) / (seconds - 1)
    # Of a Poisson count, variance / mean is 1; over n seconds its standard error is sqrt(2 / (n - 1)).
    assert abs(variance / average - 1) < 5 * sqrt(2 / (seconds - 1))


@pytest.mark.parametrize("shape", [*OPEN, Closed(3, 0, 1), Locustfile("a.py", 1, 1)], ids=repr)
def test_a_sound_shape_has_no_problems(shape: Shape) -> None:
    assert list(shape.problems()) == []


@pytest.mark.parametrize(
    ("shape", "problem"),
    [
        (Constant(0, 1), "`rate` must be more than 0, but is 0"),
        (Poisson(1, -1), "`for` must be more than 0, but is -1"),
        (Ramp(0, 0, 1), "`from` and `to` must not be negative, nor both 0; they are 0 and 0"),
        (Burst(5, times=2), "`every` must be positive when there is more than one burst, but is 0"),
        (Closed(1, -1, 1), "`think` must not be negative, but is -1"),
        (Locustfile("users.txt", 1, 1), "`file` must be a Python file, but is 'users.txt'"),
    ],
)
def test_each_problem_is_told_in_a_sentence(shape: Shape, problem: str) -> None:
    assert list(shape.problems()) == [problem]
