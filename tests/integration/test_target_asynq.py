"""asynq behind the seam, in whole runs on real servers; and the promises of the Go kit that it is made with."""

from __future__ import annotations

import subprocess
from collections import Counter
from pathlib import Path

import pytest

from harness import binaries
from harness.toolchains import go
from tests.integration.conftest import ROOT, Harness
from tests.integration.one_fault import one_fault

SCENARIO = one_fault("asynq", "no_overlapping_runs")
KILL = SCENARIO.replace("FAULT", "kill_worker: {when: effect, nth: 30}")
TERM = SCENARIO.replace("FAULT", "kill_worker: {at: 1s, signal: TERM}").replace("work: 20ms", "work: 150ms")
CUT = SCENARIO.replace("FAULT", "cut_link: {link: redis, at: 500ms, for: 500ms}")
OUTAGE = SCENARIO.replace("FAULT", 'break_downstream: {how: "503", at: 500ms, for: 2s}')


def test_a_killed_workers_job_is_done_once(harness: Harness) -> None:
    ended = harness(KILL)
    assert (ended.code, ended.result["value"]) == (0, "PASS"), ended.out + ended.err
    assert max(event["attempt"] for event in ended.events("start")) == 2


def test_a_plain_handler_does_it_twice(harness: Harness) -> None:
    ended = harness(KILL, "--set", "idempotency=none")
    assert (ended.code, ended.values("FAIL")) == (1, ["no_duplicate_effects"]), ended.out + ended.err


def test_without_retries_a_killed_workers_job_is_archived_and_not_run_again(harness: Harness) -> None:
    ended = harness(KILL, "--set", "max_retry=0")
    held = ended.events("held")
    assert held and {event["where"] for event in held} == {"dead"}, ended.out + ended.err
    assert max(event["attempt"] for event in ended.events("start")) == 1


@pytest.mark.parametrize(("handled", "attempts"), [("true", 1), ("false", 2)])
def test_sigterm_waits_for_what_runs_if_it_is_handled(harness: Harness, handled: str, attempts: int) -> None:
    ended = harness(TERM, "--set", f"handle_sigterm={handled}")
    assert (ended.code, ended.result["value"]) == (0, "PASS"), ended.out + ended.err
    assert max(event["attempt"] for event in ended.events("start")) == attempts


def test_an_enqueue_that_was_never_sent_is_rejected(harness: Harness) -> None:
    ended = harness(CUT)
    assert (ended.code, ended.result["value"]) == (0, "PASS"), ended.out + ended.err
    assert sum("connection refused" in event["why"] for event in ended.events("reject")) > 10


def test_a_job_out_of_retries_is_dead_and_held(harness: Harness) -> None:
    ended = harness(OUTAGE, "--set", "max_retry=1", "--set", "retry_delay=100ms")
    ends = Counter(event["outcome"] for event in ended.events("finish"))
    held = Counter(event["where"] for event in ended.events("held"))
    assert held == {"dead": ends["dead"]} and ends["dead"] > 10, ended.out + ended.err


def test_the_kit_keeps_its_promises() -> None:
    done = subprocess.run([binaries.go(), "test", "./..."], cwd=ROOT / "targets" / "kit" / "go", timeout=170)
    assert done.returncode == 0


@pytest.mark.parametrize("line", ["replace kit => ../kit", "replace (\n\tkit v1.0.0 => ../kit // ours\n)"])
def test_a_change_to_the_kit_builds_anew(tmp_path: Path, line: str) -> None:
    for folder in ("target", "kit"):
        (tmp_path / folder).mkdir()
    (tmp_path / "target" / "go.mod").write_text(f"module target\n{line}\n")
    (tmp_path / "kit" / "kit.go").write_text("package kit\n")
    (tmp_path / "kit" / "kit_test.go").write_text("package kit\n")
    decides = go._sources(str(tmp_path / "target" / "go.mod"))
    assert str(tmp_path / "kit" / "kit.go") in decides and str(tmp_path / "kit" / "kit_test.go") not in decides
