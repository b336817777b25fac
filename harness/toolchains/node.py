"""Node.js: the packages of a package-lock.json; `node` in a command finds them by NODE_PATH."""

from __future__ import annotations

import os
import shutil

from harness import cache
from harness.target import Target
from harness.toolchains import Installed, digest


def lacks() -> str:
    """Node.js and its npm must be on PATH."""
    absent = [program for program in ("node", "npm") if not shutil.which(program)]
    return f"{' and '.join(absent)} not on PATH: install Node.js 20 or later" if absent else ""


def install(target: Target, file: str) -> Installed:
    """The packages that the lock file pins, next to a copy of its package.json."""
    manifest = os.path.join(os.path.dirname(file), "package.json")
    folder = cache.made(
        f"{target.name}-node-{digest(file, manifest)}",
        lambda folder: _packages(folder, file, manifest),
        says=f"installing {target.name}'s Node.js packages (once)",
    )
    return Installed(words={"node": shutil.which("node") or "node"}, env={"NODE_PATH": f"{folder}/node_modules"})


def _packages(folder: str, lock: str, manifest: str) -> None:
    shutil.copy(lock, os.path.join(folder, "package-lock.json"))
    shutil.copy(manifest, os.path.join(folder, "package.json"))
    npm = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--omit=dev", f"--cache={folder}/.npm"]
    cache.command(npm, what=f"installing {lock}", cwd=folder)
    shutil.rmtree(os.path.join(folder, ".npm"), ignore_errors=True)
