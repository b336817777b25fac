"""`harness prove`: a variant that comes to what it must, and one that does not."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.integration.conftest import ROOT
from tests.integration.test_verdicts import KILL

VARIANTS = """variants:
  fixed: {about: idempotent}
  broken: {knobs: {idempotency: none}, fails: [no_duplicate_effects]}
  other: {preset: of_another_system, fails: [no_lost_jobs]}
"""


def prove(folder: Path, variants: str, *options: str) -> tuple[int, str, list[dict[str, str]]]:
    path = folder / "kill.yaml"
    path.write_text(KILL + variants)
    argv = [sys.executable, "-m", "harness", "prove", str(path), "--target", "memory", "--jobs", "2"]
    done = subprocess.run(
        [*argv, "--reports", str(folder), *options], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    return done.returncode, done.stdout, json.loads((folder / "proof.json").read_text())


def test_each_variant_comes_to_what_it_must(tmp_path: Path) -> None:
    code, table, proof = prove(tmp_path, VARIANTS)
    assert code == 0, table
    assert {one["variant"]: one["mark"] for one in proof} == {"fixed": "held", "broken": "caught", "other": "n/a"}
    assert (tmp_path / "proof.txt").read_text() == table
    made = sorted(path.name for path in tmp_path.glob("*-kill-memory-*"))
    assert prove(tmp_path, VARIANTS, "--resume") == (0, table, proof), "from what was made"
    assert sorted(path.name for path in tmp_path.glob("*-kill-memory-*")) == made


def test_a_variant_that_does_not_fail_its_prove(tmp_path: Path) -> None:
    lies = VARIANTS.replace("{about: idempotent}", "{fails: [no_lost_jobs]}").replace(
        "fails: [no_dup", "about: [no_dup"
    )
    lies = lies.replace("about: [no_duplicate_effects]", "about: it is said to pass")
    code, table, proof = prove(tmp_path, lies)
    assert code == 1, table
    assert {one["variant"]: one["mark"] for one in proof} == {"fixed": "WRONG", "broken": "WRONG", "other": "n/a"}
    assert "expected no_lost_jobs to fail and nothing else, got PASS" in proof[-1]["says"] + proof[-2]["says"]
