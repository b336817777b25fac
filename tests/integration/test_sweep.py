"""Sweeps of real runs on the memory target: a grid with a broken column, an interruption, and what is refused."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.integration.conftest import ROOT, Running

SHORT = """about: A worker is killed.
target: memory
workers: 1
handler: {work: 5ms}
load: [{constant: {rate: 60/s, for: 300ms}}]
faults:
  - kill_worker: {when: effect, nth: 5}
knobs: {lease: 200ms}
invariants: [no_lost_jobs, no_duplicate_effects]
"""
PATIENCE = 120


def words(folder: Path, *rest: str) -> list[str]:
    (folder / "short.yaml").write_text(SHORT)
    return ["sweep", str(folder / "short.yaml"), *rest, "--reports", str(folder / "reports")]


def sweep(folder: Path, *rest: str) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-m", "harness", *words(folder, *rest)]
    return subprocess.run(argv, cwd=ROOT, text=True, capture_output=True, timeout=PATIENCE, check=False)


def kept(folder: Path) -> dict[str, Any]:
    (found,) = (folder / "reports").glob("*-sweep-short-memory-*/sweep.json")
    whole: dict[str, Any] = json.loads(found.read_text())
    return whole


def test_a_grid_is_run_and_drawn_and_what_fails_is_marked(tmp_path: Path) -> None:
    ended = sweep(tmp_path, "--vary", "idempotency=key,none", "--vary", "workers=1,2", "--repeat", "1", "--jobs", "2")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    stands = {tuple(one["point"]): one["stands"] for one in kept(tmp_path)["standings"]}
    assert stands == {("key", "1"): "PASS", ("key", "2"): "PASS", ("none", "1"): "FAIL", ("none", "2"): "FAIL"}
    assert "FAIL  idempotency=none workers=2\n  no_duplicate_effects: " in ended.stdout
    assert "  4/4  " in ended.stderr and "2 runs at a time: they may have disturbed each other" in ended.stdout
    (page,) = (tmp_path / "reports").glob("*/sweep.html")
    runs = {run["run"] for one in kept(tmp_path)["standings"] for run in one["runs"]}
    assert len(runs) == 4 and all((page.parent / run / "report.html").exists() for run in runs)
    told = [(page.parent / run / "scenario.yaml").read_text() for run in runs]
    assert sorted("workers: 2\n" in text for text in told) == [False, False, True, True]


def test_an_interrupted_sweep_shows_what_it_has_and_is_taken_up(tmp_path: Path) -> None:
    asked = ["--vary", "idempotency=none", "--seed", "3", "--measure", "drain"]
    running = Running(tmp_path, *words(tmp_path, *asked, "--repeat", "20"))
    running.until("  1/20  idempotency=none  FAIL")
    running.process.send_signal(signal.SIGINT)
    ended = running.ended()
    assert ended.code == 130 and "--resume goes on from here" in ended.err, ended.out + ended.err
    made = len(kept(tmp_path)["standings"][0]["runs"])
    assert 1 <= made < 20
    again = sweep(tmp_path, *asked, "--repeat", str(made + 1), "--resume")
    assert again.returncode == 1, again.stdout + again.stderr
    assert f"{made} done before, 1 to do" in again.stderr
    assert [run["seed"] for run in kept(tmp_path)["standings"][0]["runs"]] == list(range(3, 4 + made))
    other = sweep(tmp_path, *asked, "--set", "lease=1s", "--resume")
    assert other.returncode == 2 and "was asked the same" in other.stderr


def test_bad_input_is_refused_before_anything_runs(tmp_path: Path) -> None:
    many = ",".join(map(str, range(1, 65)))
    for given, says in (
        (["--vary", "idempotencies=key,none"], "did you mean `idempotency`"),
        (["--vary", f"workers={many}", "--vary", f"concurrency={many}"], "4,096 points are 12,288 runs"),
        (["--vary", "workers=1,2", "--measure", "speed"], "nothing is measured as `speed`"),
        ([], "nothing is varied"),
    ):
        ended = sweep(tmp_path, *given)
        assert ended.returncode == 2 and says in ended.stderr, ended.stdout + ended.stderr
    assert not (tmp_path / "reports").exists()
