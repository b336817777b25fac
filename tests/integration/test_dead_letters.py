"""`harness dead-letters` on a stack that was left up: what it does is in the history, with who and why."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.integration.conftest import ROOT

SCENARIO = """about: Every job is poison
target: memory
preset: quick_retries
handler: {work: 1ms, poison: permanent}
load:
  - burst: {jobs: 4, every: 1s}
invariants:
  - failures_are_visible
"""
PATIENCE = 60.0


@contextmanager
def kept_up(folder: Path) -> Iterator[Path]:
    """The folder of a run whose stack is up."""
    (folder / "poison.yaml").write_text(SCENARIO)
    argv = [sys.executable, "-m", "harness", "run", str(folder / "poison.yaml"), "--keep-up", "--quiet"]
    process = subprocess.Popen([*argv, "--reports", str(folder / "reports")], cwd=ROOT, stdout=subprocess.DEVNULL)
    run = folder / "reports" / "latest"
    try:
        deadline = time.monotonic() + PATIENCE
        while not (run / "up.json").exists():
            assert process.poll() is None and time.monotonic() < deadline, "the stack did not come up"
            time.sleep(0.05)
        yield run.resolve()
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE) == 0
    assert not (run / "up.json").exists()


def ask(run: Path, *words: str) -> tuple[int, str, str]:
    argv = [sys.executable, "-m", "harness", "dead-letters", str(run), *words]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False)
    return done.returncode, done.stdout, done.stderr


def keys(out: str) -> list[str]:
    return [letter["key"] for letter in json.loads(out)]


def test_letters_are_listed_replayed_and_drained_and_each_deed_is_kept(tmp_path: Path) -> None:
    with kept_up(tmp_path) as run:
        code, out, _ = ask(run, "--live", "--json")
        assert (code, sorted(keys(out))) == (0, [f"job-{n:06d}" for n in range(1, 5)])
        assert ask(run, "--live", "replay", "job-000002", "--why", "mended")[:2] == (0, "1 replayed\n")
        code, _, err = ask(run, "--live", "replay", "nobody", "--why", "mended")
        assert (code, "there is no dead letter nobody" in err) == (1, True)
        code, _, err = ask(run, "--live", "drain", "--all", "--why", "test orders")
        assert (code, "add --yes" in err) == (2, True)
        code, out, _ = ask(run, "--live", "drain", "job-000001", "job-000003", "--yes", "--why", "test orders")
        assert (code, out) == (0, "2 discarded\n")
        deeds = [json.loads(line) for line in (run / "events" / "dead-letters.jsonl").read_text().splitlines()]
        assert [(deed["key"], deed["outcome"], deed["why"]) for deed in deeds] == [
            ("job-000002", "replayed", "mended"),
            ("job-000001", "discarded", "test orders"),
            ("job-000003", "discarded", "test orders"),
        ]
        assert all(deed["who"] for deed in deeds)
    code, out, _ = ask(run)
    assert code == 0 and out.splitlines()[0].split()[:3] == ["key", "died", "attempts"]
    assert ask(run, "show", "job-000004")[1].startswith("key       job-000004\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--live"], "the stack of this run is not up"),
        (["replay", "--all", "--why", "x"], "a recorded run cannot be changed"),
        (["--since", "noon"], "expected a time such as 14:05"),
    ],
)
def test_what_cannot_be_done_is_said_with_the_remedy(tmp_path: Path, words: list[str], said: str) -> None:
    os.makedirs(tmp_path / "run" / "events")
    code, _, err = ask(tmp_path / "run", *words)
    assert (code, said in err) == (2, True), err


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    code, _, err = ask(tmp_path)
    assert (code, "not the folder of a run" in err) == (2, True)
