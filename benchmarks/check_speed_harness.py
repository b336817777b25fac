"""The harness's own check, as a rival in `check_speed`."""

from __future__ import annotations

from typing import Any

from harness.check import check as verdicts
from harness.history.history import read
from harness.invariants.attempts_are_bounded import AttemptsAreBounded
from harness.invariants.consumption_resumes import ConsumptionResumes
from harness.invariants.drains_within import DrainsWithin
from harness.invariants.every_completion_has_its_effect import EveryCompletionHasItsEffect
from harness.invariants.latency_stays_under import LatencyStaysUnder
from harness.invariants.no_duplicate_effects import NoDuplicateEffects
from harness.invariants.no_lost_jobs import NoLostJobs
from harness.invariants.no_overlapping_runs import NoOverlappingRuns
from harness.invariants.no_stuck_jobs import NoStuckJobs
from harness.invariants.recovers_within import RecoversWithin
from harness.invariants.retries_are_spread import RetriesAreSpread
from harness.invariants.retries_back_off import RetriesBackOff
from harness.invariants.throughput_stays_over import ThroughputStaysOver

INVARIANTS: tuple[Any, ...] = (
    NoLostJobs(),
    NoDuplicateEffects(),
    NoOverlappingRuns(),
    NoStuckJobs(),
    RetriesAreSpread(),
    RetriesBackOff(),
    AttemptsAreBounded(most=6),
    EveryCompletionHasItsEffect(),
    ConsumptionResumes(within=30.0),
    DrainsWithin(within=120.0),
    RecoversWithin(within=120.0),
    LatencyStaysUnder(p99=60.0, p50=1.0),
    ThroughputStaysOver(at_least=100.0),
)


def check(folder: str) -> dict[str, tuple[str, int]]:
    """Each invariant's value and how many things it examined."""
    told = verdicts(read(folder), INVARIANTS, reports=frozenset({"attempts", "state", "held", "effects"}))
    return {verdict.invariant: (verdict.value, verdict.examined) for verdict in told}
