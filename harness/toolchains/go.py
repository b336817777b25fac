"""Go: the commands of a module, built once; `built/worker` in a command is the program of its package `./worker`."""

from __future__ import annotations

import glob
import os
import re

from harness import binaries, cache
from harness.target import Target
from harness.toolchains import Installed, digest

REPLACED = re.compile(r"=>\s*(\.{1,2}/\S+)\s*(?://.*)?$", re.MULTILINE)


def lacks() -> str:
    """Nothing: a toolchain that is not on PATH is fetched."""
    return ""


def install(target: Target, file: str) -> Installed:
    """Every main package below the go.mod file, by its folder's name; its sources and those of our kit that it names,
    and go.sum, decide what is built."""
    module = os.path.dirname(file)
    folder = cache.made(
        f"{target.name}-go-{digest(*_sources(file))}",
        lambda folder: _build(folder, module),
        says=f"building {target.name}'s Go programs (once)",
    )
    built = [name for name in os.listdir(folder) if os.access(os.path.join(folder, name), os.X_OK)]
    return Installed(words={f"built/{name}": os.path.join(folder, name) for name in built})


def _sources(file: str) -> list[str]:
    """Every file that decides what a go.mod builds: also those of the modules that it replaces by a folder."""
    with open(file) as text:
        replaced = REPLACED.findall(text.read())
    module = os.path.dirname(file)
    modules = [module, *(os.path.normpath(os.path.join(module, path)) for path in replaced)]
    return [name for folder in modules for name in (*_pins(folder), *_programs(folder))]


def _pins(module: str) -> list[str]:
    return [os.path.join(module, name) for name in ("go.mod", "go.sum")]


def _programs(module: str) -> list[str]:
    files = sorted(glob.glob(os.path.join(module, "**", "*.go"), recursive=True))
    return [file for file in files if not file.endswith("_test.go")]


def _build(folder: str, module: str) -> None:
    cache.command(
        [binaries.go(), "build", "-trimpath", "-o", folder + os.sep, "./..."],
        what=f"building {module}",
        cwd=module,
        # What is built must not depend on the repository around it, which may not be one or may be another user's.
        GOFLAGS="-mod=readonly -buildvcs=false",
    )
