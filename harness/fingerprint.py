"""What decides a run beside its seed, in one short word: the resolved scenario, and the target's own files."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator

from msgspec.structs import replace

from harness.scenario import Scenario
from harness.target import FILE, Target
from harness.written import to_yaml

SOURCES = (".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".go", ".lua", ".sql", ".sh")
"""What a target's programs are written in; of its other files only target.yaml and its pins count, since a program
may leave some of its own."""
PASSED_OVER = {"node_modules", "__pycache__"}


def of(scenario: Scenario, target: Target) -> str:
    """Alike for runs of the same situation on the same programs, whatever their seeds are."""
    content = hashlib.sha256(to_yaml(replace(scenario, seed=0, about=""), target).encode())
    for path in sorted(_files(target)):
        content.update(os.path.relpath(path, target.folder).encode(errors="surrogateescape"))
        with open(path, "rb") as file:
            content.update(file.read())
    return content.hexdigest()[:16]


def _files(target: Target) -> Iterator[str]:
    own = {FILE, *map(os.path.basename, target.setup.values())}
    for folder, inner, names in os.walk(target.folder):
        inner[:] = [name for name in inner if name not in PASSED_OVER and name[0] != "."]
        paths = (os.path.join(folder, name) for name in names if name.endswith(SOURCES) or name in own)
        yield from filter(os.path.isfile, paths)
