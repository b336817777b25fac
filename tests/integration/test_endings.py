"""However a run ends, nothing of it is left, and the next one does not notice."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from harness.substrate import scratch
from tests.integration.conftest import ROOT, Running, Start, processes_of

LOAD = """about: A load to be interrupted.
target: memory
workers: 2
handler: {work: 10ms}
load:
  - constant: {rate: 20/s, for: 30s}
load_only: true
invariants:
  - no_lost_jobs
"""
PATIENCE = 20.0


def run_of(running: Running) -> str:
    """The run's id."""
    (folder,) = [path for path in running.reports.iterdir() if path.is_dir() and not path.is_symlink()]
    return folder.name


def nothing_is_left_of(run: str) -> bool:
    """Wait a little: what the keeper kills is gone when the kernel says so."""
    deadline = time.monotonic() + PATIENCE
    while processes_of(run) or os.path.exists(os.path.join(scratch.root(), run)):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("when", ["starting the stack", "offered 0"])
def test_a_signal_ends_the_run_cleanly(start: Start, number: signal.Signals, when: str) -> None:
    running = start(LOAD)
    running.until(when)
    run = run_of(running)
    running.process.send_signal(number)
    ended = running.ended()
    assert ended.code == 130, ended.err
    assert "interrupted; everything was stopped" in ended.err
    assert "Traceback" not in ended.err
    assert "INCONCLUSIVE" in (ended.run / "report.html").read_text()
    assert nothing_is_left_of(run)


def test_two_signals_are_as_good_as_one(start: Start) -> None:
    running = start(LOAD)
    running.until("offered 0")
    for _ in range(2):
        running.process.send_signal(signal.SIGINT)
        time.sleep(0.01)
    ended = running.ended()
    assert (ended.code, "Traceback" in ended.err) == (130, False), ended.err
    assert nothing_is_left_of(ended.run.name)


def test_nothing_outlives_a_killed_harness(start: Start) -> None:
    running = start(LOAD)
    running.until("offered 0")
    run = run_of(running)
    assert len(processes_of(run)) >= 6
    running.process.kill()
    assert nothing_is_left_of(run)


def test_a_killed_keeper_ends_the_run_with_what_happened(start: Start) -> None:
    running = start(LOAD)
    running.until("offered 0")
    run = run_of(running)
    keeper = [pid for pid in processes_of(run) if b"keeper.py" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    os.kill(keeper[0], signal.SIGKILL)
    ended = running.ended()
    assert ended.code == 4, ended.err
    assert "the keeper" in ended.err
    clean()
    assert nothing_is_left_of(run)


def test_clean_removes_what_a_killed_harness_and_keeper_left(start: Start) -> None:
    running, other = start(LOAD), start(LOAD)
    running.until("offered 0")
    other.until("offered 0")
    run = run_of(running)
    (keeper,) = (pid for pid in processes_of(run) if b"keeper.py" in Path(f"/proc/{pid}/cmdline").read_bytes())
    running.process.send_signal(signal.SIGSTOP)  # neither may clean up after the other
    os.kill(keeper, signal.SIGKILL)
    running.process.kill()
    running.process.wait(PATIENCE)
    said = clean()
    assert f"{run}" in said
    assert nothing_is_left_of(run)
    assert run_of(other) not in said
    assert len(processes_of(run_of(other))) >= 6, "a run that is alive was disturbed"


def clean() -> str:
    done = subprocess.run(
        [sys.executable, "-m", "harness", "clean"], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_fifty_kills_at_random_moments_leave_nothing(start: Start) -> None:
    moments = random.Random(50)
    for _ in range(50):
        running = start(LOAD, "--target", moments.choice(["memory", "celery"]))
        time.sleep(moments.uniform(0.05, 4.0))
        running.process.kill()
        running.process.wait(PATIENCE)
        clean()
        for folder in running.reports.iterdir() if running.reports.exists() else ():
            assert nothing_is_left_of(folder.name)
    assert start(LOAD.replace("30s", "2s")).ended().code == 0


def test_two_runs_at_once_do_not_meet(start: Start) -> None:
    short = LOAD.replace("30s", "2s")
    ended = [running.ended() for running in [start(short), start(short)]]
    assert [one.code for one in ended] == [0, 0], ended[0].err + ended[1].err
    assert [one.verdict("no_lost_jobs")["examined"] for one in ended] == [40, 40]


def test_a_stack_that_is_kept_up_answers_until_it_is_interrupted(start: Start) -> None:
    running = start(LOAD.replace("30s", "500ms"), "--keep-up")
    running.until("the stack stays up until Ctrl-C")
    run = run_of(running)
    assert len(processes_of(run)) >= 5
    running.process.send_signal(signal.SIGINT)
    assert running.ended().code == 0, running.err.read_text()
    assert nothing_is_left_of(run)
