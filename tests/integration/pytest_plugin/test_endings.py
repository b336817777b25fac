"""However pytest ends, no process of a scenario or a stack is left."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

from tests.integration.conftest import processes_of
from tests.integration.pytest_plugin.conftest import STEADY, Project, plugins
from tests.integration.test_endings import nothing_is_left_of

PATIENCE = 90.0
ENOUGH = 5
"""Processes of a stack that is up: keeper, Toxiproxy, downstream, producer, workers."""
HANGS = """
import threading

def test_that_hangs(harness_stack):
    harness_stack("memory")
    threading.Event().wait(300)
"""


def the_run(project: Project, process: subprocess.Popen[str]) -> str:
    """The only run, once it is up."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        for folder in (project.path / "reports").glob("*-memory-*"):
            if len(processes_of(folder.name)) > ENOUGH:
                return folder.name
        time.sleep(0.02)
    raise AssertionError(f"no run began, or pytest ended: {process.communicate(timeout=10)}")


@pytest.mark.parametrize(
    ("words", "number", "code"),
    [
        (["scenarios"], signal.SIGINT, pytest.ExitCode.INTERRUPTED),
        (["scenarios", "-n", "2"], signal.SIGINT, pytest.ExitCode.INTERRUPTED),
        (["scenarios"], signal.SIGKILL, -signal.SIGKILL),
        (["test_stack.py"], signal.SIGINT, pytest.ExitCode.INTERRUPTED),
        (["test_stack.py"], signal.SIGKILL, -signal.SIGKILL),
    ],
)
def test_nothing_outlives_pytest(project: Project, words: list[str], number: signal.Signals, code: int) -> None:
    project.scenario("steady", STEADY.replace("500ms", "60s"))
    (project.path / "test_stack.py").write_text(HANGS)
    argv = [sys.executable, "-m", "pytest", *plugins(words), *words]
    process = subprocess.Popen(argv, cwd=project.path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    with process:
        try:
            run = the_run(project, process)
            process.send_signal(number)
            said, _ = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
    assert process.returncode == code, said
    assert nothing_is_left_of(run)
