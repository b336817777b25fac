"""Whether the harness tells broken from mended: each variant of a scenario on each target, against what it must be."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Literal

import msgspec

from harness import scenario as scenarios
from harness import target as targets
from harness import toolchains
from harness.cell import Cell, Outcome
from harness.overlay import Variant, takes_part
from harness.problems import Problems

Mark = Literal["caught", "held", "WRONG", "ERROR", "n/a"]
WORST: tuple[Mark, ...] = ("ERROR", "WRONG", "caught", "held", "n/a")


class Trial(msgspec.Struct, frozen=True):
    """A variant on a target, and the claims that must fail there: none for one that is mended."""

    cell: Cell
    fails: tuple[str, ...]


class Proven(msgspec.Struct, frozen=True):
    """What a trial came to."""

    scenario: str
    variant: str
    target: str
    mark: Mark
    says: str
    fails: tuple[str, ...]
    folder: str = ""
    seconds: float = 0.0


def trials(
    paths: Sequence[str], names: Sequence[str], extra: str | None, quick: bool
) -> tuple[list[Trial], list[Proven]]:
    """What there is to prove, and what does not apply; raises `Problems`."""
    found: list[Trial] = []
    passed_over: list[Proven] = []
    for path in paths:
        for variant, wanted in scenarios.load(path, targets=extra)[0].variants.items():
            for name in names:
                if reason := _unfit(path, name, extra, variant, wanted):
                    passed_over.append(Proven(_situation(path), variant, name, "n/a", reason, wanted.fails))
                else:
                    cell = Cell(path, name, variant=variant, quick=quick, targets=extra)
                    found.append(Trial(cell, wanted.fails))
    return found, passed_over


def judge(trial: Trial, outcome: Outcome) -> Proven:
    """Caught, if exactly the named claims failed; held, if none had to and none did."""
    cell, seconds = trial.cell, outcome.result.seconds if outcome.result else 0.0
    mark, says = _mark(trial.fails, outcome)
    return Proven(
        _situation(cell.scenario), cell.variant, cell.target, mark, says, trial.fails, outcome.folder, seconds
    )


def _mark(fails: tuple[str, ...], outcome: Outcome) -> tuple[Mark, str]:
    if outcome.result is None:
        return "ERROR", outcome.says
    if set(outcome.failing) == set(fails) and outcome.value == ("FAIL" if fails else "PASS"):
        return ("caught" if fails else "held"), outcome.says
    wanted = f"expected {', '.join(fails)} to fail and nothing else" if fails else "expected it to pass"
    return "WRONG", f"{wanted}, got {outcome.value}: {outcome.says}"


def _unfit(path: str, name: str, extra: str | None, variant: str, wanted: Variant) -> str:
    """Why this does not apply to the target; empty when it does."""
    target = targets.load(targets.find(name, extra))
    if not takes_part(target, wanted):
        return f"{name} has no preset `{wanted.preset}`"
    try:
        scenarios.load(path, target=name, targets=extra, variant=variant)
    except Problems as problems:
        return problems.found[0].message
    return toolchains.lacks(target)


def _situation(path: str) -> str:
    return os.path.basename(path).removesuffix(".yaml")


def table(proven: Sequence[Proven]) -> list[str]:
    """Targets across and variants down, in plain text."""
    names = sorted({one.target for one in proven})
    rows = dict.fromkeys((one.scenario, one.variant) for one in proven)
    by_mark = sorted(proven, key=lambda one: -WORST.index(one.mark))
    marks = {(one.scenario, one.variant, one.target): one.mark for one in by_mark}
    width = max((len(f"{scenario} {variant}") for scenario, variant in rows), default=0)
    columns = {name: max(len(name), 6) for name in names}
    lines = [" " * width + "  " + "  ".join(f"{name:{columns[name]}}" for name in names)]
    for scenario, variant in sorted(rows):
        cells = (f"{marks.get((scenario, variant, name), ''):{columns[name]}}" for name in names)
        lines.append(f"{f'{scenario} {variant}':{width}}  " + "  ".join(cells))
    return [line.rstrip() for line in lines]
