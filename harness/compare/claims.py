"""What became of each claim: a pass that became a fail is a regression, whatever the figures say."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Literal

import msgspec

from harness.compare.observed import Observed
from harness.verdict import Value

Word = Literal["better", "worse", "no difference shown", "not decided"]
Pair = tuple[Observed, Observed]
ERROR = 0.05


class Claimed(msgspec.Struct, frozen=True, kw_only=True):
    """One invariant in the runs of both."""

    invariant: str
    a: dict[Value, int]
    """How often each verdict was given."""
    b: dict[Value, int]
    word: Word
    says: str = ""
    """What B's first failure said."""


def claims(pairs: Sequence[Pair]) -> tuple[Claimed, ...]:
    """Every invariant that was checked on both sides, in the order of the first run."""
    names = dict.fromkeys(verdict.invariant for a, b in pairs for run in (a, b) for verdict in run.result.verdicts)
    return tuple(claimed for name in names if (claimed := _claimed(name, pairs)))


def _claimed(name: str, pairs: Sequence[Pair]) -> Claimed | None:
    both = [(_value(a, name), _value(b, name)) for a, b in pairs]
    values = [(one, other) for one, other in both if one is not None and other is not None]
    if not values:
        return None
    a, b = _tally([one for one, _ in values]), _tally([other for _, other in values])
    word = _word(values)
    failure = next((said for _, run in pairs if (said := _failure(run, name))), "")
    return Claimed(invariant=name, a=a, b=b, word=word, says=failure)


def _word(values: Sequence[tuple[Value, Value]]) -> Word:
    a, b = {one for one, _ in values}, {other for _, other in values}
    if "FAIL" not in a | b:
        return "not decided" if "INCONCLUSIVE" in b and "INCONCLUSIVE" not in a else "no difference shown"
    if "FAIL" not in a:
        return "worse" if "PASS" in a else "not decided"
    if a == {"FAIL"} and b == {"PASS"}:
        return "better"
    mended = sum(pair == ("FAIL", "PASS") for pair in values)
    broken = sum(pair == ("PASS", "FAIL") for pair in values)
    if _by_chance(max(mended, broken), mended + broken) > ERROR:
        return "no difference shown"
    return "better" if mended > broken else "worse"


def _by_chance(most: int, of: int) -> float:
    """How often a fair coin falls at least so unevenly, one way or the other."""
    return min(1.0, 2 * sum(comb(of, count) for count in range(most, of + 1)) / (1 << of))


def _tally(values: Sequence[Value]) -> dict[Value, int]:
    return {value: values.count(value) for value in dict.fromkeys(values)}


def _value(run: Observed, name: str) -> Value | None:
    return next((verdict.value for verdict in run.result.verdicts if verdict.invariant == name), None)


def _failure(run: Observed, name: str) -> str:
    found = (one for one in run.result.verdicts if one.invariant == name and one.value == "FAIL")
    return next((one.says for one in found), "")
