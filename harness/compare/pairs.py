"""The runs of a comparison: A, B, B, A, ... one at a time, each pair with a seed of its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from msgspec.structs import replace

from harness import matrix
from harness.cell import USAGE, Cell, Outcome
from harness.compare.observed import Observed, observe
from harness.problems import refuse

Said = Callable[[int, str, Outcome], None]
RERUNS = 1
"""A stack that does not start is tried once more, so that one hiccup does not cost the other runs."""


class NotMade(Exception):
    """A run that could not be made; says why."""


def turns(repeat: int) -> Iterator[tuple[int, str]]:
    """The pair's number and the side of each run: what drifts with time weighs on both sides alike."""
    for pair in range(repeat):
        yield from ((pair, name) for name in ("ab" if pair % 2 == 0 else "ba"))


def make(sides: dict[str, Cell], repeat: int, folder: str, said: Said) -> list[tuple[Observed, Observed]]:
    """Run both sides so often; `sides` has `a` and `b`, each with its first seed. Raises `NotMade`.

    The runs of each side are kept in the folder of its name.
    """
    made: dict[tuple[int, str], Observed] = {}
    for pair, name in turns(repeat):
        cell = replace(sides[name], seed=(sides[name].seed or 0) + pair)
        (outcome,) = matrix.run([cell], os.path.join(folder, name), reruns=RERUNS, started=lambda cell: None)
        said(pair, name, outcome)
        made[pair, name] = _observed(outcome)
    return [(made[pair, "a"], made[pair, "b"]) for pair in range(repeat)]


def _observed(outcome: Outcome) -> Observed:
    if outcome.code == USAGE:
        raise refuse(outcome.cell.again, outcome.says)
    if not outcome.judged:
        raise NotMade(f"{outcome.cell.again}\n{outcome.says}")
    return observe(outcome.folder, outcome.result)
