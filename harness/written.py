"""A resolved scenario as YAML text that reads back as the same value."""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import msgspec
from msgspec.structs import fields

from harness import units
from harness.decode import Derived, Named, key_of, unwrapped
from harness.scenario import Scenario
from harness.target import Target
from harness.timing import Scheduled
from harness.variants import name_of

_SAFE = r"[A-Za-z_./][A-Za-z0-9_./-]*( [A-Za-z0-9_./-]+)*"
_WORDS = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}


def to_yaml(scenario: Scenario, target: Target) -> str:
    """The text; `target` says the units of the scenario's knobs."""
    return "".join(_entries(scenario, target))


def _entries(scenario: Scenario, target: Target) -> Iterator[str]:
    for field in fields(scenario):
        value = getattr(scenario, field.name)
        notes = unwrapped(field.type)[1]
        if Derived() in notes or value in ((), {}, "") or field.name == "variants":  # it is one of them by now
            continue
        if any(isinstance(note, Named) for note in notes):
            yield f"{field.name}:\n" + "".join(f"  - {_variant(item)}\n" for item in value)
        elif field.name == "knobs":
            yield "knobs:\n" + "".join(f"  {name}: {_knob(target, name, value)}\n" for name, value in value.items())
        else:
            yield f"{field.name}: {_text(value, field.type)}\n"


def _variant(value: Any) -> str:
    parts = (value.fault, value.timing) if isinstance(value, Scheduled) else (value,)
    members = [member for part in parts for member in _members(part)]
    name = name_of(parts[0])
    return f"{name}: {{{', '.join(members)}}}" if members else name


def _members(value: Any) -> Iterator[str]:
    for field in fields(value):
        member = getattr(value, field.name)
        if not (member is None or (member in ("", ()) and member == field.default)):
            yield f"{key_of(field.name)}: {_text(member, field.type)}"


def _knob(target: Target, name: str, value: Any) -> str:
    unit = target.knobs[name].unit
    return units.write(unit, value) if unit else _text(value, type(value))


def _text(value: Any, hint: Any) -> str:
    unit = next((note.name for note in unwrapped(hint)[1] if isinstance(note, units.Unit)), None)
    if unit:
        return units.write(unit, value)
    if isinstance(value, msgspec.Struct):
        return f"{{{', '.join(_members(value))}}}"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_scalar(name)}: {_text(member, type(member))}' for name, member in value.items())}}}"
    if isinstance(value, tuple):
        item = next(iter(getattr(unwrapped(hint)[0], "__args__", ())), None)
        return f"[{', '.join(_text(member, item) for member in value)}]"
    return _scalar(value)


def _scalar(value: bool | float | str) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return format(Decimal(repr(value)), "f")
    if isinstance(value, int) or (re.fullmatch(_SAFE, value) and value.lower() not in _WORDS):
        return str(value)
    return '"' + "".join(map(_character, value)) + '"'


def _character(one: str) -> str:
    if one in '"\\':
        return f"\\{one}"
    return one if one.isprintable() else f"\\U{ord(one):08x}"
