"""Dramatiq behind the seam, in whole runs on real servers."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.integration.conftest import Harness
from tests.integration.one_fault import one_fault

SCENARIO = one_fault("dramatiq")
KILL = SCENARIO.replace("FAULT", "kill_worker: {when: effect, nth: 30}")
TERM = SCENARIO.replace("20ms", "200ms").replace("FAULT", "kill_worker: {at: 1s, signal: TERM}")
CUT = SCENARIO.replace("FAULT", "cut_link: {link: redis, at: 500ms, for: 500ms}")
OUTAGE = SCENARIO.replace("FAULT", 'break_downstream: {how: "503", at: 500ms, for: 2s}')

BOTH = SCENARIO.replace(
    "- FAULT",
    """- break_downstream: {how: "503", at: 500ms, for: 4s}
  - restart_server: {server: redis, how: kill, data: kept, at: 2s, for: 2s}""",
)


def test_a_killed_workers_job_is_done_once(harness: Harness) -> None:
    ended = harness(KILL)
    assert (ended.code, ended.result["value"]) == (0, "PASS"), ended.out + ended.err


def test_a_plain_handler_does_it_twice(harness: Harness) -> None:
    ended = harness(KILL, "--set", "idempotency=none")
    assert (ended.code, ended.values("FAIL")) == (1, ["no_duplicate_effects"]), ended.out + ended.err


def test_without_maintenance_it_stays_active_for_ever(harness: Harness) -> None:
    ended = harness(KILL, "--set", "maintenance_chance=0", "--set", "heartbeat_timeout=1s")
    assert "no_stuck_jobs" in ended.values("FAIL"), ended.out + ended.err
    assert {event["where"] for event in ended.events("held")} == {"active"}


@pytest.mark.parametrize("handled", ["true", "false"])
def test_sigterm_lets_the_job_finish_if_it_is_handled(harness: Harness, handled: str) -> None:
    ended = harness(TERM, "--set", f"handle_sigterm={handled}")
    assert ended.result["value"] == "PASS", ended.out + ended.err
    runs = Counter(event["key"] for event in ended.events("start"))
    assert sorted(set(runs.values())) == ([1] if handled == "true" else [1, 2])


def test_a_job_that_was_never_sent_is_rejected(harness: Harness) -> None:
    ended = harness(CUT)
    assert (ended.code, ended.result["value"]) == (0, "PASS"), ended.out + ended.err
    assert {event["why"].split(":")[0] for event in ended.events("reject")} == {"ConnectionError"}


def test_a_job_out_of_retries_is_dead_and_held(harness: Harness) -> None:
    ended = harness(OUTAGE, "--set", "max_retries=1", "--set", "min_backoff=100ms")
    ends = Counter(event["outcome"] for event in ended.events("finish"))
    held = Counter(event["where"] for event in ended.events("held"))
    assert held == {"dead": ends["dead"]} and ends["dead"] > 10, ended.out + ended.err


def test_a_retry_while_redis_is_away_is_lost_unless_commands_are_retried(harness: Harness) -> None:
    ended = harness(BOTH, "--set", "redis_retries=0")
    assert {"no_lost_jobs", "no_stuck_jobs"} & set(ended.values("FAIL")), ended.out + ended.err
    ended = harness(BOTH)
    assert (ended.code, ended.result["value"]) == (0, "PASS"), ended.out + ended.err
