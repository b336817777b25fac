"""Comparisons of real runs on the memory target: a planted bug, A against A, recorded runs, and what goes wrong."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.integration.conftest import ROOT, Running

BARE = """about: A steady load.
target: memory
workers: 1
handler: {work: 20ms}
load: [{constant: {rate: 40/s, for: 500ms}}]
invariants: [no_lost_jobs, no_duplicate_effects]
"""
SHORT = BARE + "load_only: true\n"
KILL = BARE + "faults:\n  - kill_worker: {when: effect, nth: 5}\nknobs: {lease: 300ms}\n"
SLOWER = "handler: {work: 24ms}\n"
PATIENCE = 120


def compare(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-m", "harness", "compare", *words, "--reports", str(folder / "reports")]
    return subprocess.run(argv, cwd=ROOT, text=True, capture_output=True, timeout=PATIENCE, check=False)


def kept(folder: Path) -> dict[str, Any]:
    (found,) = (folder / "reports").glob("*-compare-*/compare.json")
    comparison: dict[str, Any] = json.loads(found.read_text())
    return comparison


def words(comparison: dict[str, Any]) -> dict[str, str]:
    return {figure["name"]: figure["word"] for figure in comparison["figures"]}


@pytest.fixture
def scenario(tmp_path: Path) -> str:
    (tmp_path / "short.yaml").write_text(SHORT)
    return str(tmp_path / "short.yaml")


def test_a_claim_that_breaks_is_a_regression_however_few_the_runs(tmp_path: Path) -> None:
    (tmp_path / "kill.yaml").write_text(KILL)
    ended = compare(tmp_path, str(tmp_path / "kill.yaml"), "--b", "idempotency=none", "--repeat", "1")
    assert ended.returncode == 6, ended.stdout + ended.stderr
    assert "worse  no_duplicate_effects  A 1 PASS, B 1 FAIL" in ended.stdout
    assert ended.stdout.count("too few repeats to tell") >= 8
    assert "REGRESSION: no_duplicate_effects\n" in ended.stdout


def test_a_slowdown_by_a_fifth_is_found_and_found_again_in_the_records(scenario: str, tmp_path: Path) -> None:
    (tmp_path / "slower.yaml").write_text(SLOWER)
    fewer = ["--measure", "latency.p50", "--repeat", "6"]
    ended = compare(tmp_path, scenario, "--b", str(tmp_path / "slower.yaml"), *fewer)
    assert ended.returncode == 6, ended.stdout + ended.stderr
    assert words(kept(tmp_path)) == {"latency.p50": "worse"}
    (folder,) = (tmp_path / "reports").glob("*-compare-*")
    page = (folder / "compare.html").read_text()
    assert "REGRESSION: latency.p50" in page and "work: 24ms" in page and page.count('class="line b"') == 5
    elsewhere = ["--html", str(tmp_path / "again.html")]
    again = compare(tmp_path, str(folder / "a"), str(folder / "b"), "--measure", "latency.p50", "--json", *elsewhere)
    assert f"{folder.name}/a/" in (tmp_path / "again.html").read_text()
    assert again.returncode == 6, again.stderr
    read = json.loads(again.stdout)
    assert read["figures"] == kept(tmp_path)["figures"]
    assert read["warnings"] == ["not comparable: the scenarios differ in handler"]
    backwards = compare(tmp_path, str(folder / "b"), str(folder / "a"), "--measure", "latency.p50", "--markdown")
    assert backwards.returncode == 0 and "better: latency.p50" in backwards.stdout, backwards.stdout


def test_bad_input_is_refused_before_anything_runs(scenario: str, tmp_path: Path) -> None:
    for given in (["--b", "leas=1s"], ["--b", "nowhere.yaml"], ["--allow", "speed=1%"], ["--measure", "x"], [scenario]):
        ended = compare(tmp_path, scenario, *given)
        assert ended.returncode == 2 and ended.stderr, ended.stdout
    assert not (tmp_path / "reports").exists()


def test_a_run_that_cannot_be_made_is_an_error(scenario: str, tmp_path: Path) -> None:
    target = tmp_path / "targets" / "dead"
    target.mkdir(parents=True)
    for name in os.listdir(ROOT / "targets" / "memory"):
        if name.endswith((".py", ".yaml")):
            (target / name).write_text((ROOT / "targets" / "memory" / name).read_text())
    (target / "producer.py").write_text("raise SystemExit(7)\n")
    ended = compare(tmp_path, scenario, "--target", "dead", "--targets", str(target.parent))
    assert ended.returncode == 4 and "a run could not be made" in ended.stderr, ended.stderr


def test_an_interruption_ends_the_run_under_way(tmp_path: Path) -> None:
    (tmp_path / "long.yaml").write_text(SHORT.replace("500ms", "60s"))
    running = Running(tmp_path, "compare", str(tmp_path / "long.yaml"), "--reports", str(tmp_path / "reports"))
    deadline = time.monotonic() + PATIENCE
    while not list((tmp_path / "reports").glob("*/a/*/events/*.jsonl")):
        assert running.process.poll() is None and time.monotonic() < deadline, running.err.read_text()
        time.sleep(0.02)
    running.process.send_signal(signal.SIGTERM)
    assert running.ended().code == 130
