"""Many runs: each cell is one `harness run` in a process of its own, a few side by side."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed

import msgspec

from harness.result import Result, load

PATIENCE = 1800.0


class Cell(msgspec.Struct, frozen=True):
    """One run to be made."""

    scenario: str
    target: str
    variant: str = ""
    preset: str = ""
    seed: int | None = None
    quick: bool = False
    targets: str | None = None

    @property
    def name(self) -> str:
        """As a person says it: `worker-kill broken on celery`."""
        words = [os.path.basename(self.scenario).removesuffix(".yaml"), self.variant, "on", self.target]
        return " ".join(filter(None, [*words, f"({self.preset})" if self.preset else ""]))

    def command(self, reports: str) -> list[str]:
        """The command line of the run."""
        words = [sys.executable, "-m", "harness", "run", self.scenario, "--target", self.target, "--quiet"]
        words += ["--variant", self.variant] if self.variant else []
        words += ["--preset", self.preset] if self.preset else []
        words += ["--seed", str(self.seed)] if self.seed is not None else []
        words += ["--quick"] if self.quick else []
        words += ["--targets", self.targets] if self.targets else []
        return [*words, "--reports", reports, "--json"]


class Outcome(msgspec.Struct, frozen=True):
    """What a run came to: its exit code, its result if it got that far, and else what was said."""

    cell: Cell
    code: int
    folder: str = ""
    result: Result | None = None
    says: str = ""

    @property
    def value(self) -> str:
        return self.result.value if self.result else "ERROR"

    @property
    def failing(self) -> tuple[str, ...]:
        """The invariants that failed."""
        verdicts = self.result.verdicts if self.result else ()
        return tuple(verdict.invariant for verdict in verdicts if verdict.value == "FAIL")


def run(cells: Sequence[Cell], reports: str, *, jobs: int = 1, started: Callable[[Cell], None]) -> Iterator[Outcome]:
    """Each cell's outcome as it comes; an interruption ends the runs that are under way."""
    processes: set[subprocess.Popen[str]] = set()
    lock = threading.Lock()

    def one(cell: Cell) -> Outcome:
        started(cell)
        with lock:
            process = subprocess.Popen(cell.command(reports), stdout=-1, stderr=-1, stdin=subprocess.DEVNULL, text=True)
            processes.add(process)
        out, err = process.communicate(timeout=PATIENCE)
        return _outcome(cell, process.returncode, out, err, reports)

    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(one, cell) for cell in cells]
        try:
            for future in as_completed(futures):
                yield future.result()
        finally:
            for future in futures:
                future.cancel()
            for process in processes:
                if process.poll() is None:
                    process.terminate()


def _outcome(cell: Cell, code: int, out: str, err: str, reports: str) -> Outcome:
    if not out.strip():
        return Outcome(cell, code, says=err.strip())
    folder = os.path.join(reports, msgspec.json.decode(out, type=_Printed).run)
    result = load(os.path.join(folder, "result.json"))
    return Outcome(cell, code, folder, result, result.says)


class _Printed(msgspec.Struct):
    run: str
