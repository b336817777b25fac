"""A target's own dependencies, installed once into the cache by the hash of its pins."""

from __future__ import annotations

import hashlib
import os
import sys

from harness import cache
from harness.target import Target


def python(target: Target) -> str:
    """The Python that runs the target's programs: a virtualenv with its pins, or ours when it has none."""
    if not target.setup.python:
        return sys.executable
    pins = os.path.join(target.folder, target.setup.python)
    with open(pins, "rb") as file:
        digest = hashlib.sha256(file.read() + sys.version.encode()).hexdigest()[:16]
    folder = cache.made(
        f"{target.name}-python-{digest}",
        lambda folder: _virtualenv(folder, pins),
        says=f"installing {target.name}'s Python packages (once)",
    )
    return os.path.join(folder, "bin", "python")


def _virtualenv(folder: str, pins: str) -> None:
    cache.command([sys.executable, "-m", "venv", folder], what="making a virtualenv")
    cache.command(
        [os.path.join(folder, "bin", "python"), "-m", "pip", "install", "--quiet", "--requirement", pins],
        what=f"installing {pins}",
    )
