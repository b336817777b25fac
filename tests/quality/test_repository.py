"""The repository agrees with itself: variants, scenarios, targets, pins and the lists of docs/scenarios.md.

Run as a module it writes those lists anew: `python -m tests.quality.test_repository`.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Callable, Iterator
from inspect import getdoc, iscoroutinefunction
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from harness import check, scenario, target, timing, variants
from harness.decode import key_of, keys
from harness.fields import described

ROOT = Path(__file__).parents[2]
SCENARIOS = sorted((ROOT / "scenarios").glob("*.yaml"))
TARGETS = sorted(path.parent for path in (ROOT / "targets").glob("*/target.yaml"))
LISTS = ROOT / "docs" / "scenarios.md"
SOURCES = sorted(path for folder in ("harness", "benchmarks") for path in (ROOT / folder).rglob("*.py"))
HOMELESS = {"util", "utils", "common", "helpers", "base", "manager", "types", "misc"}
PLACES = re.compile(r"(?<![\w.])/(?:work|root|home)/|/tmp/[a-z]")
BLOCK = re.compile(r"(<!-- from the code: (\w+) -->\n)(.*?)(<!-- end -->)", re.S)


def table(head: str, rows: Iterator[tuple[str, ...]]) -> str:
    """A table of Markdown; `head` names the columns."""
    names = head.split()
    lines = [names, ["---"] * len(names), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines) + "\n"


def fields_of(cls: type[msgspec.Struct]) -> str:
    """The keys of a value, a row each."""
    shown = ((key_of(field.name), described(field)) for field in keys(cls))
    rows = ((f"`{key}`", field.type.replace(" | ", ", "), field.default, field.about) for key, field in shown)
    return table("key type default means", rows)


def keys_of_a_scenario() -> str:
    """The keys of a scenario; those of a value within it have a table of their own."""
    shown = [(field, described(field)) for field in keys(scenario.Scenario)]
    rows = (
        (f"`{key_of(field.name)}`", words.default if field.required or _plain(field.default) else "", words.about)
        for field, words in shown
    )
    return table("key default means", rows)


def _plain(default: object) -> bool:
    return isinstance(default, str | int)


def keys_in_short(cls: Any) -> str:
    """The keys of a variant with their defaults, in one cell."""
    shown = ((key_of(field.name), described(field).default) for field in keys(cls))
    parts = [f"`{key}`" + ("" if default in ("required", "-") else f" {default}") for key, default in shown]
    return ", ".join(parts)


def variants_of(kind: str, *, always: bool | None = None) -> str:
    """Every variant of a kind: its name, its keys, its sentence."""
    names = [name for name in variants.names(kind) if always is None or (name in check.ALWAYS) == always]
    found = [(name, variants.variant(kind, name)) for name in names]
    needs = kind == "invariants" and not always
    rows = (
        (f"`{name}`", keys_in_short(cls), *([", ".join(getattr(cls, "needs", ()))] if needs else []), about(cls))
        for name, cls in found
    )
    return table(f"name keys {'needs ' if needs else ''}means", rows)


def about(cls: type) -> str:
    """The sentence of a variant."""
    return variants.about(cls)


def servers() -> str:
    """Each server with a table of its settings."""
    return "".join(
        f"\n`{name}`: {about(cls)}\n{fields_of(cls)}"
        for name, cls in ((name, variants.variant("servers", name)) for name in variants.names("servers"))
    )


MADE: dict[str, Callable[[], str]] = {
    "scenario": keys_of_a_scenario,
    "handler": lambda: fields_of(scenario.Handler),
    "again": lambda: fields_of(scenario.Again),
    "downstream": lambda: fields_of(scenario.Provider),
    "phase": lambda: fields_of(scenario.Phase),
    "drain": lambda: fields_of(scenario.Drain),
    "timing": lambda: fields_of(timing.Timing),
    "load": lambda: variants_of("load"),
    "faults": lambda: variants_of("faults"),
    "invariants": lambda: variants_of("invariants", always=False),
    "always": lambda: variants_of("invariants", always=True),
    "servers": servers,
}


def rewritten(text: str) -> str:
    """The page with every list as the code has it."""
    return BLOCK.sub(lambda found: found[1] + MADE[found[2]]() + found[4], text)


@pytest.mark.parametrize("name", MADE)
def test_the_lists_of_the_page_on_scenarios_are_those_of_the_code(name: str) -> None:
    written = {found[2]: found[3] for found in BLOCK.finditer(LISTS.read_text())}
    assert written[name] == MADE[name](), "python -m tests.quality.test_repository writes it anew"


@pytest.mark.parametrize("name", variants.names("faults"))
def test_a_fault_is_a_frozen_value_that_can_be_injected(name: str) -> None:
    cls: Any = variants.variant("faults", name)
    assert cls.__struct_config__.frozen
    assert isinstance(cls.lasts, bool)
    assert callable(cls.inject)
    assert getdoc(cls)


@pytest.mark.parametrize("name", variants.names("invariants"))
def test_an_invariant_is_a_frozen_value_that_can_check(name: str) -> None:
    cls: Any = variants.variant("invariants", name)
    assert cls.__struct_config__.frozen
    assert set(cls.needs) <= {"attempts", "state", "held", "letters", "effects"}
    assert callable(cls.check)
    assert getdoc(cls)


@pytest.mark.parametrize("name", variants.names("servers"))
def test_a_server_keeps_the_contract(name: str) -> None:
    cls: Any = variants.variant("servers", name)
    assert isinstance(cls.apart, bool)
    assert iscoroutinefunction(cls.identity)
    assert all(callable(getattr(cls, method)) for method in ("prepare", "command", "url", "wipe"))


@pytest.mark.parametrize("name", variants.names("toolchains"))
def test_a_toolchain_keeps_the_contract_and_is_in_the_protocol(name: str) -> None:
    module = __import__(f"harness.toolchains.{name}", fromlist=["install"])
    assert isinstance(module.lacks(), str)
    assert callable(module.install)
    assert f"| `{name}` |" in (ROOT / "docs" / "target-protocol.md").read_text()


@pytest.mark.parametrize("folder", TARGETS, ids=lambda path: path.name)
@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_every_scenario_validates_on_every_target_that_has_what_it_breaks(path: Path, folder: Path) -> None:
    written = yaml.safe_load(path.read_text())
    found = target.load(str(folder))
    lacking = set(written.get("servers", {})) - set(found.needs)
    if lacking:
        pytest.skip(f"{folder.name} has no {', '.join(lacking)}")
    scenario.load(str(path), target=str(folder))


def test_every_scenario_validates_on_its_own_target() -> None:
    assert [scenario.load(str(path))[0].name for path in SCENARIOS] == [path.stem for path in SCENARIOS]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_has_a_noun_a_sentence_and_a_bearable_length(path: Path) -> None:
    text = path.read_text()
    assert path.stem not in HOMELESS
    assert not text or ast.get_docstring(ast.parse(text)), "a module begins with a sentence"
    assert len(text.splitlines()) <= 300


def test_every_dependency_is_pinned_exactly_and_no_pin_has_an_address() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    asked = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    asked += [one for extra in project["project"]["optional-dependencies"].values() for one in extra]
    pins = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if line and line[0] != "#"]
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", pin) for pin in pins)
    names = {_normal(re.split(r"[<>=!~\[ ]", one)[0]) for one in asked} - {"jobharness"}
    assert names - {_normal(pin.partition("==")[0]) for pin in pins} == set()


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_nothing_names_a_path_of_one_machine() -> None:
    folders = ("harness", "targets", "scenarios", "docs", "benchmarks", "tests", ".ci")
    suffixes = {".py", ".md", ".yaml", ".toml", ".txt", ".js", ".go", ".rb", ""}
    files = [path for folder in folders for path in (ROOT / folder).rglob("*") if path.suffix in suffixes]
    files = [path for path in [*files, ROOT / "README.md", ROOT / "Makefile"] if path.is_file()]
    naming = [
        path for path in files if "node_modules" not in path.parts and PLACES.search(path.read_text(errors="replace"))
    ]
    assert [str(path.relative_to(ROOT)) for path in naming if path != Path(__file__)] == []


def test_no_pins_record_an_address() -> None:
    names = ("package-lock.json*", "go.sum*", "requirements*.txt", "constraints.txt", "packages*.txt")
    pins = [path for name in names for top in ("harness", "targets", "examples") for path in (ROOT / top).rglob(name)]
    pins = [path for path in [*pins, ROOT / "constraints.txt"] if "node_modules" not in path.parts]
    assert len(pins) > 5
    assert [str(path.relative_to(ROOT)) for path in pins if "://" in path.read_text()] == []


if __name__ == "__main__":
    LISTS.write_text(rewritten(LISTS.read_text()))
