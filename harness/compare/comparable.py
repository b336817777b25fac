"""What speaks against comparing two runs: another scenario, target, seed, machine or version."""

from __future__ import annotations

from collections.abc import Sequence

from harness.compare.settings import Pair, keys

INTENDED = frozenset({"knobs", "preset", "seed"})
"""Keys of a scenario that a comparison is about, or that are told by themselves."""
SITUATION = frozenset({"load", "phases", "faults"})
"""Keys that make another situation of it, even where another value was asked for."""


def doubts(pairs: Sequence[Pair], *, asked: bool = False) -> list[str]:
    """A sentence for each; where sides are as they were `asked` for, only another situation is in doubt."""
    found = [doubt for pair in pairs for doubt in (*_results(pair), *_texts(pair, asked=asked))]
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


def _texts(pair: Pair, *, asked: bool) -> list[str]:
    differ = [one.name for one in keys(pair) if one.name not in INTENDED]
    told = [name for name in differ if name in SITUATION] if asked else differ
    return [f"the scenarios differ in {', '.join(told)}"] if told else []
