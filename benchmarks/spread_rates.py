"""How often `spread` and `backs_off` are wrong: every retry policy, wave size, failure pattern and noise, simulated.

Run it as `python -m benchmarks.spread_rates --waves 200 --attempts 4`.
"""

import argparse
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from harness.invariants._waves import backs_off, spread

Floats = NDArray[np.float64]
Delay = Callable[[Generator, int, Floats], Floats]  # (random, retry number from 0, delay before) -> delay


class Policy(NamedTuple):
    """How a job system waits, and what each claim should say of it."""

    delay: Delay
    spread: str
    backs_off: str


def exponential(base: float, low: float, high: float, *, cap: float = 600.0) -> Delay:
    """`base * 2**n`, times a uniform factor."""
    return lambda random, n, before: min(cap, base * 2.0**n) * random.uniform(low, high, before.size)


def fixed(seconds: float, *, jitter: float = 0.0) -> Delay:
    """The same pace every time."""
    return lambda random, n, before: seconds * random.uniform(1.0 - jitter, 1.0, before.size)


def decorrelated(random: Generator, n: int, before: Floats) -> Floats:
    """AWS's decorrelated jitter."""
    longest: Floats = 3.0 * np.maximum(before, 1.0)
    return np.minimum(60.0, random.uniform(1.0, longest))


def celery(random: Generator, n: int, before: Floats) -> Floats:
    """Celery's `retry_backoff=True` with its own full jitter in whole seconds."""
    return random.integers(0, 2**n + 1, before.size).astype(float)


def celery_2(random: Generator, n: int, before: Floats) -> Floats:
    """The same with `retry_backoff=2`."""
    return random.integers(0, 2 ** (n + 1) + 1, before.size).astype(float)


def sidekiq(random: Generator, n: int, before: Floats) -> Floats:
    """Sidekiq's default."""
    return n**4 + 15.0 + random.integers(0, 10, before.size).astype(float) * (n + 1.0)


def restate(random: Generator, n: int, before: Floats) -> Floats:
    """A little added to a threefold back-off."""
    return 0.57 * 3.0**n + random.uniform(0.0, 0.09, before.size)


def half_and_half(random: Generator, n: int, before: Floats) -> Floats:
    """Every other job without jitter."""
    full = 2.0 * 2.0**n * random.uniform(0.0, 1.0, before.size)
    return np.where(np.arange(before.size) % 2, full, 2.0 * 2.0**n)


POLICIES = {
    "full jitter, 1 s": Policy(exponential(1.0, 0.0, 1.0), "spread", "backs_off"),
    "full jitter, 2 s": Policy(exponential(2.0, 0.0, 1.0), "spread", "backs_off"),
    "equal jitter, 1 s": Policy(exponential(1.0, 0.5, 1.0), "spread", "backs_off"),
    "Dramatiq, 0.5 s": Policy(exponential(0.5, 1.0, 2.0), "spread", "backs_off"),
    "Celery, whole seconds, 2 s": Policy(celery_2, "spread", "backs_off"),
    "equal jitter, 2 s (BullMQ 0.5)": Policy(exponential(2.0, 0.5, 1.0), "spread", "backs_off"),
    "equal jitter, 2 s, cap 8 s": Policy(exponential(2.0, 0.5, 1.0, cap=8.0), "spread", "backs_off"),
    "decorrelated jitter": Policy(decorrelated, "spread", "backs_off"),
    "Celery, whole seconds": Policy(celery, "spread", "backs_off"),
    "Sidekiq": Policy(sidekiq, "spread", "backs_off"),
    "Dramatiq, 15 s": Policy(exponential(15.0, 1.0, 2.0), "spread", "backs_off"),
    "fixed 2 s, full jitter": Policy(fixed(2.0, jitter=1.0), "spread", "fixed_pace"),
    "half of the jobs jittered": Policy(half_and_half, "spread", "backs_off"),
    "Restate, small jitter": Policy(restate, "lockstep", "backs_off"),
    "exponential 1 s": Policy(exponential(1.0, 1.0, 1.0), "lockstep", "backs_off"),
    "exponential 2 s": Policy(exponential(2.0, 1.0, 1.0), "lockstep", "backs_off"),
    "exponential 2 s, cap 8 s": Policy(exponential(2.0, 1.0, 1.0, cap=8.0), "lockstep", "backs_off"),
    "exponential 2 s, jitter 10 %": Policy(exponential(2.0, 0.9, 1.0), "lockstep", "backs_off"),
    "fixed 1 s": Policy(fixed(1.0), "lockstep", "fixed_pace"),
    "fixed 2 s": Policy(fixed(2.0), "lockstep", "fixed_pace"),
    "fixed 5 s": Policy(fixed(5.0), "lockstep", "fixed_pace"),
    "immediate": Policy(fixed(0.0), "lockstep", "fixed_pace"),
}
SIZES = (20, 50, 200, 1000, 5000)
PATTERNS = {"at once": 0.0, "over 10 s": 10.0, "over 60 s": 60.0}
Noise = Callable[[Generator, Floats], Floats]  # due -> started
NOISES: dict[str, Noise] = {
    "none": lambda random, due: due,
    "exp 50 ms": lambda random, due: due + random.exponential(0.05, due.size),
    "exp 300 ms": lambda random, due: due + random.exponential(0.3, due.size),
    "poll 1 s": lambda random, due: np.ceil(due),
    "10 % +3 s": lambda random, due: due + 3.0 * (random.random(due.size) < 0.1),
}
WORK = 0.02  # seconds that an attempt takes to fail


def wave(random: Generator, policy: Policy, size: int, over: float, noise: Noise, attempts: int) -> tuple[Floats, ...]:
    """One outage: the job, number, failure and start of every retry."""
    failed = 1000.0 + np.sort(random.uniform(0.0, over, size)) + random.exponential(WORK, size)
    before, rows = np.zeros(size), []
    for n in range(attempts):
        before = policy.delay(random, n, before)
        started = noise(random, failed + before)
        rows.append((np.arange(size), np.full(size, n + 1), failed, started))
        failed = started + random.exponential(WORK, size)
    return tuple(np.concatenate(column) for column in zip(*rows, strict=True))


class Rates(NamedTuple):
    """The share of waves misjudged, and left undecided, by each claim."""

    spread_wrong: float
    spread_undecided: float
    back_off_wrong: float
    back_off_undecided: float


def rates(random: Generator, policy: Policy, size: int, over: float, noise: Noise, attempts: int, waves: int) -> Rates:
    """Judge that many waves of one cell of the table."""
    judged = [wave(random, policy, size, over, noise, attempts) for _ in range(waves)]
    spreads = shares([spread(*columns).verdict for columns in judged], policy.spread)
    return Rates(*spreads, *shares([backs_off(*columns).verdict for columns in judged], policy.backs_off))


def shares(verdicts: Sequence[str], expected: str) -> tuple[float, float]:
    """The shares of the verdicts that are wrong, and that are none."""
    undecided = sum(verdict in ("unclear", "too_few") for verdict in verdicts)
    right = verdicts.count(expected)
    return (len(verdicts) - right - undecided) / len(verdicts), undecided / len(verdicts)


def main() -> None:
    """Print, for each policy and noise, the worst rate over patterns, by size of wave."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--waves", type=int, default=200)
    parser.add_argument("--attempts", type=int, default=4)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    options = parser.parse_args()
    random = np.random.default_rng(20)
    print("percent of waves: spread wrong, undecided; back-off wrong, undecided; the worst of", ", ".join(PATTERNS))
    print(f"{'policy':32}{'noise':12}" + "".join(f"{size:>24}" for size in options.sizes))
    for name, policy in POLICIES.items():
        for heard, noise in NOISES.items():
            row = [
                [
                    rates(random, policy, size, over, noise, options.attempts, options.waves)
                    for over in PATTERNS.values()
                ]
                for size in options.sizes
            ]
            worst = [tuple(100 * max(column) for column in zip(*cell, strict=True)) for cell in row]
            print(
                f"{name:32}{heard:12}" + "".join(f"{a:8.1f}{b:5.0f}{c:6.1f}{d:5.0f}" for a, b, c, d in worst),
                flush=True,
            )


if __name__ == "__main__":
    main()
