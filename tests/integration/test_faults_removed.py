"""A scenario from which the fault was taken proves nothing, and says so."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from harness.problems import Problems
from harness.scenario import load
from tests.integration.conftest import ROOT

UNDECIDED = 3


def breaking() -> list[str]:
    """The scenarios that break something which the simplest target has, too."""
    found = []
    for path in sorted((ROOT / "scenarios").glob("*.yaml")):
        try:
            scenario, _ = load(str(path), target="memory")
        except Problems:
            continue
        found += [path.name] if scenario.faults else []
    return found


def test_there_are_such_scenarios() -> None:
    assert {"worker-kill.yaml", "downstream-outage.yaml", "rolling-deploy.yaml"} <= {*breaking()}


@pytest.mark.parametrize("name", breaking())
def test_nothing_is_proven_of_a_system_that_nobody_broke(tmp_path: Path, name: str) -> None:
    (tmp_path / "whole.yaml").write_text("faults: []\n")
    argv = [sys.executable, "-m", "harness", "run", f"scenarios/{name}", "--target", "memory", "--time-scale", "0.1"]
    argv += ["--overlay", str(tmp_path / "whole.yaml"), "--reports", str(tmp_path), "--quiet", "--json"]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == UNDECIDED, done.stdout + done.stderr
    said = {one["invariant"]: one["says"] for one in json.loads(done.stdout)["verdicts"]}
    assert said["faults_took_effect"].startswith("No fault was planned and nothing went wrong")
