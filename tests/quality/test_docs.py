"""What the documentation says is so: its commands and examples run, its files exist, its tables are the code's."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from harness import binaries
from harness.cli import compare as compare_command
from harness.cli import main as cli
from harness.cli import run as run_command

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
SCENARIOS = sorted([*(ROOT / "scenarios").glob("*.yaml"), *(ROOT / "examples").glob("*/*.yaml")])
MODULES = sorted((ROOT / "harness" / "cli").glob("*.py"))
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.M | re.S)
NAMED = re.compile(r"^`([\w./-]+)`\n\n```\w+\n(.*?)^```", re.M | re.S)
CHEAP = {"validate", "plan", "check", "report", "open", "history", "doctor", "list", "explain", "schema", "--help"}
ONLY_RUN = {"--reports": 2, "--repeat": 2, "--time-scale": 2, "--seed": 2, "--keep-up": 1, "--json": 1, "--quiet": 1}
PATIENCE, LONG = 120, 600


def fenced(page: Path, *languages: str) -> list[str]:
    """The fenced blocks of a page in one of these languages."""
    return [body for language, body in FENCE.findall(page.read_text()) if language in languages]


def commands() -> Iterator[tuple[str, str]]:
    """Where each command is shown, and its words: fenced blocks, headers of scenarios, examples of `--help`."""
    for page in PAGES:
        for line in "\n".join(fenced(page, "sh", "text", "")).splitlines():
            if found := re.match(r"(?:\$ )?(?:\.venv/bin/)?((?:harness|make) .*)", line):
                yield page.name, found[1]
    for path in SCENARIOS:
        for line in (line for line in path.read_text().splitlines() if line.startswith("#")):
            if found := re.search(r"\bharness [a-z]+ .*?(?=\s{2}| passes| fails|$)", line):
                yield path.name, found[0]
    for module in MODULES:
        for found in re.finditer(r"^  (harness .*)$", module.read_text(), re.M):
            yield f"cli/{module.name}", found[1]


COMMANDS = sorted({(place, " ".join(shlex.split(line, comments=True))) for place, line in commands()})
HARNESS = [(place, line) for place, line in COMMANDS if line.startswith("harness ")]


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder like a clone's, with a recorded run that failed as the README shows."""
    folder = tmp_path_factory.mktemp("clone")
    for name in ("scenarios", "targets", "examples", "README.md", "docs"):
        (folder / name).symlink_to(ROOT / name)
    shown = next(line for place, line in HARNESS if place == "README.md" and "--set idempotency=none" in line)
    ended = harness(folder, [*shlex.split(shown)[1:], "--quiet"])
    assert ended.returncode == 1, ended.stderr
    # At least the two jobs that the faults waited for; the killed worker may have had others at the same point.
    assert re.search(r"no_duplicate_effects: ([2-9]|\d\d) jobs of 121 had a side effect more than once", ended.stdout)
    return folder


