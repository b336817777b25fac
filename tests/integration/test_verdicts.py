"""Whole runs on the memory target: each verdict both ways, and never a green that broke nothing."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import pytest

from tests.integration.conftest import ROOT, Ended, Harness

KILL = """about: A worker is killed after its side effect.
target: memory
workers: 2
handler: {work: 10ms}
load:
  - constant: {rate: 40/s, for: 1500ms}
faults:
  - kill_worker: {when: effect, nth: 15}
invariants:
  - no_lost_jobs
  - no_duplicate_effects
  - no_overlapping_runs
  - no_stuck_jobs
  - every_completion_has_its_effect
  - consumption_resumes: 30s
  - drains_within: 60s
"""
FAULT = "  - kill_worker: {when: effect, nth: 15}\n"


def test_a_careful_system_passes_and_says_what_was_examined(harness: Harness) -> None:
    ended = harness(KILL)
    assert (ended.code, ended.result["value"]) == (0, "PASS"), ended.out + ended.err
    assert ended.verdict("no_lost_jobs")["examined"] == 60
    assert ended.verdict("faults_took_effect")["examined"] == 1
    files = {"result.json", "junit.xml", "report.html", "scenario.yaml", "plan.json", "events", "logs"}
    assert files <= {path.name for path in ended.run.iterdir()}
    assert {"throughput", "latency.p95", "recovery", "drain", "duplicates"} <= ended.result["measurements"].keys()
    assert f'href="{ended.run.name}/report.html"' in (ended.reports / "index.html").read_text()


def test_a_duplicate_effect_is_shown_from_effect_to_second_effect(harness: Harness) -> None:
    ended = harness(KILL, "--set", "idempotency=none")
    assert (ended.code, ended.values("FAIL")) == (1, ["no_duplicate_effects"]), ended.out
    (witness,) = ended.verdict("no_duplicate_effects")["witnesses"]
    told = [moment["what"] for moment in witness["timeline"]]
    wanted = ["offer", "ack", "effect by", "SIGKILL", "start, attempt", "effect by"]
    places = _in_order(wanted, told)
    assert len(places) == len(wanted), told


def _in_order(wanted: list[str], told: list[str]) -> list[int]:
    """Where each wanted text stands in the lines told, each after the one before."""
    places: list[int] = []
    for text in wanted:
        later = [n for n, line in enumerate(told) if text in line and n > (places[-1] if places else -1)]
        places += later[:1]
    return places


def test_an_early_ack_loses_the_killed_workers_job(harness: Harness) -> None:
    ended = harness(KILL, "--set", "ack=early")
    assert (ended.code, ended.values("FAIL")) == (1, ["no_lost_jobs"]), ended.out


OUTAGE = KILL.replace(FAULT, '  - break_downstream: {how: "503", at: 200ms, for: 5s}\n') + "  - retries_are_spread\n"
SLOW = ("--set", "backoff=2s", "--set", "backoff_max=2s")


def test_retries_in_step_are_found(harness: Harness) -> None:
    ended = harness(OUTAGE, *SLOW, "--set", "jitter=none")
    assert ended.values("FAIL") == ["retries_are_spread"], ended.out


def test_retries_with_jitter_are_not_accused(harness: Harness) -> None:
    ended = harness(OUTAGE, *SLOW)
    assert (ended.code, ended.values("FAIL")) == (0, []), ended.out


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("  - kill_worker: {when: effect, nth: 100000}\n", "at the 100000. effect, which did not come"),
        ("  - kill_worker: {when: start, nth: 100000}\n", "at the 100000. start, which did not come"),
        ('  - kill_worker: {when: "inflight >= 1000"}\n', "before the load was over"),
        ('  - break_downstream: {how: "503", share: 0%, at: 100ms, for: 100ms}\n', "no call reached"),
    ],
)
def test_a_fault_that_missed_is_inconclusive(harness: Harness, fault: str, says: str) -> None:
    ended = harness(KILL.replace(FAULT, fault).replace("1500ms", "400ms"))
    assert (ended.code, ended.values("FAIL")) == (3, []), ended.out + ended.err
    assert says in ended.result["says"]


def test_a_worker_with_nothing_to_do_is_no_victim(harness: Harness) -> None:
    idle = KILL.replace(FAULT, "  - kill_worker: {at: 500ms}\n").replace(
        "constant: {rate: 40/s, for: 1500ms}", "constant: {rate: 5/m, for: 12s}"
    )
    ended = harness(idle)
    assert (ended.code, ended.values("FAIL")) == (3, []), ended.out + ended.err


def test_an_empty_run_proves_nothing(harness: Harness) -> None:
    ended = harness(
        KILL.replace("constant: {rate: 40/s, for: 1500ms}", "constant: {rate: 1/h, for: 300ms}").replace(
            FAULT, "  []\n"
        )
    )
    assert (ended.code, ended.result["value"]) == (3, "INCONCLUSIVE"), ended.out + ended.err


@pytest.mark.parametrize(
    "fault",
    [
        "  - kill_worker: {when: start, nth: 5, scope: tree}\n",
        "  - kill_worker: {when: start, nth: 5, scope: group, signal: TERM}\n",
        "  - freeze_worker: {when: start, nth: 5, for: 500ms}\n",
        "  - cut_link: {link: downstream, at: 300ms, for: 500ms}\n",
        "  - slow_link: {link: downstream, latency: 50ms, at: 300ms, for: 500ms}\n",
        "  - throttle_link: {link: downstream, carries: 1kb, at: 300ms, for: 500ms}\n",
        "  - reset_link: {link: worker-1:downstream, at: 300ms, for: 500ms}\n",
        "  - hang_link: {link: downstream, at: 300ms, for: 500ms}\n",
        "  - break_downstream: {how: hang, share: 50%, at: 300ms, for: 500ms}\n",
        "  - break_downstream: {how: commit_then_timeout, at: 300ms, for: 500ms}\n",
        '  - break_downstream: {how: "429", retry_after: 1s, at: 300ms, for: 500ms}\n',
        "  - break_downstream: {how: reset, at: 300ms, for: 500ms}\n",
        "  - break_downstream: {how: slow, delay: 200ms, at: 300ms, for: 500ms}\n",
    ],
)
def test_every_fault_takes_hold_and_heals_and_a_careful_system_stands_it(harness: Harness, fault: str) -> None:
    ended = harness(KILL.replace(FAULT, fault).replace("  - no_overlapping_runs\n", ""))
    assert (ended.code, ended.result["value"]) == (0, "PASS"), ended.out + ended.err


def test_a_worker_is_killed_in_the_middle_of_its_work(harness: Harness) -> None:
    # Work that is not over by the time it is seen: of 10 ms, a busy machine may see only the end.
    fault = '  - kill_worker: {when: "inflight >= 1", victims: 1}\n'
    ended = harness(KILL.replace(FAULT, fault).replace("work: 10ms", "work: 200ms"))
    assert (ended.code, ended.result["value"]) == (0, "PASS"), ended.out + ended.err


@pytest.fixture
def recorded(harness: Harness) -> Ended:
    return harness(KILL, "--set", "idempotency=none")


def test_a_history_is_judged_again_to_the_same_verdict(recorded: Ended) -> None:
    again = [
        subprocess.run(
            [sys.executable, "-m", "harness", "check", recorded.run],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=60,
        )
        for _ in range(2)
    ]
    assert {done.returncode for done in again} == {1}
    assert again[0].stdout == again[1].stdout
    assert "FAIL            no_duplicate_effects" in again[0].stdout


def test_a_history_cut_short_is_never_a_pass(recorded: Ended) -> None:
    events = recorded.run / "events"
    lines = (events / "harness.jsonl").read_text().splitlines(keepends=True)
    (events / "harness.jsonl").write_text("".join(lines[: len(lines) // 2]))
    shutil.rmtree(recorded.run / "history", ignore_errors=True)
    done = subprocess.run(
        [sys.executable, "-m", "harness", "check", recorded.run], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.returncode in (1, 3), done.stdout
    assert "INCONCLUSIVE    history_is_readable" in done.stdout


def test_json_is_all_that_is_printed(harness: Harness) -> None:
    ended = harness(KILL, "--json", "--quiet")
    assert json.loads(ended.out) == ended.result
    assert ended.err == ""
