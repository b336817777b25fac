"""The scenarios that ship, on a real Celery: the verdict that each configuration deserves, every time."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.integration.conftest import Ended, Harness

KILL, RESTART, OUTAGE = "scenarios/worker-kill.yaml", "scenarios/redis-restart.yaml", "scenarios/downstream-outage.yaml"
CASES = {
    "idempotent": ([KILL], []),
    "not idempotent": ([KILL, "--set", "idempotency=none"], ["no_duplicate_effects"]),
    "stock": ([KILL, "--preset", "stock"], ["no_lost_jobs"]),
    "redis with a log": ([RESTART], []),
    "redis without": ([RESTART, "--set", "redis.persistence=none"], ["no_lost_jobs", "reconciles"]),
    "jitter": ([OUTAGE, "--quick"], []),
    "no jitter": ([OUTAGE, "--quick", "--preset", "lockstep"], ["retries_are_spread"]),
}
REPEATS = 20


def judged(ended: Ended, failing: list[str]) -> None:
    said = ended.out + ended.err
    assert ended.values("FAIL") == failing, said
    assert ended.result["value"] == ("FAIL" if failing else "PASS"), said
    assert ended.code == (1 if failing else 0)


@pytest.mark.parametrize("case", CASES)
def test_each_configuration_gets_its_verdict(harness: Harness, case: str) -> None:
    words, failing = CASES[case]
    judged(harness(*words), failing)


def test_a_passing_restart_says_how_many_jobs_were_at_risk(harness: Harness) -> None:
    ended = harness(RESTART)
    assert "at risk" in ended.verdict("no_lost_jobs")["says"], ended.out
    assert ended.verdict("no_lost_jobs")["measured"]["at_risk"] > 0


def test_a_job_that_fails_for_good_while_redis_is_away_is_filed_all_the_same(harness: Harness) -> None:
    ended = harness("scenarios/blip-while-retrying.yaml", "--set", "max_retries=0")
    dead = {event["key"] for event in ended.events("finish") if event["outcome"] == "dead"}
    assert dead, ended.out + ended.err
    assert {event["key"] for event in ended.events("held") if event["where"] == "dead"} == dead
    assert ended.values("FAIL") == [], ended.out + ended.err


GROUP = """about: SIGTERM goes to a worker's whole process group, as a service manager may send it.
target: celery
handler: {work: 2s}
load:
  - constant: {rate: 2/s, for: 4s}
faults:
  - kill_worker: {when: start, nth: 3, signal: TERM, scope: group}
invariants: [no_lost_jobs]
"""


def test_sigterm_to_the_group_kills_the_pool_and_loses_its_job_unless_that_is_put_back(harness: Harness) -> None:
    judged(harness(GROUP), [])
    judged(harness(GROUP, "--set", "reject_on_worker_lost=false"), ["no_lost_jobs"])


def test_a_server_that_is_down_already_is_inconclusive(harness: Harness) -> None:
    twice = """about: Redis is restarted while it is down.
target: celery
load:
  - constant: {rate: 20/s, for: 4s}
faults:
  - restart_server: {server: redis, at: 1s, for: 2s}
  - restart_server: {server: redis, at: 2s, for: 1s}
invariants:
  - no_duplicate_effects
"""
    ended = harness(twice)
    assert ended.code == 3, ended.out
    assert "redis was down already" in ended.result["says"]


@pytest.fixture
def busy() -> Iterator[None]:
    """Both cores loaded by somebody else."""
    with ExitStack() as stack:
        for _ in range(2):
            process = stack.enter_context(subprocess.Popen([sys.executable, "-c", "while True: pass"]))
            stack.callback(process.kill)
        yield


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("case", CASES)
def test_the_verdict_is_the_same_every_time(harness: Harness, case: str) -> None:
    words, failing = CASES[case]
    for seed in range(REPEATS):
        judged(harness(*words, "--seed", str(seed)), failing)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("case", CASES)
def test_the_verdict_is_the_same_on_a_busy_machine(harness: Harness, busy: None, case: str) -> None:
    words, failing = CASES[case]
    for seed in range(REPEATS):
        judged(harness(*words, "--seed", str(seed)), failing)
