"""What speaks against comparing two runs: another scenario, target, seed, machine or version."""

from __future__ import annotations

import os
from collections.abc import Sequence

from harness.compare.observed import Observed

Pair = tuple[Observed, Observed]
INTENDED = frozenset({"knobs", "preset", "seed"})
"""Keys of a scenario that a comparison is about, or that are told by themselves."""


def doubts(pairs: Sequence[Pair], *, text: bool = True) -> list[str]:
    """A sentence for each; `text` says whether the scenarios' texts should be the same but for their knobs."""
    found = [doubt for pair in pairs for doubt in (*_results(pair), *(_texts(pair) if text else ()))]
    return [f"not comparable: {doubt}" for doubt in dict.fromkeys(found)]


def _results(pair: Pair) -> list[str]:
    a, b = pair[0].result, pair[1].result
    found = [
        f"another {name}: {one or 'not recorded'} and {other or 'not recorded'}"
        for name, one, other in (
            ("scenario", a.scenario, b.scenario),
            ("target", a.target, b.target),
            ("seed", a.seed, b.seed),
            ("machine", a.machine, b.machine),
        )
        if one != other
    ]
    return found + [
        f"another version of {name}: {a.versions.get(name, 'none')} and {b.versions.get(name, 'none')}"
        for name in sorted({*a.versions, *b.versions})
        if a.versions.get(name) != b.versions.get(name)
    ]


def _texts(pair: Pair) -> list[str]:
    a, b = (_keys(os.path.join(run.folder, "scenario.yaml")) for run in pair)
    differ = [key for key in dict.fromkeys([*a, *b]) if a.get(key) != b.get(key) and key not in INTENDED]
    return [f"the scenarios differ in {', '.join(differ)}"] if a and b and differ else []


def _keys(path: str) -> dict[str, str]:
    """The text of each top-level key of a resolved scenario."""
    if not os.path.exists(path):
        return {}
    found: dict[str, str] = {}
    key = ""
    with open(path) as file:
        for line in file:
            key = key if line.startswith((" ", "\n")) else line.partition(":")[0]
            found[key] = found.get(key, "") + line
    return found
