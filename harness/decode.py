"""Nodes made into values of annotated types: whatever does not fit becomes a finding, and reading goes on."""

import re
from collections.abc import Iterable
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec
from msgspec import structs
from msgspec.structs import FieldInfo

from harness import units, variants
from harness.document import Mapping, Node, Scalar, Sequence, kind, shortened
from harness.problems import Findings, nearest

Value = bool | int | float | str

UNFIT: Any = object()
"""What decoding gives where a problem was found."""


class Named(msgspec.Struct, frozen=True):
    """Marks a field whose items are named variants of a kind: `no_lost_jobs`, or `kill_worker: {signal: KILL}`."""

    kind: str


class Derived(msgspec.Struct, frozen=True):
    """Marks a field that is no key of the file: whoever reads the file fills it in."""


@cache
def fields(cls: type[msgspec.Struct]) -> tuple[FieldInfo, ...]:
    """The fields of `cls`; msgspec evaluates the annotations anew each time it is asked."""
    return structs.fields(cls)


def keys(cls: type[msgspec.Struct]) -> list[FieldInfo]:
    """The fields of `cls` that a file may set."""
    return [field for field in fields(cls) if Derived() not in unwrapped(field.type)[1]]


def key_of(name: str) -> str:
    """The key that YAML has for a field: `for_` is written `for`."""
    return name.removesuffix("_")


def decode(node: Node, hint: Any, findings: Findings) -> Any:
    """The value of type `hint` that the node says, or UNFIT once the reason is among the findings."""
    kind_of, notes = unwrapped(hint)
    if mark := next((note for note in notes if isinstance(note, Named)), None):
        return _all(tuple(value for _, value in named_items(node, mark.kind, findings)))
    if unit := next((note for note in notes if isinstance(note, units.Unit)), None):
        return _quantity(node, unit.name, findings)
    value = _by_type(node, kind_of, findings)
    return _bounded(value, [note for note in notes if isinstance(note, msgspec.Meta)], node, findings)


