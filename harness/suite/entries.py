"""Every cell of scenario x target x variant x preset, with what it must come to or why it is not run."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Literal

import msgspec

from harness import scenario as scenarios
from harness import target as targets
from harness import toolchains
from harness.cell import Cell
from harness.overlay import takes_part
from harness.problems import Problem, Problems, nearest, refuse
from harness.scenario import Scenario
from harness.target import Target

ALL, PLAIN = "all", "default"
Aside = Literal["", "n/a", "skipped"]


class Choice(msgspec.Struct, frozen=True):
    """Which cells are wanted; an empty list of targets means each scenario's own, of the others the plain scenario."""

    targets: tuple[str, ...] = ()
    variants: tuple[str, ...] = ()
    presets: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    """Targets that the suite must have."""
    extra: str | None = None
    """A folder of targets to look in first."""
    quick: bool = False


class Entry(msgspec.Struct, frozen=True):
    """A cell of the suite: the claims that must fail there, or the reason why it is put aside."""

    cell: Cell
    digest: str
    """Of the scenario and its target.yaml: when it differs, an old outcome says nothing."""
    fails: tuple[str, ...] = ()
    aside: Aside = ""
    reason: str = ""


def entries(paths: Sequence[str], choice: Choice) -> list[Entry]:
    """The whole matrix, in the order of its names; raises `Problems`, those of all scenarios at once."""
    loaded = _loaded(_files(paths), choice.extra)
    names = _names(choice, loaded)
    _known("--require", choice.required, names)
    _known("--variant", choice.variants, {PLAIN, ALL}.union(*(scenario.variants for scenario in loaded.values())))
    every = {name: targets.load(targets.find(name, choice.extra)) for name in names}
    _known("--preset", choice.presets, {PLAIN, ALL}.union(*(target.presets for target in every.values())))
    return [
        _entry(path, scenario, every[name], name, variant, preset, choice)
        for path, scenario in loaded.items()
        for name in _chosen(choice.targets, names, scenario.target)
        for variant, preset in product(_variants(scenario, choice), _presets(every[name], choice))
    ]


def unmet(required: Sequence[str], extra: str | None) -> list[str]:
    """Why each of these targets cannot be run here and what to do about it, a line each; none when all can."""
    reasons = {name: _absent(name, extra) for name in dict.fromkeys(required)}
    return [f"required target {name}: {reason}" for name, reason in reasons.items() if reason]


def _absent(name: str, extra: str | None) -> str:
    try:
        return toolchains.lacks(targets.load(targets.find(name, extra)))
    except Problems as problems:
        first = problems.found[0]
        return f"{first.message}; {first.hint}" if first.hint else first.message


def shard(whole: Sequence[Entry], number: int, of: int) -> list[Entry]:
    """The part of the suite that is this shard's: the shards share no cell, leave none out, and differ by at most one.

    A cell that cannot be run here is dealt out like any other, so that machines that differ still deal alike.
    """
    return list(whole[number - 1 :: of])


def _chosen(wanted: Sequence[str], everyone: Sequence[str], own: str) -> list[str]:
    """The names of an option that may be left out, be `all`, or be a list."""
    return list(everyone) if ALL in wanted else list(dict.fromkeys(wanted)) or [own]


def _files(paths: Sequence[str]) -> list[str]:
    found = [path for given in paths for path in _within(given)]
    return list(dict.fromkeys(found))


def _within(path: str) -> list[str]:
    if not os.path.isdir(path):
        return [path]
    names = sorted(name for name in os.listdir(path) if name.endswith(".yaml") and name[0] not in "_.")
    if not names:
        raise refuse(path, "no scenario is in this folder", "a scenario's file ends in .yaml")
    return [os.path.join(path, name) for name in names]


def _loaded(paths: Sequence[str], extra: str | None) -> dict[str, Scenario]:
    loaded, problems = {}, list[Problem]()
    for path in paths:
        try:
            loaded[path] = scenarios.load(path, targets=extra)[0]
        except Problems as error:
            problems += error.found
    if problems:
        raise Problems(problems)
    return loaded


def _names(choice: Choice, loaded: dict[str, Scenario]) -> list[str]:
    everyone = sorted({os.path.basename(folder) for folder in targets.folders(choice.extra)})
    if ALL in choice.targets:
        return everyone
    return list(dict.fromkeys(choice.targets or (scenario.target for scenario in loaded.values())))


def _known(option: str, wanted: Sequence[str], known: Sequence[str] | set[str]) -> None:
    problems = [
        Problem(option, 0, 0, f"nothing in this suite is called `{name}`", nearest(name, known))
        for name in wanted
        if name not in known
    ]
    if problems:
        raise Problems(problems)


def _variants(scenario: Scenario, choice: Choice) -> Iterator[str]:
    for name in _chosen(choice.variants, [*scenario.variants] or [PLAIN], PLAIN):
        yield "" if name == PLAIN else name


def _presets(target: Target, choice: Choice) -> Iterator[str]:
    for name in _chosen(choice.presets, [PLAIN, *target.presets], PLAIN):
        yield "" if name == PLAIN else name


def _entry(
    path: str, scenario: Scenario, target: Target, name: str, variant: str, preset: str, choice: Choice
) -> Entry:
    cell = Cell(path, name, variant=variant, preset=preset, quick=choice.quick, targets=choice.extra)
    digest = toolchains.digest(path, os.path.join(target.folder, targets.FILE))
    if reason := _unfit(cell, scenario, target):
        return Entry(cell, digest, aside="n/a", reason=reason)
    if reason := toolchains.lacks(target):
        return Entry(cell, digest, aside="skipped", reason=reason)
    return Entry(cell, digest, scenario.variants[variant].fails if variant else ())


def _unfit(cell: Cell, scenario: Scenario, target: Target) -> str:
    """Why the cell does not apply; empty when it does."""
    wanted = scenario.variants.get(cell.variant)
    if cell.variant and wanted is None:
        return f"{scenario.name} has no variant `{cell.variant}`"
    if wanted and not takes_part(target, wanted):
        return f"{target.name} has no preset `{wanted.preset}`"
    if wanted and wanted.preset and cell.preset:
        return f"the variant `{cell.variant}` brings a preset of its own"
    if cell.preset and cell.preset not in target.presets:
        return f"{target.name} has no preset `{cell.preset}`"
    return _refused(cell)


def _refused(cell: Cell) -> str:
    variant, preset = cell.variant or None, cell.preset or None
    try:
        scenarios.load(cell.scenario, target=cell.target, variant=variant, preset=preset, targets=cell.targets)
    except Problems as problems:
        return problems.found[0].message
    return ""
