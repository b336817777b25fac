"""The JSON Schema (draft 2020-12) of a scenario, so that editors complete and check as people type."""

from types import NoneType
from typing import Any, Literal, get_args, get_origin

import msgspec
from msgspec.structs import FieldInfo, fields

from harness import units, variants
from harness.decode import Named, Value, key_of, keys, unwrapped
from harness.overlay import Variant
from harness.scenario import CHANGEABLE, Scenario
from harness.timing import Timing

_PLAIN: dict[Any, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    NoneType: {"type": "null"},
    Value: {"type": ["string", "number", "boolean"]},
}


def schema() -> dict[str, Any]:
    """The schema, with every fault, invariant, load shape and server that there is."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Scenario", **_struct(Scenario)}


def _struct(cls: type[msgspec.Struct], more: tuple[FieldInfo, ...] = ()) -> dict[str, Any]:
    known = [*keys(cls), *more]
    made: dict[str, Any] = {"type": "object", "additionalProperties": False}
    made["properties"] = {key_of(field.name): _field(field) for field in known}
    if required := [key_of(field.name) for field in known if field.required]:
        made["required"] = required
    return made


def _field(field: FieldInfo) -> dict[str, Any]:
    _, notes = unwrapped(field.type)
    said = next((note for note in notes if isinstance(note, str)), None)
    about = {"description": said} if said else {}
    if field.name == "servers":
        return about | _servers()
    if field.name == "variants":
        return about | {"type": "object", "additionalProperties": _variant()}
    return about | _type(field.type)


def _type(hint: Any) -> dict[str, Any]:
    kind, notes = unwrapped(hint)
    for note in notes:
        if isinstance(note, Named):
            return _named(note.kind)
        if isinstance(note, units.Unit):
            return _quantity(note.name)
    return _by_type(kind) | _bounds(notes)


def _by_type(kind: Any) -> dict[str, Any]:
    origin = get_origin(kind)
    if origin is tuple:
        return {"type": "array", "items": _type(get_args(kind)[0])}
    if origin is dict:
        return {"type": "object", "additionalProperties": _type(get_args(kind)[1])}
    if origin is Literal:
        return {"enum": list(get_args(kind))}
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return _struct(kind)
    return dict(_PLAIN.get(kind, {}))


def _quantity(unit: str) -> dict[str, Any]:
    text = {"type": "string", "pattern": units.PATTERNS[unit]}
    return {"anyOf": [text, {"type": "number", "minimum": 0, "maximum": 1}]} if unit == "share" else text


def _bounds(notes: tuple[Any, ...]) -> dict[str, Any]:
    found = [note for note in notes if isinstance(note, msgspec.Meta)]
    limits = {"minimum": next((note.ge for note in found), None), "maximum": next((note.le for note in found), None)}
    return {name: limit for name, limit in limits.items() if limit is not None}


def _named(kind: str) -> dict[str, Any]:
    items = [form for name in variants.names(kind) for form in _forms(kind, name)]
    least = {} if kind == "faults" else {"minItems": 1}
    return {"type": "array", "items": {"anyOf": items}, **least}


def _forms(kind: str, name: str) -> list[dict[str, Any]]:
    """A variant with a body, and as a bare name where nothing is required."""
    cls = variants.variant(kind, name)
    about = {"description": variants.about(cls)}
    body = _struct(cls, fields(Timing) if kind == "faults" else ())
    bodies = [body, *([_type(keys(cls)[0].type)] if keys(cls) and kind != "faults" else [])]
    one = {
        "type": "object",
        "additionalProperties": False,
        "required": [name],
        "properties": {name: {"anyOf": bodies, **about}},
    }
    return [one] if "required" in body or kind == "faults" else [{"const": name, **about}, one]


def _variant() -> dict[str, Any]:
    changeable = [field for field in keys(Scenario) if key_of(field.name) in CHANGEABLE]
    return _struct(Variant, tuple(changeable))


def _servers() -> dict[str, Any]:
    known = {name: _struct(variants.variant("servers", name)) for name in variants.names("servers")}
    return {"type": "object", "additionalProperties": False, "properties": known}