def unwrapped(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    """The type without its annotations and without `| None`, and the annotations."""
    notes: tuple[Any, ...] = ()
    while True:
        if get_origin(hint) is Annotated:
            hint, *more = get_args(hint)
            notes += tuple(more)
        elif get_origin(hint) in (Union, UnionType) and len(rest := _not_none(hint)) == 1:
            hint = rest[0]
        else:
            return hint, notes


def struct(node: Node, cls: type[msgspec.Struct], findings: Findings, what: str = "") -> Any:
    """An instance of `cls` from a mapping: unknown, missing and unfit keys are found, all of them."""
    if not isinstance(node, Mapping):
        findings.add(node, f"expected {what or 'a mapping'} with keys, got {kind(node)}", _keys_hint(cls))
        return UNFIT
    return build(cls, members(node, keys(cls), findings, what), node, findings, what)


def members(node: Mapping, known: Iterable[FieldInfo], findings: Findings, what: str = "") -> dict[str, Any]:
    """Field name -> decoded value (or UNFIT) for each key of the mapping; unknown keys are found."""
    by_key = {key_of(field.name): field for field in known}
    values: dict[str, Any] = {}
    for key, child in node.entries:
        if field := by_key.get(key.text):
            values[field.name] = decode(child, field.type, findings)
        else:
            unknown(key, "key", by_key, findings, what)
    return values


def build(cls: type[msgspec.Struct], values: dict[str, Any], node: Node, findings: Findings, what: str = "") -> Any:
    """The instance, or UNFIT when a field is unfit or a required one is missing."""
    missing = [key_of(field.name) for field in fields(cls) if field.required and field.name not in values]
    for key in missing:
        findings.add(node, f"{what + ': ' if what else ''}the key `{key}` is missing", _example(cls, key))
    if missing or UNFIT in values.values():
        return UNFIT
    return cls(**values)


def unknown(key: Scalar, noun: str, known: Iterable[str], findings: Findings, what: str = "") -> None:
    """Find that a name is not among the known ones, and say which is nearest."""
    of = f" of {what}" if what else ""
    findings.add(key, f"unknown {noun} `{shortened(key.text)}`{of}", nearest(key.text, known))


def named_items(node: Node, kind_name: str, findings: Findings) -> list[tuple[Node, Any]]:
    """Each item of a list of named variants: its node and its value, which may be UNFIT."""
    return [(item, _named_item(item, kind_name, findings)) for item in items(node, findings)]


def items(node: Node, findings: Findings) -> list[Node]:
    """The items of a list; what is no list is found, and has none."""
    if isinstance(node, Sequence):
        return node.items
    findings.add(node, f"expected a list, got {kind(node)}", _list_hint(node))
    return []


def named(node: Node, kind_name: str, findings: Findings) -> tuple[Scalar, Node | None] | None:
    """The name and the body of one named variant, once the name is known to exist."""
    noun = variants.SINGULAR[kind_name]
    if isinstance(node, Scalar):
        name, body = node, None
    elif isinstance(node, Mapping) and len(node.entries) == 1:
        name, body = node.entries[0]
    else:
        findings.add(
            node, f"expected one {noun}, got {_count(node)}", f"write `- name` or `- name: {{...}}` for each {noun}"
        )
        return None
    if name.text not in variants.names(kind_name):
        unknown(name, noun, variants.names(kind_name), findings)
        return None
    return name, body


def body_of(name: Scalar, body: Node | None, cls: type[msgspec.Struct]) -> Mapping:
    """The body as a mapping: nothing has no keys, and a bare value stands for the first field."""
    if isinstance(body, Mapping):
        return body
    place = body or name
    if body is None or (isinstance(body, Scalar) and not body.text and not body.quoted) or not fields(cls):
        return Mapping([], name.line, name.column)
    first = Scalar(key_of(fields(cls)[0].name), False, place.line, place.column)
    return Mapping([(first, body)], name.line, name.column)


def guess(node: Node, findings: Findings) -> Any:
    """A scalar of no declared type: true, false, a number, else a string."""
    if not isinstance(node, Scalar):
        findings.add(node, f"expected a single value, got {kind(node)}")
        return UNFIT
    if node.quoted or not re.fullmatch(r"true|false|[+-]?[0-9]{1,18}(\.[0-9]{1,18})?", node.text):
        return node.text
    if node.text in ("true", "false"):
        return node.text == "true"
    return float(node.text) if "." in node.text else int(node.text)


def _by_type(node: Node, hint: Any, findings: Findings) -> Any:
    origin = get_origin(hint)
    if origin is tuple:
        return _items(node, get_args(hint)[0], findings)
    if origin is dict:
        return _table(node, get_args(hint)[1], findings)
    if origin is Literal:
        return _choice(node, get_args(hint), findings)
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return struct(node, hint, findings)
    if hint in _READERS:
        return _scalar(node, hint, findings)
    return guess(node, findings)


def _items(node: Node, hint: Any, findings: Findings) -> Any:
    if not isinstance(node, Sequence):
        findings.add(node, f"expected a list, got {kind(node)}", _list_hint(node))
        return UNFIT
    return _all(tuple(decode(item, hint, findings) for item in node.items))


def _table(node: Node, hint: Any, findings: Findings) -> Any:
    if not isinstance(node, Mapping):
        findings.add(node, f"expected a mapping of names, got {kind(node)}", "write `name: value` lines")
        return UNFIT
    values = {key.text: decode(child, hint, findings) for key, child in node.entries}
    return UNFIT if UNFIT in values.values() else values


def _named_item(node: Node, kind_name: str, findings: Findings) -> Any:
    if not (found := named(node, kind_name, findings)):
        return UNFIT
    name, body = found
    cls = variants.variant(kind_name, name.text)
    return struct(body_of(name, body, cls), cls, findings, name.text)


def _choice(node: Node, choices: tuple[Any, ...], findings: Findings) -> Any:
    if isinstance(node, Scalar) and node.text in choices:
        return node.text
    near = nearest(node.text, choices) if isinstance(node, Scalar) and node.text else ""
    hint = "" if near.startswith("known") else near
    findings.add(node, f"expected one of {', '.join(map(str, choices))}, got {kind(node)}", hint)
    return UNFIT


def _quantity(node: Node, unit: str, findings: Findings) -> Any:
    if not isinstance(node, Scalar):
        findings.add(node, f"expected {units.EXPECTED[unit]}, got {kind(node)}")
        return UNFIT
    try:
        return units.parse(unit, node.text)
    except units.Misread as error:
        findings.add(node, f"expected {error.expected}, got {kind(node)}", error.hint)
        return UNFIT


def _scalar(node: Node, hint: type, findings: Findings) -> Any:
    pattern, expected, read = _READERS[hint]
    if isinstance(node, Scalar) and re.fullmatch(pattern, node.text, re.DOTALL) and _meant(node, hint):
        return read(node.text)
    findings.add(
        node, f"expected {expected}, got {kind(node)}", "remove the quotes" if _quoted_only(node, pattern) else ""
    )
    return UNFIT


def _meant(node: Scalar, hint: type) -> bool:
    """Only a string may be quoted, and only a quoted one may be empty."""
    return (bool(node.text) or node.quoted) if hint is str else not node.quoted


def _bounded(value: Any, bounds: list[msgspec.Meta], node: Node, findings: Findings) -> Any:
    for bound in bounds if value is not UNFIT else ():
        low, high = bound.ge, bound.le
        if (low is not None and value < low) or (high is not None and value > high):
            limits = f"at least {low}" if high is None else f"from {low} to {high}"
            findings.add(node, f"expected a number {limits}, got {kind(node)}")
            return UNFIT
    return value


def _quoted_only(node: Node, pattern: str) -> bool:
    return isinstance(node, Scalar) and node.quoted and re.fullmatch(pattern, node.text) is not None


_READERS: dict[type, tuple[str, str, Any]] = {
    str: (r".*", "text", str),
    bool: (r"true|false", "true or false", lambda text: text == "true"),
    int: (r"[+-]?[0-9]{1,18}", "a whole number", int),
    float: (r"[+-]?[0-9]{1,18}(\.[0-9]{1,18})?", "a number", float),
}


def _all(values: tuple[Any, ...]) -> Any:
    return UNFIT if any(value is UNFIT for value in values) else values


def _not_none(hint: Any) -> list[Any]:
    return [arg for arg in get_args(hint) if arg is not NoneType]


def _count(node: Node) -> str:
    if isinstance(node, Mapping):
        return f"{len(node.entries)} keys in one item" if node.entries else "an empty mapping"
    return kind(node)


def _list_hint(node: Node) -> str:
    return (
        f"write `- {shortened(node.text, 30)}`"
        if isinstance(node, Scalar) and node.text
        else "begin each item with `- `"
    )


def _keys_hint(cls: type[msgspec.Struct]) -> str:
    return f"its keys are {', '.join(key_of(field.name) for field in keys(cls))}"


def _example(cls: type[msgspec.Struct], key: str) -> str:
    hint = next(field.type for field in fields(cls) if key_of(field.name) == key)
    unit = next((note.name for note in unwrapped(hint)[1] if isinstance(note, units.Unit)), None)
    return f"for example `{key}: {units.EXAMPLES[unit]}`" if unit else f"add `{key}:`"
