"""The result of a run: its verdicts and measurements, and all that is needed to run it again."""

from __future__ import annotations

import os
from collections.abc import Sequence
from math import inf
from typing import Any

import msgspec

from harness.verdict import Value, Verdict, worst

VERSION = 1


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What `result.json` holds; `version` rises when a reader of the old shape would misread the new one."""

    run: str
    scenario: str
    target: str
    seed: int
    started: str
    """ISO 8601, with its offset."""
    seconds: float
    value: Value
    says: str
    """One sentence: why the value is what it is."""
    verdicts: tuple[Verdict, ...] = ()
    about: str = ""
    preset: str = ""
    knobs: dict[str, bool | int | float | str] = {}
    measurements: dict[str, float] = {}
    """Those of `harness.measurements`, and what each invariant measured as `drains_within.seconds`."""
    fingerprint: str = ""
    """Runs with the same one differ in nothing that is known, but for the seed."""
    versions: dict[str, str] = {}
    machine: str = ""
    command: str = ""
    notes: tuple[str, ...] = ()
    """What a reader should know before trusting the figures."""
    version: int = VERSION


class BadResult(ValueError):
    """A file that is not a result this version can read."""


def save(result: Result, path: str) -> None:
    """Write the result, whole or not at all."""
    text = msgspec.json.format(msgspec.json.encode(result), indent=2)
    with open(f"{path}.part", "wb") as file:
        file.write(text + b"\n")
    os.replace(f"{path}.part", path)


def load(path: str) -> Result:
    """Read a saved result; BadResult when the file holds none, or one of another version."""
    with open(path, "rb") as file:
        text = file.read()
    try:
        version = msgspec.json.decode(text, type=_Versioned).version
        if version != VERSION:
            raise BadResult(f"{path}: a result of version {version}; this harness reads version {VERSION}")
        return msgspec.convert(_with_infinities(msgspec.json.decode(text)), Result)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadResult(f"{path}: not a result: {error}") from error


class _Versioned(msgspec.Struct):
    version: int


def _with_infinities(raw: Any) -> Any:
    """JSON has no infinity, so a wait without end is saved as null; here it becomes infinite again."""
    verdicts = raw.get("verdicts") or ()
    holders = [(raw, "measurements"), *((verdict, "measured") for verdict in verdicts if isinstance(verdict, dict))]
    for holder, name in holders:
        if isinstance(holder.get(name), dict):
            holder[name] = {key: inf if value is None else value for key, value in holder[name].items()}
    return raw


def summarise(verdicts: Sequence[Verdict]) -> tuple[Value, str]:
    """The worst value of all, and one sentence that gives its reason."""
    value = worst([verdict.value for verdict in verdicts])
    deciding = [verdict for verdict in verdicts if verdict.value == value]
    if not deciding:
        return value, "No invariant was checked."
    if value == "PASS":
        return value, _all_held(len(deciding), len(verdicts) - len(deciding))
    first, others = max(deciding, key=_tells), len(deciding) - 1
    more = f" (and {others} more {_VERB[value]})" if others else ""
    return value, f"{first.invariant}: {first.says.rstrip('. ')}{more}."


def _tells(verdict: Verdict) -> bool:
    """What went wrong with the run itself is the reason why the other claims could not be decided."""
    from harness.check import ALWAYS

    return verdict.value == "INCONCLUSIVE" and verdict.invariant in ALWAYS


_VERB = {"FAIL": "failed", "INCONCLUSIVE": "could not be decided", "NOT APPLICABLE": "did not apply"}


def _all_held(held: int, rest: int) -> str:
    claims = "The one invariant" if held == 1 else f"All {held} invariants"
    aside = f"; {rest} did not apply" if rest else ""
    return f"{claims} held{aside}."
