"""List what can be named: targets, faults, invariants or scenarios, a line each."""

import json
import os
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import suppress

from harness import document, target, variants
from harness.problems import Problems

EXAMPLES = """examples:
  harness list faults
  harness list scenarios --json
"""


def arguments(parser: ArgumentParser) -> None:
    """What to list, and how."""
    parser.add_argument("what", choices=("targets", "faults", "invariants", "scenarios"))
    parser.add_argument("--json", action="store_true", help="print a JSON list of objects with name and about")
    parser.add_argument("--targets", metavar="DIR", help="look for targets in this folder first")
    parser.add_argument(
        "--scenarios", metavar="DIR", default="scenarios", help="the folder of scenarios (default: scenarios)"
    )


def main(args: Namespace) -> int:
    """Print the names with their explanations."""
    rows = list(_rows(args))
    if args.json:
        print(json.dumps([{"name": name, "about": about} for name, about in rows], indent=2))
        return 0
    width = max((len(name) for name, _ in rows), default=0)
    for name, about in rows:
        print(f"{name:<{width}}  {about}")
    return 0


def _rows(args: Namespace) -> Iterator[tuple[str, str]]:
    if args.what == "targets":
        yield from _targets(args.targets)
    elif args.what == "scenarios":
        yield from ((name, _about(path)) for name, path in sorted(_scenarios(args.scenarios).items()))
    else:
        yield from ((name, variants.about(variants.variant(args.what, name))) for name in variants.names(args.what))


def _scenarios(folder: str) -> dict[str, str]:
    """Every scenario's file by name: those that ship with the package, and before them those of the folder."""
    bundled = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bundled", "scenarios")
    paths = [
        os.path.join(place, name) for place in (bundled, folder) if os.path.isdir(place) for name in os.listdir(place)
    ]
    return {os.path.basename(path).removesuffix(".yaml"): path for path in paths if path.endswith(".yaml")}


def _targets(extra: str | None) -> Iterator[tuple[str, str]]:
    from harness import toolchains

    folders = {os.path.basename(folder): folder for folder in reversed(list(target.folders(extra)))}
    for name, folder in sorted(folders.items()):
        about, lacking = _about(os.path.join(folder, target.FILE)), ""
        with suppress(Problems):
            lacking = toolchains.lacks(target.load(folder))
        yield name, f"{about} (not available here: {lacking})" if lacking else about


def _about(path: str) -> str:
    try:
        root, _ = document.read(path)
    except Problems as problems:
        return f"(unreadable: {problems.found[0].message})"
    node = target.child(root, "about")
    return node.text if isinstance(node, document.Scalar) else "(says nothing about itself)"
