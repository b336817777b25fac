"""A field of a value as documentation shows it: its type, default, meaning and an example."""

from typing import Any, Literal, get_args, get_origin

import msgspec
from msgspec.structs import FieldInfo

from harness import units
from harness.decode import unwrapped

_PLAIN = {str: ("text", "name"), int: ("whole number", "1"), float: ("number", "1"), bool: ("true or false", "true")}


class Described(msgspec.Struct, frozen=True):
    """What to show of a field."""

    type: str
    default: str
    about: str
    example: str


def described(field: FieldInfo) -> Described:
    """The field in words."""
    hint, notes = unwrapped(field.type)
    unit = next((note.name for note in notes if isinstance(note, units.Unit)), None)
    about = next((note for note in notes if isinstance(note, str)), "")
    kind, example = (unit, units.EXAMPLES[unit]) if unit else _kind(hint)
    return Described(kind, _default(field, unit), about, example)


def _kind(hint: Any) -> tuple[str, str]:
    if get_origin(hint) is Literal:
        return " | ".join(map(str, get_args(hint))), str(get_args(hint)[0])
    if get_origin(hint) is tuple:
        kind, example = _kind(unwrapped(get_args(hint)[0])[0])
        return f"list of {kind}", f"[{example}]"
    return _PLAIN.get(hint, ("value", "1"))


def _default(field: FieldInfo, unit: str | None) -> str:
    if field.required:
        return "required"
    value = field.default if field.default is not msgspec.NODEFAULT else field.default_factory()
    if value is None or value in ("", ()):
        return "-"
    if unit:
        return units.write(unit, value)
    return str(value).lower() if isinstance(value, bool) else str(value)
