"""How many mutants of the invariants the tests kill: `python -m tests.mutation [FILE...]`.

A mutant is made in memory and put in the place of its module in a process of its own, which runs the tests of the
invariants until the first one fails; no file is changed. A mutant that all tests pass survives, and is shown.
"""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from pathlib import Path
from types import CodeType, ModuleType

import hypothesis
import numpy
import pytest

import harness.check
from tests.mutants import Mutant, mutants

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "harness" / "invariants").glob("*.py"))
UNIT = "tests/unit/invariants"
QUALITY = ("tests/quality/test_planted.py", "tests/quality/test_cut_short.py", "tests/quality/test_spread.py")
OPTIONS = ("-x", "-q", "--assert=plain", "--timeout=20", "-pno:cacheprovider", "-pno:xdist", "-pno:randomly")
SECONDS = 60
"""Of CPU, after which a mutant that does not end has been noticed."""
PRELOADED: tuple[ModuleType, ...] = (hypothesis, numpy, harness.check)
"""What every mutant would have to import; no invariant is among it."""


class Planted(MetaPathFinder, Loader):
    """Gives one module the code of a mutant."""

    def __init__(self, name: str, code: CodeType) -> None:
        self.name, self.code = name, code

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return spec_from_loader(fullname, self) if fullname == self.name else None

    def exec_module(self, module: ModuleType) -> None:
        exec(self.code, module.__dict__)


def killed(path: Path, mutant: Mutant) -> bool:
    """Whether some test fails with this mutant."""
    return any(_fails(path, mutant, tests) for tests in (_naming(path), [UNIT], *([test] for test in QUALITY)))


def _naming(path: Path) -> list[str]:
    """The tests that name the module, which notice most of its mutants, and soonest."""
    return [str(test) for test in sorted((ROOT / UNIT).glob("test_*.py")) if path.stem in test.read_text()]


def _fails(path: Path, mutant: Mutant, tests: list[str]) -> bool:
    child = os.fork() if tests else -1
    if child == 0:
        _die_as(mutant, ".".join(path.relative_to(ROOT).with_suffix("").parts), tests)
    return bool(tests) and os.waitpid(child, 0)[1] != 0


def _die_as(mutant: Mutant, module: str, tests: list[str]) -> None:
    """Run the tests with the mutant, and end this process with what they say."""
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    sys.meta_path.insert(0, Planted(module, mutant.code))
    code = 1
    try:
        code = int(pytest.main([*OPTIONS, *tests]))
    finally:
        os._exit(code)


def survivors(path: Path) -> tuple[int, list[Mutant]]:
    """How many mutants the file has, and those that no test notices."""
    made = list(mutants(path.read_text(), str(path)))
    return len(made), [mutant for mutant in made if not killed(path, mutant)]


def main(paths: list[Path]) -> None:
    """Print each survivor as it is found, and the score."""
    every = left = 0
    for path in paths:
        count, alive = survivors(path)
        every, left = every + count, left + len(alive)
        print(f"{path.relative_to(ROOT)}: {count - len(alive)} of {count} killed", flush=True)
        for mutant in alive:
            print(f"    {mutant}", flush=True)
    print(f"score: {every - left} of {every} mutants killed, {left} survived")


if __name__ == "__main__":
    os.chdir(ROOT)
    main([Path(name).resolve() for name in sys.argv[1:]] or SOURCES)
