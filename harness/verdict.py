"""What an invariant says of a history."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

Value = Literal["PASS", "FAIL", "INCONCLUSIVE", "NOT APPLICABLE"]
WORST: tuple[Value, ...] = ("FAIL", "INCONCLUSIVE", "PASS", "NOT APPLICABLE")


class Moment(msgspec.Struct, frozen=True):
    """One line of a job's timeline: seconds since the run began, and what happened."""

    at: float
    what: str


class Witness(msgspec.Struct, frozen=True):
    """A job that shows what the verdict says, with everything that happened to it."""

    key: str
    timeline: tuple[Moment, ...]


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """What an invariant found; `check` makes it a verdict, and INCONCLUSIVE if nothing was examined."""

    value: Value
    says: str
    """One sentence for the person who was woken."""
    examined: int
    """How many things were looked at; of what kind, `of` says: "acked jobs"."""
    of: str
    jobs: tuple[int, ...] = ()
    """The jobs that show it, worst first."""
    measured: dict[str, float] = {}


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """The judgement of one invariant on one history."""

    invariant: str
    claim: str
    value: Value
    says: str
    examined: int
    of: str
    violations: int
    witnesses: tuple[Witness, ...] = ()
    measured: dict[str, float] = {}
    usually: str = ""
    """What usually breaks the claim, and what to change; only where it did not hold, or could not be decided."""
    here: str = ""
    """The same for this job system, with the names of its options."""


def worst(values: list[Value]) -> Value:
    """The value of a whole run: a violation seen is a violation, whatever else could not be decided; no verdicts at
    all decide nothing."""
    return min(values, key=WORST.index, default="INCONCLUSIVE")


def passed(says: str, *, examined: int, of: str, **measured: float) -> Finding:
    """The claim held for everything examined."""
    return Finding(value="PASS", says=says, examined=examined, of=of, measured=measured)


def failed(says: str, *, examined: int, of: str, jobs: Any = (), **measured: float) -> Finding:
    """The claim did not hold; `jobs` are the numbers of the jobs that show it."""
    return Finding(
        value="FAIL", says=says, examined=examined, of=of, jobs=tuple(int(job) for job in jobs), measured=measured
    )


def undecided(says: str, *, examined: int = 0, of: str, jobs: Any = (), **measured: float) -> Finding:
    """The history does not allow a judgement."""
    return Finding(
        value="INCONCLUSIVE",
        says=says,
        examined=examined,
        of=of,
        jobs=tuple(int(job) for job in jobs),
        measured=measured,
    )
