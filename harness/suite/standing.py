"""How a cell of a suite stands: what its runs came to, together."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from harness import proof
from harness.cell import Outcome
from harness.suite.entries import Entry
from harness.suite.journal import Ended, Mark

Stands = Literal["ERROR", "FLAKY", "FAIL", "INCONCLUSIVE", "not run", "pass", "skipped", "n/a"]
WORST: tuple[Stands, ...] = ("ERROR", "FLAKY", "FAIL", "INCONCLUSIVE", "not run", "pass", "skipped", "n/a")
TROUBLES: tuple[Stands, ...] = ("ERROR", "FLAKY", "FAIL", "INCONCLUSIVE")
INTERRUPTED, UNDECIDED = 130, 3
CODES = (INTERRUPTED, 4, 5, 2, 1, UNDECIDED, 0)
"""Exit codes, worst first."""
LONGEST = 2000


class Standing(msgspec.Struct, frozen=True):
    """A cell with its runs, and what they amount to."""

    entry: Entry
    stands: Stands
    code: int
    says: str
    runs: tuple[Ended, ...] = ()

    @property
    def telling(self) -> Ended | None:
        """The run that shows it best: the first of the worst."""
        return min(self.runs, key=lambda one: WORST.index(one.mark), default=None)


def ended(entry: Entry, turn: int, outcome: Outcome) -> Ended:
    """What a run came to, by what its cell must come to: a broken variant that is caught is a pass."""
    mark, says = _mark(entry, outcome)
    code = outcome.code if mark == "ERROR" else {"pass": 0, "FAIL": 1, "INCONCLUSIVE": UNDECIDED}[mark]
    return Ended(
        entry.cell,
        entry.digest,
        turn,
        mark,
        code,
        says[-LONGEST:],
        run=os.path.basename(outcome.folder),
        value=outcome.value,
        seconds=round(outcome.seconds, 2),
        reruns=outcome.reruns,
        beside=outcome.beside,
    )


def _mark(entry: Entry, outcome: Outcome) -> tuple[Mark, str]:
    if not outcome.judged:
        return "ERROR", outcome.says
    proven = proof.judge(proof.Trial(entry.cell, entry.fails), outcome)
    if proven.mark in ("caught", "held"):
        return "pass", f"caught: {outcome.says}" if entry.fails else outcome.says
    says = proven.says if entry.cell.variant else outcome.says
    return ("FAIL" if outcome.value in ("FAIL", "PASS") else "INCONCLUSIVE"), says


def standing(entry: Entry, runs: Iterable[Ended], repeat: int = 1) -> Standing:
    """The cell as its runs leave it; verdicts that differ are FLAKY, whatever they are, and a repeat that is missing
    is no pass."""
    made = tuple(sorted(runs, key=lambda one: one.turn))
    if entry.aside:
        return Standing(entry, entry.aside, 0, entry.reason)
    if len(made) < repeat and all(one.mark == "pass" for one in made):
        return Standing(entry, "not run", UNDECIDED, f"{len(made)} of {repeat} runs were made", made)
    telling = min(made, key=lambda one: WORST.index(one.mark))
    stands: Stands = "FLAKY" if is_flaky(made) else telling.mark
    says = f"{_tally(made)}; {telling.says}" if len(made) > 1 and stands != "pass" else telling.says
    return Standing(entry, stands, worst(one.code for one in made), says, made)


def is_flaky(runs: Sequence[Ended]) -> bool:
    """Whether the same cell came to verdicts that differ; an error is no verdict."""
    return len({one.mark for one in runs if one.mark != "ERROR"}) > 1


def worst(codes: Iterable[int]) -> int:
    """The worst of exit codes; 0 when there are none."""
    return min(codes, key=CODES.index, default=0)


def exit_code(standings: Sequence[Standing], *, interrupted: bool, fit: int) -> int:
    """The suite's own: the worst of its cells', and 3 when of the whole suite nothing can be run here.

    `fit` is how many cells of the whole suite, other shards included, are not put aside.
    """
    found = worst(standing.code for standing in standings)
    if interrupted:
        return INTERRUPTED
    return UNDECIDED if found == 0 and not fit else found


def _tally(runs: Sequence[Ended]) -> str:
    marks = [one.mark for one in runs]
    counts = [f"{marks.count(mark)} {mark}" for mark in dict.fromkeys(marks)]
    return f"of {len(runs)} runs: {', '.join(counts)}"
