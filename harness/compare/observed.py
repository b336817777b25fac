"""A run as a comparison sees it: its verdicts, and its figures measured anew from its history."""

from __future__ import annotations

import os
from collections.abc import Sequence

import msgspec

from harness.check import ALWAYS
from harness.problems import refuse
from harness.result import BadResult, Result, load


class Observed(msgspec.Struct, frozen=True):
    """One run."""

    folder: str
    result: Result
    measured: dict[str, float] = {}

    @property
    def sound(self) -> bool:
        """Whether the run itself was as it should be, so that its figures say something."""
        verdicts = [verdict for verdict in self.result.verdicts if verdict.invariant in ALWAYS]
        return all(verdict.value in ("PASS", "NOT APPLICABLE") for verdict in verdicts)


def observe(folder: str, result: Result | None = None) -> Observed:
    """The run in this folder; raises `Problems`."""
    from harness.history.history import read
    from harness.measurements import measure

    try:
        found = result or load(os.path.join(folder, "result.json"))
    except (OSError, BadResult) as error:
        raise refuse(folder, f"no run that was judged: {error}", "`harness check` judges a recorded run") from error
    return Observed(folder, found, measure(read(folder)))


def recorded(path: str) -> list[Observed]:
    """The run in this folder, or all that stand in it, by seed and then by time; raises `Problems`."""
    if not os.path.isdir(path):
        raise refuse(path, "no such folder", "name a run's folder, such as reports/latest, or a folder of runs")
    if os.path.exists(os.path.join(path, "result.json")):
        return [observe(path)]
    inner = [entry.path for entry in os.scandir(path) if entry.is_dir(follow_symlinks=False)]
    runs = [observe(folder) for folder in inner if os.path.exists(os.path.join(folder, "result.json"))]
    if not runs:
        raise refuse(path, "there is no judged run in it", "name a run's folder, or a folder of runs")
    if len(kinds := {f"{run.result.scenario} on {run.result.target}" for run in runs}) > 1:
        raise refuse(
            path, f"runs of more than one kind: {', '.join(sorted(kinds))}", "name a folder of one kind of run"
        )
    return sorted(runs, key=lambda run: (run.result.seed, run.result.started, run.result.run))


def named(path: str, run: Observed, other: Observed) -> str:
    """What was asked for, and the knobs in which this run is unlike the other."""
    knobs, others = run.result.knobs, other.result.knobs
    own = [f"{name}={value}" for name, value in knobs.items() if others.get(name) != value]
    return f"{path} ({', '.join(own)})" if own else path


def paired(a: Sequence[Observed], b: Sequence[Observed]) -> list[tuple[Observed, Observed]]:
    """Runs with the same seed beside each other, as far as there are any; else in their order."""
    left = list(b)
    pairs = []
    for one in a:
        other = next((run for run in left if run.result.seed == one.result.seed), None)
        if other is not None:
            left.remove(other)
            pairs.append((one, other))
    return pairs or list(zip(a, b, strict=False))
