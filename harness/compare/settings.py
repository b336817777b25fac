"""In what the configurations of two runs differ: knobs, preset, and keys of the resolved scenario."""

from __future__ import annotations

import os

import msgspec

from harness.compare.observed import Observed

Pair = tuple[Observed, Observed]
APART = ("knobs", "seed")
"""Keys of a scenario that are told one by one, or are meant to be the same."""


class Setting(msgspec.Struct, frozen=True):
    """One setting that is not the same on both sides, as text; empty where a side has none."""

    name: str
    a: str
    b: str


def differing(pair: Pair) -> tuple[Setting, ...]:
    """The knobs first, then the other keys of the scenario."""
    a, b = (run.result.knobs for run in pair)
    knobs = [Setting(name, _text(a.get(name)), _text(b.get(name))) for name in {**a, **b} if a.get(name) != b.get(name)]
    return (*knobs, *(one for one in keys(pair) if one.name not in APART))


def keys(pair: Pair) -> list[Setting]:
    """The top-level keys in which the resolved scenarios differ; none where one of them was not kept."""
    a, b = (_keys(os.path.join(run.folder, "scenario.yaml")) for run in pair)
    differ = [key for key in {**a, **b} if a.get(key) != b.get(key)] if a and b else []
    return [Setting(key, a.get(key, ""), b.get(key, "")) for key in differ]


def _text(value: object) -> str:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _keys(path: str) -> dict[str, str]:
    """The text of each top-level key of a resolved scenario."""
    if not os.path.exists(path):
        return {}
    found: dict[str, str] = {}
    key = ""
    with open(path) as file:
        for line in file:
            key, _, rest = (key, "", line) if line.startswith((" ", "\n")) else line.partition(":")
            found[key] = found.get(key, "") + rest
    return {key: text.strip() for key, text in found.items()}
