"""The proofs that were made in a folder: a proof of many hours that was interrupted goes on from there."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from secrets import randbelow
from typing import Self

import msgspec

from harness import journal, toolchains
from harness import target as targets
from harness.cell import Cell
from harness.proof import Proven, Trial

FILE = "proof.jsonl"
SEEDS = 1 << 30


class Made(msgspec.Struct, frozen=True):
    """One run of a trial has ended."""

    proven: Proven
    digest: str
    """Of the scenario and its target.yaml: when it differs, the run says nothing of what there is now."""


class Proofs:
    """The runs of these trials; one process at a time may add to them."""

    def __init__(self, reports: str, trials: Sequence[Trial]) -> None:
        self._path = os.path.join(reports, FILE)
        self._trials = trials
        self._digests = {trial.cell: _digest(trial.cell) for trial in trials}
        self._seeds: dict[Cell, list[int | None]] = {trial.cell: [] for trial in trials}
        self._journal = journal.Journal(self._path, writer="proof", remedy="give this one a folder with --reports")

    def __enter__(self) -> Self:
        self._journal.__enter__()
        return self

    def __exit__(self, *exit: object) -> None:
        self._journal.__exit__(*exit)

    def begin(self, *, anew: bool) -> list[Proven]:
        """What was made before and counts; nothing, and all of it forgotten, when it is begun anew."""
        if anew:
            self._journal.clear()
        return list(self._counted())

    def cells(self, repeat: int, *, random: bool) -> dict[Cell, Trial]:
        """The runs that are still to be made: each trial once, then all again, each time with another seed.

        The first has the scenario's own seed, unless none is to be known beforehand.
        """
        found = {}
        for turn in range(repeat):
            for trial in self._trials:
                made = self._seeds[trial.cell]
                seed = randbelow(SEEDS) if random else turn + 1 if turn else None
                if turn >= len(made) if random else seed not in made:
                    found[msgspec.structs.replace(trial.cell, seed=seed)] = trial
        return found

    def write(self, trial: Trial, proven: Proven) -> None:
        """A run of a trial has ended."""
        self._journal.write(Made(proven, self._digests[trial.cell]))

    def _counted(self) -> Iterator[Proven]:
        """An error is no proof, and is tried again."""
        known = {(cell.situation, cell.variant, cell.target): cell for cell in self._digests}
        for line in journal.lines(self._path, Made):
            one: Proven = line.proven
            cell = known.get((one.scenario, one.variant, one.target))
            if cell and self._digests[cell] == line.digest and one.mark != "ERROR":
                self._seeds[cell].append(one.seed)
                yield one


def _digest(cell: Cell) -> str:
    folder = targets.find(cell.target, cell.targets)
    return toolchains.digest(cell.scenario, os.path.join(folder, targets.FILE), "quick" if cell.quick else "")
