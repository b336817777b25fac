"""A scenario file as pytest sees it: a test for each claim, once for each target and variant that was asked for."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from harness import document, scenario
from harness.cell import Cell
from harness.check import ALWAYS
from harness.problems import Problem, Problems, nearest
from harness.pytest_plugin.claim import Claim
from harness.suite import entries
from harness.suite.entries import ALL, PLAIN, Choice, Entry
from harness.target import child
from harness.variants import name_of

VARIANTS = pytest.StashKey[set[str]]()
"""The names of variants that were come across."""
OPTIONS = ("--target", "--variant", "--set")


class ScenarioFile(pytest.File):
    """Its problems, if it has any, are an error of collection: all of them, with place and remedy."""

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        try:
            found = list(self._entries())
            claims = {entry.cell: _claims(entry) for entry in found}
        except Problems as problems:
            raise self.CollectError("\n".join(map(str, map(_of_this_command, problems.found)))) from problems
        lines = _lines(found[0].cell.scenario)
        for entry in found:
            if label := self._label(entry.cell):
                yield Group.from_parent(self, name=label, entry=entry, claims=claims[entry.cell], lines=lines)
            else:
                yield from _items(self, entry, claims[entry.cell], lines)

    def _entries(self) -> Iterator[Entry]:
        option, path = self.config.option, self._path()
        loaded = scenario.load(path, targets=option.harness_targets)[0]
        declared = loaded.variants
        self.config.stash.setdefault(VARIANTS, set()).update(declared)
        wanted = option.harness_variant
        known = tuple(name for name in wanted if name in (ALL, PLAIN, *declared))
        choice = Choice(option.harness_target, known, extra=option.harness_targets, quick=option.harness_quick)
        for name in wanted:
            if name not in known:
                reason = f"the scenario has no variant `{name}`"
                yield Entry(Cell(path, loaded.target, variant=name), "", aside="n/a", reason=reason)
        if known or not wanted:
            yield from (self._as_asked(entry) for entry in entries.entries([path], choice))

    def _as_asked(self, entry: Entry) -> Entry:
        option = self.config.option
        cell = msgspec.structs.replace(entry.cell, knobs=tuple(option.harness_set), seed=option.harness_seed)
        return msgspec.structs.replace(entry, cell=cell)

    def _label(self, cell: Cell) -> str:
        """The name of a group; there is none where all claims are of one run."""
        option = self.config.option
        parts = [cell.variant or PLAIN] if option.harness_variant else []
        several = len(option.harness_target) > 1 or ALL in option.harness_target
        return "-".join([*parts, *([cell.target] if several else [])])

    def _path(self) -> str:
        """As a person would name it in the folder that pytest was called in."""
        path = os.path.relpath(self.path, self.config.invocation_params.dir)
        return str(self.path) if path.startswith(os.pardir) else path


class Group(pytest.Collector):
    """The claims of one variant on one target."""

    def __init__(self, *, entry: Entry, claims: list[str], lines: dict[str, int], **given: Any) -> None:
        super().__init__(**given)
        self._entry, self._claims, self._lines = entry, claims, lines

    def collect(self) -> Iterator[pytest.Item]:
        return _items(self, self._entry, self._claims, self._lines)


def refuse_unknown_variants(config: pytest.Config, items: list[pytest.Item]) -> None:
    """A name that no scenario knows would let everything be skipped, and look green."""
    if VARIANTS not in config.stash:
        return
    known = {ALL, PLAIN, *config.stash[VARIANTS]}
    wrong = [name for name in config.option.harness_variant if name not in known]
    if not wrong:
        return
    says = "; ".join(f"no scenario here has a variant `{name}`, {nearest(name, known)}" for name in wrong)
    if not hasattr(config, "workerinput"):
        raise pytest.UsageError(f"--harness-variant: {says}")
    # pytest-xdist takes a worker that refuses for one that crashed.
    for item in items:
        if isinstance(item, Claim) and item.entry.cell.variant in wrong:
            item.refusal = f"--harness-variant: {says}"


def _claims(entry: Entry) -> list[str]:
    """The invariants in the order of the verdicts; those of a scenario that does not fit, as its own target has it."""
    cell = entry.cell
    if entry.aside:
        found = scenario.load(cell.scenario, targets=cell.targets)[0]
    else:
        found = scenario.load(
            cell.scenario,
            target=cell.target,
            variant=cell.variant or None,
            knobs=dict(cell.knobs),
            targets=cell.targets,
            seed=cell.seed,
            quick=cell.quick,
        )[0]
    asked = [name_of(invariant) for invariant in found.invariants]
    return [*asked, *(name for name in ALWAYS if name not in asked)]


def _items(parent: pytest.Collector, entry: Entry, claims: list[str], lines: dict[str, int]) -> Iterator[pytest.Item]:
    for number, invariant in enumerate(claims):
        turn = claims[: number + 1].count(invariant)
        name = f"{invariant}[{turn}]" if turn > 1 else invariant
        line = lines.get(invariant, 0)
        yield Claim.from_parent(parent, name=name, entry=entry, invariant=invariant, number=number, line=line)


def _lines(path: str) -> dict[str, int]:
    """Where each claim stands in the file, counted from 0."""
    listed = child(document.read(path)[0], "invariants")
    items = listed.items if isinstance(listed, document.Sequence) else []
    names = [item.entries[0][0] if isinstance(item, document.Mapping) else item for item in items]
    return {name.text: name.line - 1 for name in names if isinstance(name, document.Scalar)}


def _of_this_command(problem: Problem) -> Problem:
    """The same problem, with an option as it is called here."""
    if problem.source.split(" ")[0] not in OPTIONS:
        return problem
    return msgspec.structs.replace(problem, source=problem.source.replace("--", "--harness-", 1))
