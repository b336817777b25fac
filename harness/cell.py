"""A cell: one `harness run` to be made in a process of its own, and what that came to."""

from __future__ import annotations

import os
import shlex
import sys

import msgspec

from harness.result import BadResult, Result, load

VERDICTS = (0, 1, 3)
"""The exit codes of a run that was judged and left nothing behind."""
USAGE, BROKEN, LEFT = 2, 4, 5


class Cell(msgspec.Struct, frozen=True):
    """One run to be made."""

    scenario: str
    target: str
    variant: str = ""
    preset: str = ""
    seed: int | None = None
    quick: bool = False
    targets: str | None = None
    knobs: tuple[tuple[str, str], ...] = ()
    overlay: str = ""
    """A file laid over the scenario."""

    @property
    def situation(self) -> str:
        """The scenario's name."""
        return os.path.basename(self.scenario).removesuffix(".yaml")

    @property
    def name(self) -> str:
        """As a person says it: `worker-kill broken on celery`."""
        words = [self.situation, self.variant, "on", self.target]
        return " ".join(filter(None, [*words, f"({self.preset})" if self.preset else ""]))

    @property
    def words(self) -> list[str]:
        """The run as a person would ask for it, after `harness`."""
        words = ["run", self.scenario, "--target", self.target]
        words += ["--variant", self.variant] if self.variant else []
        words += ["--preset", self.preset] if self.preset else []
        words += [word for name, value in self.knobs for word in ("--set", f"{name}={value}")]
        words += ["--overlay", self.overlay] if self.overlay else []
        words += ["--seed", str(self.seed)] if self.seed is not None else []
        words += ["--quick"] if self.quick else []
        return words + (["--targets", self.targets] if self.targets else [])

    @property
    def again(self) -> str:
        """The command line that makes this run alone."""
        return shlex.join(["harness", *self.words])

    def command(self, reports: str) -> list[str]:
        """The command line of the run's process."""
        return [sys.executable, "-m", "harness", *self.words, "--quiet", "--reports", reports, "--json"]


class Outcome(msgspec.Struct, frozen=True):
    """What a run came to: its exit code, its result if it got that far, and else what was said."""

    cell: Cell
    code: int
    folder: str = ""
    result: Result | None = None
    says: str = ""
    seconds: float = 0.0
    """By the clock, from its process's beginning to its end."""
    reruns: int = 0
    """How often it had been tried before, to no verdict."""
    beside: int = 0
    """The most other runs that went on at the same time."""

    @property
    def value(self) -> str:
        return self.result.value if self.result else "ERROR"

    @property
    def judged(self) -> bool:
        """Whether it ended with a verdict, and nothing went wrong with the run itself."""
        return self.result is not None and self.code in VERDICTS

    @property
    def failing(self) -> tuple[str, ...]:
        """The invariants that failed."""
        verdicts = self.result.verdicts if self.result else ()
        return tuple(verdict.invariant for verdict in verdicts if verdict.value == "FAIL")


def came_to(cell: Cell, code: int, out: str, err: str, reports: str) -> Outcome:
    """What a process that has ended came to; a code that `harness run` does not give is an error of the harness, 4."""
    said = err.strip().removeprefix("harness: ")
    if code not in (*VERDICTS, USAGE, BROKEN, LEFT):
        return Outcome(cell, BROKEN, says=f"the run ended with code {code}, without a verdict\n{said}".strip())
    if not out.strip():
        return Outcome(cell, BROKEN if code in VERDICTS else code, says=said)
    try:
        folder = os.path.join(reports, msgspec.json.decode(out, type=_Printed).run)
        result = load(os.path.join(folder, "result.json"))
    except (msgspec.DecodeError, BadResult, OSError) as error:
        return Outcome(cell, BROKEN, says=f"its result cannot be read: {error}\n{said}".strip())
    return Outcome(cell, code, folder, result, result.says if code in VERDICTS else said)


class _Printed(msgspec.Struct):
    run: str
