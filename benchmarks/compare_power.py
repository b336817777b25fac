"""How often a comparison claims a difference of A from A, and how often it finds that B is slower by a fifth.

Runs only exist as numbers here: nine figures that scatter by so much from run to run, partly together, in several
shapes. `python -m benchmarks.compare_power 1000` makes a thousand comparisons for each line (default: 100).
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from harness.cli.compare import REPEAT
from harness.compare.figures import figures
from harness.measurements import COMPARED

Floats = NDArray[np.float64]
SLOWER = ("latency.p50", "latency.p95", "latency.p99")
TOGETHER = 0.5
"""The share of a figure's variance that is the run's own luck, the same for all its figures."""


def normal(random: np.random.Generator, noise: float) -> Floats:
    """Factors of pairs x sides x figures."""
    return np.maximum(1 + noise * _scatter(random), 0.05)


def lognormal(random: np.random.Generator, noise: float) -> Floats:
    """Twice as slow is as likely as twice as fast."""
    return np.exp(noise * _scatter(random))


def heavy(random: np.random.Generator, noise: float) -> Floats:
    """Student's t with three degrees of freedom."""
    shared, own = (random.standard_t(3, (REPEAT, 2, n)) / 3**0.5 for n in (1, len(COMPARED)))
    return np.exp(noise * (TOGETHER**0.5 * shared + (1 - TOGETHER) ** 0.5 * own))


def outliers(random: np.random.Generator, noise: float) -> Floats:
    """Every twentieth run is far slower in everything."""
    far = (random.random((REPEAT, 2, 1)) < 0.05) * random.exponential(0.3 + 3 * noise, (REPEAT, 2, 1))
    return np.exp(noise * _scatter(random) + far)


def drift(random: np.random.Generator, noise: float) -> Floats:
    """The machine becomes slower while runs take turns, by twice the noise in all."""
    at = np.linspace(0, 2 * noise, 2 * REPEAT).reshape(REPEAT, 2, 1).copy()
    at[1::2] = at[1::2, ::-1]
    return np.exp(noise * _scatter(random) + at)


def _scatter(random: np.random.Generator) -> Floats:
    shared, own = (random.normal(size=(REPEAT, 2, n)) for n in (1, len(COMPARED)))
    return np.asarray(TOGETHER**0.5 * shared + (1 - TOGETHER) ** 0.5 * own, np.float64)


SHAPES: tuple[Callable[[np.random.Generator, float], Floats], ...] = (normal, lognormal, heavy, outliers, drift)


def compared(random: np.random.Generator, factors: Floats, by: float) -> tuple[bool, bool]:
    """Whether any figure was said to differ, and whether one that is slower was said to be worse."""
    values = {}
    for n, one in enumerate(COMPARED):
        sides = factors[:, :, n] * (1.0, by if one.name in SLOWER else 1.0)
        if one.name == "duplicates":
            sides = random.poisson(2, sides.shape).astype(np.float64)
        values[one] = [(float(a), float(b)) for a, b in sides]
    found = figures(values, {})
    differing = any(figure.word in ("better", "worse") for figure in found)
    return differing, any(figure.word == "worse" and figure.name in SLOWER for figure in found)


def main(times: int) -> None:
    """Print a line for each shape and noise."""
    print(f"of {times} comparisons of {REPEAT} pairs: A/A that claim a difference; slower by a fifth that are found")
    for number, shape in enumerate(SHAPES):
        for noise in (0.03, 0.05, 0.1, 0.15, 0.2):
            random = np.random.default_rng([number, round(noise * 100)])
            false = sum(compared(random, shape(random, noise), 1.0)[0] for _ in range(times))
            found = sum(compared(random, shape(random, noise), 1.2)[1] for _ in range(times))
            print(f"{shape.__name__:10} {noise:4.0%}  {false / times:6.1%}  {found / times:6.1%}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
