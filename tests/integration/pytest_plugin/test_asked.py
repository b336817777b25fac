"""Scenarios are collected when someone asks for them, and what is not asked for costs nothing."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.integration.pytest_plugin.conftest import STEADY, Project, folder_of

TEST = "def test_mine(): pass\n"


@pytest.mark.parametrize(("ini", "outcomes"), [("", 1), ("harness_scenarios = scenarios", 8)])
def test_workers_of_xdist_collect_what_their_controller_was_asked_for(
    project: Project, ini: str, outcomes: int
) -> None:
    project.pytester.makeini(f"[pytest]\nfilterwarnings = error\ntestpaths = tests scenarios\n{ini}\n")
    folder_of(project, "tests").joinpath("test_mine.py").write_text(TEST)
    project.scenario("steady", STEADY)
    project.pytest("-n", "1")
    assert len(project.outcomes()) == outcomes


def test_a_session_without_scenarios_imports_next_to_nothing(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    folder_of(project, "tests").joinpath("test_mine.py").write_text(TEST)
    folder_of(project, "tests").joinpath("values.yaml").write_text("a: 1\n")
    program = (
        "import sys, pytest; pytest.main(['tests', '-q']); "
        "print(*sorted(name for name in sys.modules if name.startswith('harness')))"
    )
    words = [sys.executable, "-c", program]
    ended = subprocess.run(words, cwd=project.path, capture_output=True, text=True, timeout=60, check=True)
    ours = "harness.pytest_plugin"
    assert ended.stdout.splitlines()[-1] == f"harness {ours} {ours}.asked {ours}.hooks {ours}.options"
