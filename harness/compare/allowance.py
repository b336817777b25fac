"""How much a figure may change before anyone minds."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from harness import units
from harness.measurements import BY_NAME, COMPARED, Measurement
from harness.problems import nearest, refuse


class Allowance(msgspec.Struct, frozen=True):
    """A share of what A measured, or so much in the figure's own unit."""

    share: float = 0.0
    fixed: float = 0.0
    text: str = ""

    def of(self, value: float) -> float:
        """What is allowed where A measured this value."""
        return max(self.share * abs(value), self.fixed)


def allowances(texts: Sequence[str]) -> dict[str, Allowance]:
    """What `--allow` says: `10%` for every figure, `latency=10%` for each that begins so, `drain=500ms` for one.

    A later text goes before an earlier one. Raises `Problems`.
    """
    found: dict[str, Allowance] = {}
    for text in texts:
        name, equals, amount = text.rpartition("=")
        chosen = chosen_by(name, f"--allow {text}") if equals else list(BY_NAME.values())
        found |= {measurement.name: _read(measurement, amount, text) for measurement in chosen}
    return found


def chosen(text: str, source: str) -> list[Measurement]:
    """What `--measure` names, in the order of all; nothing: what is compared unasked. Raises `Problems`."""
    names = list(filter(None, (name.strip() for name in text.split(","))))
    some = [one for name in names for one in chosen_by(name, source)]
    return [one for one in BY_NAME.values() if one in some] if names else list(COMPARED)


def chosen_by(name: str, source: str) -> list[Measurement]:
    """The figures of this name, or of this first part of their names; raises `Problems`."""
    chosen = [one for one in BY_NAME.values() if one.name == name or one.name.startswith(f"{name}.")]
    if not chosen:
        raise refuse(source, f"nothing is measured as `{name}`", nearest(name, BY_NAME))
    return chosen


def _read(measurement: Measurement, amount: str, text: str) -> Allowance:
    unit = "share" if amount.endswith("%") else measurement.unit
    try:
        value = float(units.parse(unit, amount)) if unit else _number(amount)
    except units.Misread as error:
        hint = error.hint or "a share such as 10% is always possible"
        raise refuse(f"--allow {text}", f"expected {error.expected}, got `{amount}`", hint) from error
    return Allowance(share=value, text=amount) if unit == "share" else Allowance(fixed=value, text=amount)


def _number(text: str) -> float:
    if not text.replace(".", "", 1).isdecimal():
        raise units.Misread("a number such as 3 or 0.5")
    return float(text)
