"""A suite under way: which runs are still to be made, and what those made have come to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from harness.cell import BROKEN, Cell, Outcome
from harness.suite import standing
from harness.suite.entries import Entry
from harness.suite.journal import Ended
from harness.suite.standing import Standing


class Course:
    """The cells of a suite with their runs; each cell that is not put aside is run `repeat` times."""

    def __init__(self, entries: Sequence[Entry], repeat: int = 1) -> None:
        self._entries = {entry.cell: entry for entry in entries}
        self._runs: dict[Cell, dict[int, Ended]] = {cell: {} for cell in self._entries}
        self._repeat = repeat

    def take_up(self, ended: Iterable[Ended], *, reruns: int = 0) -> int:
        """Count runs of an earlier sitting as made, unless their scenario or target has changed since; how many.

        An error of the stack is not counted if such may be tried again, as `reruns` says.
        """
        before = self.made
        for one in ended:
            entry = self._entries.get(one.cell)
            if entry and not entry.aside and entry.digest == one.digest and one.turn <= self._repeat:
                self._runs[one.cell][one.turn] = one
        for runs in self._runs.values():
            for turn in [turn for turn, one in runs.items() if one.code == BROKEN and reruns]:
                del runs[turn]
        return self.made - before

    @property
    def todo(self) -> list[Cell]:
        """The runs that are still to be made: all cells once, then all again."""
        turns = range(1, self._repeat + 1)
        fit = [cell for cell, entry in self._entries.items() if not entry.aside]
        return [cell for turn in turns for cell in fit if turn not in self._runs[cell]]

    @property
    def made(self) -> int:
        """How many runs have been made."""
        return sum(map(len, self._runs.values()))

    def note(self, outcome: Outcome) -> Ended:
        """A run has ended; repeats of a cell are alike, so it is the first that is missing."""
        runs = self._runs[outcome.cell]
        turn = next(turn for turn in range(1, self._repeat + 1) if turn not in runs)
        runs[turn] = standing.ended(self._entries[outcome.cell], turn, outcome)
        return runs[turn]

    def standings(self) -> list[Standing]:
        """How each cell stands now."""
        every = self._entries.items()
        return [standing.standing(entry, self._runs[cell].values(), self._repeat) for cell, entry in every]