def harness(
    folder: Path, words: list[str], *, patience: int = PATIENCE, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """The command, run as a person runs it in this folder."""
    argv = [sys.executable, "-m", "harness", *words]
    given = {**os.environ, "PYTHONPATH": str(ROOT), **(env or {})}
    return subprocess.run(argv, cwd=folder, env=given, text=True, capture_output=True, timeout=patience, check=False)


def unglobbed(folder: Path, words: list[str]) -> list[str]:
    """The words as a shell would give them, up to a redirection."""
    words = words[: words.index(">")] if ">" in words else words
    each = [[str(path.relative_to(folder)) for path in sorted(folder.glob(word))] or [word] for word in words]
    return [word for some in each for word in some]


def without_run_options(words: list[str]) -> list[str]:
    """What `validate` takes of the words of a `run`."""
    kept: list[str] = []
    rest = iter(words)
    for word in rest:
        if word in ONLY_RUN:
            [next(rest) for _ in range(ONLY_RUN[word] - 1)]
        else:
            kept.append(word)
    return kept


def test_commands_are_found_where_they_are_shown() -> None:
    places = {place for place, _ in COMMANDS}
    assert {"README.md", "scenarios.md", "worker-kill.yaml", "cli/run.py"} <= places


@pytest.mark.parametrize(("place", "line"), HARNESS, ids=[f"{place}: {line}" for place, line in HARNESS])
def test_a_command_that_is_shown_works(
    place: str, line: str, workplace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run is only validated: the fixture does one, the slow test below the others. `clean` would meet other tests."""
    monkeypatch.chdir(workplace)
    words = unglobbed(workplace, shlex.split(line)[1:])
    if words[0] == "run":
        words = ["validate", *without_run_options(words[1:])]
    elif words[0] not in CHEAP:
        words = [words[0], "--help"]
    accepted = {"check": {0, 1}, "doctor": {0, 4}}.get(words[0], {0})
    assert cli.main(words) in accepted, capsys.readouterr().err


@pytest.mark.parametrize("line", sorted({line for _, line in COMMANDS if line.startswith("make ")}))
def test_a_make_target_that_is_shown_exists(line: str) -> None:
    ended = subprocess.run(["make", "-n", *line.split()[1:]], cwd=ROOT, capture_output=True, timeout=30, check=False)
    assert ended.returncode == 0, ended.stderr


CLAIMS = [
    (path.name, found[1].strip(), found[2], found[3])
    for path in SCENARIOS
    for found in re.finditer(r"^#\s+harness (run .*?) (passes|fails)(?: (\w+))?", path.read_text(), re.M)
]


@pytest.mark.slow
@pytest.mark.timeout(LONG)
@pytest.mark.parametrize(("place", "line", "ends", "invariant"), CLAIMS, ids=[claim[1] for claim in CLAIMS])
def test_a_scenario_ends_as_its_header_says(place: str, line: str, ends: str, invariant: str, tmp_path: Path) -> None:
    ended = harness(ROOT, [*shlex.split(line), "--quiet", "--reports", str(tmp_path)], patience=LONG)
    assert ended.returncode == {"passes": 0, "fails": 1}[ends], ended.stdout + ended.stderr
    if ends == "fails":
        assert f"FAIL  {invariant}" in ended.stdout


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text())
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_file_that_is_named_exists(page: Path) -> None:
    prose = FENCE.sub("", page.read_text())
    named = re.findall(r"`((?:harness|docs|targets|scenarios|tests|benchmarks)/[\w./-]*\w)`", prose)
    ours = {name for name, _ in NAMED.findall(page.read_text())} | {"targets/tallied/target.yaml"}
    assert [name for name in named if not (ROOT / name).exists() and name not in ours] == []


def test_inline_commands_and_their_options_exist() -> None:
    for page in PAGES:
        for name, rest in re.findall(r"`harness ([a-z]+(?:-[a-z]+)?)(?!-)([^`]*)`", page.read_text()):
            assert name in cli.COMMANDS, f"{page.name}: harness {name}"
            known = (ROOT / "harness" / "cli" / f"{name.replace('-', '_')}.py").read_text() + (
                ROOT / "harness/cli/options.py"
            ).read_text()
            assert all(f'"{option}"' in known for option in re.findall(r"--[a-z-]+", rest)), f"{page.name}: {rest}"


def test_the_readme_lists_every_command() -> None:
    text = (ROOT / "README.md").read_text()
    assert [name for name in cli.COMMANDS if f"`harness {name}" not in text] == []


def test_tables_of_exit_codes_are_those_of_the_code() -> None:
    codes = {*run_command.CODES.values(), run_command.BROKEN, run_command.LEFT, run_command.INTERRUPTED, cli.USAGE}
    tables = [
        table for page in PAGES for table in re.findall(r"\| code \| means \|\n.*\n((?:\|.*\n)+)", page.read_text())
    ]
    assert len(tables) >= 1
    assert {int(number) for number in re.findall(r"\b\d+\b", run_command.__doc__ or "")} == codes
    for table in tables:
        assert {int(number) for number in re.findall(r"^\| (\d+) \|", table, re.M)} == {
            *codes,
            compare_command.REGRESSION,
        }


def test_the_protocol_names_every_variable_that_a_target_is_given() -> None:
    source = "".join((ROOT / "harness" / name).read_text() for name in ("stack.py", "substrate/process.py"))
    given = set(re.findall(r'"(HARNESS_[A-Z]+)"', source)) - {"HARNESS_DEBUG"}
    told = set(re.findall(r"^\| `(HARNESS_[A-Z]+)`", (ROOT / "docs/target-protocol.md").read_text(), re.M))
    assert told - {"HARNESS_REDIS"} == given


@pytest.mark.parametrize("example", fenced(ROOT / "docs/scenarios.md", "yaml"))
def test_an_example_of_the_page_on_scenarios_is_valid(example: str, tmp_path: Path) -> None:
    """A part of a scenario is completed with the least that a scenario has."""
    least = {"about": "x", "target": "memory", "load": [{"constant": {"rate": "5/s", "for": "20s"}}]}
    whole = least | {"invariants": ["no_duplicate_effects", "no_lost_jobs"]} | yaml.safe_load(example)
    (tmp_path / "example.yaml").write_text(yaml.safe_dump(whole, sort_keys=False))
    ended = harness(ROOT, ["validate", str(tmp_path / "example.yaml")])
    assert ended.returncode == 0, ended.stderr


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with the files that docs/adding.md shows, and nothing else changed."""
    folder = tmp_path_factory.mktemp("extended")
    for name in ("harness", "targets/kit", "targets/memory"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
    text = (ROOT / "docs" / "adding.md").read_text()
    for name, body in NAMED.findall(text):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(body)
    shutil.copytree(folder / "targets/tiny", folder / "targets/tallied")
    both = next(body for language, body in FENCE.findall(text) if language == "yaml" and "needs: [tally]" in body)
    (folder / "targets/tallied/target.yaml").write_text(both)
    return folder


def in_copy(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """The copied command, with a cache of its own but for Toxiproxy."""
    own = {"HARNESS_CACHE": str(folder / "cache"), "HARNESS_TOXIPROXY_SERVER": binaries.toxiproxy_server()}
    return harness(folder, list(words), env={"PYTHONPATH": str(folder), **own})


def test_everything_that_was_added_is_found_by_its_file(extended: Path) -> None:
    for name in ("freeze_producer", "first_attempts_suffice", "tally", "tiny"):
        ended = in_copy(extended, "explain", name)
        assert ended.stdout.startswith(f"{name} ("), ended.stderr
    assert "freeze_producer" in in_copy(extended, "schema").stdout


def test_everything_that_was_added_takes_part_in_a_run(extended: Path) -> None:
    ended = in_copy(extended, "run", "scenarios/added.yaml", "--quiet")
    assert ended.returncode == 1, ended.stdout + ended.stderr
    assert "FAIL  no_lost_jobs" in ended.stdout
    assert re.search(r"pass +first_attempts_suffice", ended.stdout), ended.stdout
    assert re.search(r"pass +faults_took_effect +3 faults injected", ended.stdout), ended.stdout
