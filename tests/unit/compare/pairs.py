"""Runs made by hand for comparisons, and a machine that scatters as a real one does."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from harness.compare.observed import Observed
from harness.measurements import COMPARED
from harness.result import Result
from harness.verdict import Value, Verdict

LIKE = {
    "throughput": 20.0,
    "latency.p50": 0.025,
    "latency.p95": 0.040,
    "latency.p99": 0.060,
    "recovery": 2.0,
    "drain": 0.5,
    "amplification": 1.03,
    "duplicates": 2.0,
    "memory": 64e6,
}
assert LIKE.keys() == {one.name for one in COMPARED}


def run(
    verdicts: dict[str, Value] | None = None, measured: dict[str, float] | None = None, **fields: object
) -> Observed:
    """A run with these verdicts and figures."""
    given = verdicts or {"no_lost_jobs": "PASS"}
    judged = tuple(
        Verdict(invariant=name, claim="", value=value, says=f"{name} says so.", examined=1, of="jobs", violations=0)
        for name, value in given.items()
    )
    values = {"run": "r", "scenario": "kill", "target": "memory", "seed": 1, "started": "", "seconds": 1.0}
    result = Result(**{**values, "value": "PASS", "says": "", "verdicts": judged, **fields})  # type: ignore[arg-type]
    return Observed("folder", result, measured or {})


def scattered(random: np.random.Generator, noise: float, slower: Sequence[str] = (), by: float = 1.0) -> Observed:
    """A run whose figures scatter by about `noise`, all of them with the run's own luck, and now and then one of them
    far out; those of `slower` are `by` times as large."""
    luck = random.normal(0, noise / 2)
    measured = {}
    for name, value in LIKE.items():
        factor = np.exp(luck + random.normal(0, noise) + (random.random() < 0.02) * random.exponential(0.5))
        measured[name] = float(value * factor * (by if name in slower else 1.0))
    measured["duplicates"] = float(random.poisson(LIKE["duplicates"]))
    return run(measured=measured)
