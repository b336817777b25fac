"""Explain one fault, invariant, load shape, server or target: what it is, its fields, an example."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from inspect import getdoc
from typing import Any

import msgspec
from msgspec.structs import FieldInfo, fields

from harness import target, units, variants
from harness.decode import key_of, keys
from harness.fields import described
from harness.problems import Problems, nearest, refuse
from harness.timing import Timing

EXAMPLES = """examples:
  harness explain kill_worker
  harness explain celery
"""
KINDS = ("faults", "invariants", "load", "servers")


def arguments(parser: ArgumentParser) -> None:
    """The name."""
    parser.add_argument("name", metavar="NAME", help="any name that `harness list` shows, a load shape or a server")
    parser.add_argument("--targets", metavar="DIR", help="look for targets in this folder first")


def main(args: Namespace) -> int:
    """Print the explanation."""
    kind = next((kind for kind in KINDS if args.name in variants.names(kind)), None)
    print("\n".join(_variant(kind, args.name, args.targets) if kind else _target(args.name, args.targets)))
    return 0


def _variant(kind: str, name: str, extra: str | None) -> Iterator[str]:
    cls = variants.variant(kind, name)
    yield f"{name} ({variants.SINGULAR[kind]})\n\n{getdoc(cls)}"
    if known := keys(cls):
        yield "\nfields:"
        yield from _table([_row(field) for field in known])
    if kind == "faults":
        yield "\ntiming:"
        yield from _table([_row(field) for field in fields(Timing)])
    yield from _hints(name, extra) if kind == "invariants" else ()
    yield f"\nexample:\n\n{_example(kind, name, cls)}"


def _hints(name: str, extra: str | None) -> Iterator[str]:
    """What usually breaks it in each system that has a word on it."""
    told: list[tuple[str, ...]] = [(found.name, found.hints[name]) for found in _targets(extra) if name in found.hints]
    if told:
        yield "\nwhat usually breaks it, by target:"
        yield from _table(told)


def _targets(extra: str | None) -> Iterator[target.Target]:
    seen = {folder.rpartition("/")[2]: folder for folder in reversed(list(target.folders(extra)))}
    for folder in (seen[name] for name in sorted(seen)):
        try:
            yield target.load(folder)
        except Problems:
            continue  # `harness validate` tells what is wrong with it


def _target(name: str, extra: str | None) -> Iterator[str]:
    known = [name for kind in KINDS for name in variants.names(kind)]
    folders = {folder.rpartition("/")[2] for folder in target.folders(extra)}
    if "/" not in name and name not in folders:
        raise refuse(f"explain {name}", "nothing has this name", nearest(name, {*known, *folders}))
    found = target.load(target.find(name, extra))
    yield f"{found.name} (target)\n\n{found.about}\n"
    yield f"needs:     {', '.join(found.needs) or 'nothing'}\nabilities: {', '.join(found.abilities) or 'none'}"
    yield f"reports:   {', '.join((*found.reports, 'effects'))}\n\nknobs:"
    yield from _table([(knob_name, _default(knob), _knob_about(knob)) for knob_name, knob in found.knobs.items()])
    yield "\npresets:" if found.presets else "\nno presets"
    yield from _table([(preset_name, preset.about) for preset_name, preset in found.presets.items()])


def _knob_about(knob: target.Knob) -> str:
    choices = f" (one of {', '.join(map(target.text_of, knob.choices))})" if knob.choices else ""
    return f"{knob.about}{choices}" + (f" [{knob.sets}]" if knob.sets else "")


def _default(knob: target.Knob) -> str:
    return units.write(knob.unit, float(knob.default)) if knob.unit else target.text_of(knob.default)


def _row(field: FieldInfo) -> tuple[str, str, str, str]:
    shown = described(field)
    return key_of(field.name), shown.type, shown.default, shown.about


def _table(rows: list[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True))
        yield ("  " + "  ".join(cells)).rstrip()


def _example(kind: str, name: str, cls: type[msgspec.Struct]) -> str:
    members = [f"{key_of(field.name)}: {described(field).example}" for field in keys(cls) if field.required]
    if kind == "servers":
        first = next(iter(keys(cls)), None)
        return f"  servers:\n    {name}: {{{f'{first.name}: {described(first).default}' if first else ''}}}"
    if kind == "faults":
        members += ["at: 2s", *(["for: 3s"] if _lasts(cls) else [])]
    return f"  {kind}:\n    - {name}" + (f": {{{', '.join(members)}}}" if members else "")


def _lasts(cls: Any) -> bool:
    return bool(getattr(cls, "lasts", False))
