"""A pytest project of its own, with scenarios that take a second or two."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from pathlib import Path

import pytest

from harness import cache

CACHE = cache.root()
STEADY = """about: A steady load.
target: memory
workers: 2
handler: {work: 10ms}
load:
  - constant: {rate: 20/s, for: 500ms}
load_only: true
invariants:
  - no_lost_jobs
  - no_duplicate_effects
"""
KILLED = """about: A worker dies after its side effect, and the handler does it again.
target: memory
workers: 2
handler: {work: 10ms}
knobs: {idempotency: none, lease: 500ms}
load:
  - constant: {rate: 20/s, for: 500ms}
faults:
  - kill_worker: {when: effect, nth: 3}
invariants:
  - no_duplicate_effects
  - no_lost_jobs
  - drains_within: 30s
variants:
  broken: {fails: [no_duplicate_effects]}
  early-ack: {knobs: {idempotency: key, ack: early}, fails: [no_lost_jobs]}
  harmless: {knobs: {idempotency: key}, fails: [no_duplicate_effects]}
"""
MISSED = """about: A fault that never happens.
target: memory
load:
  - constant: {rate: 20/s, for: 500ms}
faults:
  - kill_worker: {when: effect, nth: 1000, patience: 100ms}
invariants:
  - no_lost_jobs
"""
STILLBORN = STEADY.replace("target: memory", "target: stillborn")
TARGET = """about: Its producer ends at once.
producer: [python, -c, "raise SystemExit('nothing to do')"]
worker: [python, -c, "raise SystemExit('nothing to do')"]
"""
STANDING = ("history_is_readable", "load_was_offered", "faults_took_effect", "faults_healed", "no_unexpected_jobs")


class Project:
    """Where pytest is run as a person runs it."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester, self.path = pytester, pytester.path
        pytester.makeini("[pytest]\nfilterwarnings = error\n")

    def scenario(self, name: str, text: str) -> str:
        """Write a scenario file; returns its path."""
        path = self.path / "scenarios" / f"{name}.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return f"scenarios/{name}.yaml"

    def pytest(self, *words: str) -> pytest.RunResult:
        """Run it to its end, with a junit.xml."""
        return self.pytester.runpytest_subprocess(*plugins(words), "--junitxml=junit.xml", *words, timeout=120)

    def outcomes(self) -> dict[str, str]:
        """What became of each test, as junit.xml says."""
        cases = ElementTree.parse(self.path / "junit.xml").iter("testcase")
        return {f"{case.get('classname')}::{case.get('name')}".lstrip(":"): _outcome(case) for case in cases}

    @property
    def runs(self) -> list[str]:
        """The runs that were made, by scenario."""
        folders = [path for path in (self.path / "reports").glob("*") if path.is_dir() and not path.is_symlink()]
        return sorted(re.sub(r"^\w+-|-\w+-\w+$", "", folder.name) for folder in folders)


def plugins(words: Sequence[str]) -> list[str]:
    """The plugins that a test needs: others that are installed here take a second to import."""
    wanted = ["harness.pytest_plugin.hooks", *(["xdist.plugin"] if "-n" in words else [])]
    return [word for name in wanted for word in ("-p", name)]


def _outcome(case: ElementTree.Element) -> str:
    kinds = [child.tag for child in case if child.tag in ("failure", "error", "skipped")]
    return " ".join(kinds) or "passed"


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Project:
    """An empty project; the servers' programs come from the cache of whoever runs these tests."""
    monkeypatch.setenv("HARNESS_CACHE", CACHE)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("TMPDIR", str(pytester.mkdir("tmp")))
    return Project(pytester)


def folder_of(project: Project, name: str) -> Path:
    """A folder of the project, made if need be."""
    folder = project.path / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder
