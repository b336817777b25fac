"""Pairs of runs -> comparison: the claims first, then the figures, and what speaks against comparing them at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from harness.compare.allowance import Allowance
from harness.compare.claims import Claimed, Pair, claims
from harness.compare.figures import Figure, figures
from harness.compare.settings import Setting, differing
from harness.measurements import COMPARED, Measurement
from harness.verdict import Value

VERSION = 1
DECIDED: frozenset[Value] = frozenset({"PASS", "FAIL"})


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """What `compare.json` holds."""

    scenario: str
    target: str
    a: str
    """What is A's own, as it was asked for."""
    b: str
    pairs: int
    regressions: tuple[str, ...]
    """The invariants and the measurements that are worse; none: no regression was shown."""
    claims: tuple[Claimed, ...]
    figures: tuple[Figure, ...]
    warnings: tuple[str, ...]
    runs: tuple[tuple[str, str], ...]
    """The folders of each pair."""
    settings: tuple[Setting, ...] = ()
    """In what the configurations of the first pair differ."""
    command: str = ""
    """Makes the same comparison again."""
    version: int = VERSION

    @property
    def undecided(self) -> tuple[str, ...]:
        """The claims that B left open and A did not; all of them where no claim was decided on both sides."""
        decided = [claim for claim in self.claims if DECIDED & claim.a.keys() and DECIDED & claim.b.keys()]
        return tuple(claim.invariant for claim in self.claims if claim.word == "not decided" or not decided)


def compare(
    pairs: Sequence[Pair],
    *,
    a: str,
    b: str,
    allowed: Mapping[str, Allowance],
    measured: Sequence[Measurement] = COMPARED,
    warnings: Sequence[str] = (),
    command: str = "",
) -> Comparison:
    """Compare at least one pair. Pure: the same pairs give the same comparison."""
    sound = [pair for pair in pairs if pair[0].sound and pair[1].sound]
    claimed, found = claims(pairs), figures({one: _values(one, sound) for one in measured}, allowed)
    worse = [claim.invariant for claim in claimed if claim.word == "worse"]
    first = pairs[0][0].result
    return Comparison(
        scenario=first.scenario,
        target=first.target,
        a=a,
        b=b,
        pairs=len(pairs),
        regressions=(*worse, *(figure.name for figure in found if figure.word == "worse")),
        claims=claimed,
        figures=found,
        warnings=(*warnings, *_left_out(len(pairs) - len(sound))),
        runs=tuple((one.folder, other.folder) for one, other in pairs),
        settings=differing(pairs[0]),
        command=command,
    )


def _values(measurement: Measurement, pairs: Sequence[Pair]) -> list[tuple[float, float] | None]:
    both = [(a.measured.get(measurement.name), b.measured.get(measurement.name)) for a, b in pairs]
    return [None if one is None or other is None else (one, other) for one, other in both]


def _left_out(count: int) -> list[str]:
    if not count:
        return []
    pairs = "1 pair has" if count == 1 else f"{count} pairs have"
    return [f"{pairs} a run that was not as planned (a fault missed, load not offered): its figures are left out"]
