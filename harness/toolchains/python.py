"""Python: a virtualenv with the pins of a requirements file; `python` in a command is that virtualenv's."""

from __future__ import annotations

import os
import sys

from harness import cache
from harness.target import Target
from harness.toolchains import Installed, digest


def lacks() -> str:
    """Nothing: the harness itself runs on Python."""
    return ""


def install(target: Target, file: str) -> Installed:
    """The virtualenv of these pins."""
    folder = cache.made(
        f"{target.name}-python-{digest(sys.version, file)}",
        lambda folder: _virtualenv(folder, file),
        says=f"installing {target.name}'s Python packages (once)",
    )
    return Installed(words={"python": os.path.join(folder, "bin", "python")})


def _virtualenv(folder: str, pins: str) -> None:
    cache.command([sys.executable, "-m", "venv", folder], what="making a virtualenv")
    pip = [os.path.join(folder, "bin", "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    cache.command([*pip, "--requirement", pins], what=f"installing {pins}")
