"""The workflow files of docs/ci: what each CI system asks of them, and what their commands ask of the harness."""

from __future__ import annotations

import re
import shlex
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import pytest

from harness.cli import main as cli
from harness.suite.entries import Choice, entries
from tests.quality.workflows import github, gitlab, scripts

ROOT = Path(__file__).parents[2]
GITHUB, GITLAB = ROOT / "docs" / "ci" / "github-actions.yml", ROOT / "docs" / "ci" / "gitlab-ci.yml"
Faults = Callable[[str], Iterator[str]]
VALUES = {"${{ matrix.shard }}": "1", "$CI_NODE_INDEX": "1", "$CI_NODE_TOTAL": "4"}


def commands(path: Path) -> list[list[str]]:
    """The words of each `harness` command, up to a redirection."""
    lines = [line for line in scripts(path.read_text()) if line.startswith("harness ")]
    for name, value in VALUES.items():
        lines = [line.replace(name, value) for line in lines]
    return [shlex.split(line.partition(" >>")[0])[1:] for line in lines]


COMMANDS = [(path.name, words) for path in (GITHUB, GITLAB) for words in commands(path)]


@pytest.mark.parametrize(("path", "faults"), [(GITHUB, github), (GITLAB, gitlab)], ids=["github", "gitlab"])
def test_a_workflow_has_what_its_system_asks_for(path: Path, faults: Faults) -> None:
    assert list(faults(path.read_text())) == []


@pytest.mark.parametrize(
    ("path", "faults", "old", "new"),
    [
        (GITHUB, github, "    runs-on: ubuntu-24.04\n", ""),
        (GITHUB, github, "actions/checkout@v4", "actions/checkout"),
        (GITHUB, github, "actions/checkout@v4", "actions/checkout@main"),
        (GITHUB, github, "      - run: harness run", "      - runs: harness run"),
        (GITHUB, github, "        shard: [1, 2, 3, 4]", "        part: [1, 2, 3, 4]"),
        (GITHUB, github, "    needs: nightly", "    needs: nights"),
        (GITHUB, github, "17 2 * * *", "17 2 * *"),
        (GITHUB, github, "  pull_request:\n", "  pullrequest:\n"),
        (GITHUB, github, "runner.os", "runer.os"),
        (GITHUB, github, "    timeout-minutes: 15\n", ""),
        (GITLAB, gitlab, "stages: [change,", "stages: [changes,"),
        (GITLAB, gitlab, "extends: .harness", "extends: .harnes"),
        (GITLAB, gitlab, "needs: [nightly]", "needs: [nights]"),
        (GITLAB, gitlab, "  script:\n", "  skript:\n"),
        (GITLAB, gitlab, "when: always", "when: allways"),
        (GITLAB, gitlab, "    expire_in", "    expires_in"),
        (GITLAB, gitlab, "    - harness run scenarios/worker-kill.yaml", "    - a: b"),
    ],
)
def test_a_fault_in_a_workflow_is_found(path: Path, faults: Faults, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    assert list(faults(text.replace(old, new))) != []


def test_both_have_a_run_on_every_change_and_a_nightly_suite_in_shards_that_is_gathered() -> None:
    for path in (GITHUB, GITLAB):
        words = commands(path)
        assert [some[0] for some in words].count("run") == 1
        sharded, whole = (some for some in words if some[0] == "suite")
        assert [word for word in sharded if word not in ("--shard", "1/4")] == whole, "what was dealt is gathered"


@pytest.mark.parametrize(("name", "words"), COMMANDS, ids=[f"{name}: {' '.join(words)}" for name, words in COMMANDS])
def test_a_command_of_a_workflow_is_one_of_the_harness(name: str, words: list[str]) -> None:
    parser = ArgumentParser()
    module = import_module(f"harness.cli.{words[0]}")
    module.arguments(parser)
    args = parser.parse_args(words[1:])
    if words[0] == "run":
        assert cli.main(["validate", str(ROOT / args.scenario)]) == 0
    if words[0] == "suite":
        choice = Choice(args.target, args.variant, args.preset, args.require, quick=args.quick)
        assert entries([str(ROOT / path) for path in args.scenarios], choice)


@pytest.mark.parametrize("path", [GITHUB, GITLAB], ids=["github", "gitlab"])
def test_files_of_the_repository_that_a_workflow_names_exist(path: Path) -> None:
    named = re.findall(r"(?<![\w./$])(?:scenarios|docs|targets)/[\w./-]*|\bconstraints\.txt", path.read_text())
    assert {"constraints.txt", "scenarios/"} <= set(named)
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_no_workflow_names_a_host() -> None:
    host = re.compile(r"https?:|[\w-]+\.(com|io|org|net)\b")
    assert [path.name for path in (GITHUB, GITLAB) if host.search(path.read_text())] == []
