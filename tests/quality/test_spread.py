"""Jitter is never accused and lockstep never acquitted: the simulation of `benchmarks/spread_rates.py`, seeded and
smaller."""

import numpy as np
import pytest

from benchmarks.spread_rates import NOISES, PATTERNS, POLICIES, wave
from harness.invariants._waves import Spread, Wave, backs_off, spread

# Retries that a poller starts on its tick are aligned by it: jitter shorter than the tick is no jitter.
ALIGNED = {("equal jitter, 1 s", "poll 1 s"), ("Dramatiq, 0.5 s", "poll 1 s")}
OPPOSITE = {"spread": "lockstep", "lockstep": "spread", "backs_off": "fixed_pace", "fixed_pace": "backs_off"}


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("name", POLICIES)
def test_no_policy_is_misjudged_from_twenty_jobs_with_four_retries_each(name: str, noise: str) -> None:
    random, policy = np.random.default_rng(7), POLICIES[name]
    for over in PATTERNS.values():
        for _ in range(5):
            columns = wave(random, policy, 20, over, NOISES[noise], 4)
            assert backs_off(*columns).verdict != OPPOSITE[policy.backs_off]
            if (name, noise) not in ALIGNED:
                assert spread(*columns).verdict != OPPOSITE[policy.spread]


@pytest.mark.parametrize("size", [20, 200, 5000])
@pytest.mark.parametrize("name", POLICIES)
def test_on_a_quiet_machine_every_policy_is_told_from_its_opposite(name: str, size: int) -> None:
    policy = POLICIES[name]
    verdicts = {
        spread(*wave(np.random.default_rng(seed), policy, size, 10.0, NOISES["none"], 5)).verdict for seed in range(3)
    }
    assert verdicts == {policy.spread}


def test_a_backlog_that_grows_does_not_hide_a_lockstep() -> None:
    failed = np.linspace(0.0, 60.0, 600)
    assert spread(np.arange(600), np.ones(600), failed, failed + 2.0 + failed / 10).verdict == "lockstep"


def test_nine_retries_are_too_few_to_tell() -> None:
    few = np.arange(9)
    assert spread(few, np.ones(9), np.zeros(9), few * 3.0).verdict == "too_few"
    assert backs_off(few, np.ones(9), np.zeros(9), few * 3.0).verdict == "too_few"


def test_no_retries_at_all_are_too_few_to_tell() -> None:
    assert spread([], [], [], []).verdict == "too_few"
    assert backs_off([], [], [], []).verdict == "too_few"


def test_one_number_of_retries_says_nothing_of_back_off() -> None:
    assert backs_off(np.arange(50), np.ones(50), np.zeros(50), np.full(50, 8.0)).verdict == "too_few"


def test_the_worst_wave_is_shown_with_its_witnesses() -> None:
    jobs = np.arange(12)
    started = np.where(jobs < 11, 14.0, 30.0)
    worst = Wave(at=10.0, attempt=1, jobs=12, delay=4.0, width=0.0, witnesses=tuple(range(10)))
    found = spread(jobs, np.ones(12), np.full(12, 10.0), started)
    assert isinstance(found, Spread)
    assert (found.verdict, found.retries, found.pairs, found.waves, found.worst) == ("lockstep", 12, 65, 1, worst)
