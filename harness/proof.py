"""Whether the harness tells broken from mended: each variant of a scenario on each target, against what it must be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
    modes: tuple[str, ...] = ()
    """The failure modes that it shows or, mended, that its scenario shows."""
    about: str = ""


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
    modes: tuple[str, ...] = ()
    about: str = ""
    seed: int | None = None
    runs: int = 1
    """How many runs it stands for; the worst of them is told."""


def trials(
    paths: Sequence[str], names: Sequence[str], extra: str | None, quick: bool
) -> tuple[list[Trial], list[Proven]]:
    """What there is to prove, and what does not apply; raises `Problems`."""
    found: list[Trial] = []
    passed_over: list[Proven] = []
    for path in paths:
        variants = scenarios.load(path, targets=extra)[0].variants
        for variant, wanted in variants.items():
            modes = _modes(wanted, variants.values())
            for name in names:
                cell = Cell(path, name, variant=variant, quick=quick, targets=extra)
                trial = Trial(cell, wanted.fails, modes, wanted.about)
                if reason := _unfit(path, name, extra, variant, wanted):
                    passed_over.append(_proven(trial, "n/a", reason))
                else:
                    found.append(trial)
    return found, passed_over


def judge(trial: Trial, outcome: Outcome) -> Proven:
    """Caught, if exactly the named claims failed; held, if none had to and none did."""
    seconds = outcome.result.seconds if outcome.result else 0.0
    proven = _proven(trial, *_mark(trial.fails, outcome))
    return msgspec.structs.replace(proven, folder=outcome.folder, seconds=seconds, seed=outcome.cell.seed)


def worst(marks: Iterable[Mark]) -> Mark:
    """The mark of several trials together."""
    return min(marks, key=WORST.index)


def together(proven: Iterable[Proven]) -> list[Proven]:
    """The runs of each trial as one: the first of the worst, and how many there were."""
    trials: dict[tuple[str, str, str], list[Proven]] = {}
    for one in proven:
        trials.setdefault((one.scenario, one.variant, one.target), []).append(one)
    telling = [(min(some, key=lambda one: WORST.index(one.mark)), len(some)) for some in trials.values()]
    return [msgspec.structs.replace(one, runs=count) for one, count in telling]


def changing(proven: Sequence[Proven]) -> list[str]:
    """The trials that came to one thing once and to another another time."""
    marks: dict[str, set[Mark]] = {}
    for one in proven:
        marks.setdefault(f"{one.scenario} {one.variant} on {one.target}", set()).add(one.mark)
    return [name for name, some in marks.items() if len(some) > 1]


def _modes(wanted: Variant, others: Iterable[Variant]) -> tuple[str, ...]:
    every = dict.fromkeys(mode for variant in others for mode in variant.shows)
    return wanted.shows or (() if wanted.fails else tuple(every))


def _proven(trial: Trial, mark: Mark, says: str) -> Proven:
    cell = trial.cell
    return Proven(
        cell.situation, cell.variant, cell.target, mark, says, trial.fails, modes=trial.modes, about=trial.about
    )


def _mark(fails: tuple[str, ...], outcome: Outcome) -> tuple[Mark, str]:
    if outcome.result is None:
        return "ERROR", outcome.says
    if set(outcome.failing) == set(fails) and outcome.value == ("FAIL" if fails else "PASS"):
        return ("caught" if fails else "held"), outcome.says
    wanted = f"expected {', '.join(fails)} to fail and nothing else" if fails else "expected it to pass"
    got = f"{outcome.value} ({', '.join(outcome.failing)})" if outcome.failing else outcome.value
    return "WRONG", f"{wanted}, got {got}: {outcome.says}"


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
