"""Go: the commands of a module, built once; `built/worker` in a command is the program of its package `./worker`."""

from __future__ import annotations

import glob
import os
import shutil

from harness import binaries, cache
from harness.target import Target
from harness.toolchains import Installed, digest


def lacks() -> str:
    """Nothing: a toolchain that is not on PATH is fetched."""
    return ""


def install(target: Target, file: str) -> Installed:
    """Every main package below the go.mod file, by its folder's name; sources and go.sum decide what is built."""
    module = os.path.dirname(file)
    sources = sorted(glob.glob(os.path.join(module, "**", "*.go"), recursive=True))
    folder = cache.made(
        f"{target.name}-go-{digest(file, os.path.join(module, 'go.sum'), *sources)}",
        lambda folder: _build(folder, module),
        says=f"building {target.name}'s Go programs (once)",
    )
    built = [name for name in os.listdir(folder) if os.access(os.path.join(folder, name), os.X_OK)]
    return Installed(words={f"built/{name}": os.path.join(folder, name) for name in built})


def _build(folder: str, module: str) -> None:
    go = shutil.which("go") or binaries.go()
    cache.command(
        [go, "build", "-trimpath", "-o", folder + os.sep, "./..."],
        what=f"building {module}",
        cwd=module,
        GOFLAGS="-mod=readonly",
    )
