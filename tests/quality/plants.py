"""One violation of each invariant, to be planted in a history in which nothing is wrong."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any, NamedTuple

from harness.history.events import Ack
from harness.invariants.attempts_are_bounded import AttemptsAreBounded
from harness.invariants.consumption_resumes import ConsumptionResumes
from harness.invariants.drains_within import DrainsWithin
from harness.invariants.every_completion_has_its_effect import EveryCompletionHasItsEffect
from harness.invariants.latency_stays_under import LatencyStaysUnder
from harness.invariants.no_abandoned_jobs import NoAbandonedJobs
from harness.invariants.no_duplicate_effects import NoDuplicateEffects
from harness.invariants.no_lost_jobs import NoLostJobs
from harness.invariants.no_overlapping_runs import NoOverlappingRuns
from harness.invariants.no_stuck_jobs import NoStuckJobs
from harness.invariants.recovers_within import RecoversWithin
from harness.invariants.redis_is_safe import RedisIsSafe
from harness.invariants.retries_are_spread import RetriesAreSpread
from harness.invariants.retries_back_off import RetriesBackOff
from harness.invariants.shuts_down_cleanly import ShutsDownCleanly
from harness.invariants.throughput_stays_over import ThroughputStaysOver
from tests.quality.healthy import END, Delay, Shuffled, at_one_pace, deployed, in_lockstep, jittered
from tests.unit.invariants.histories import ns

ASKED: list[Any] = [
    NoLostJobs(),
    NoDuplicateEffects(),
    NoOverlappingRuns(),
    NoStuckJobs(),
    AttemptsAreBounded(most=5),
    EveryCompletionHasItsEffect(),
    ConsumptionResumes(within=10.0),
    RecoversWithin(within=30.0),
    DrainsWithin(within=15.0),
    LatencyStaysUnder(max=1.0, of="ack"),
    ThroughputStaysOver(at_least=1.0, phase="steady"),
    RetriesAreSpread(),
    RetriesBackOff(),
    ShutsDownCleanly(),
    RedisIsSafe(),
    NoAbandonedJobs(),
]


def lost(tale: Shuffled) -> None:
    tale.acked("planted", at=5).started("planted", 9).effect("planted", 9.5)


def stuck(tale: Shuffled) -> None:
    tale.acked("planted", at=5).held("planted", "active", at=END)


def abandoned(tale: Shuffled) -> None:
    tale.acked("planted", at=5).ran("planted", 6, 7, "dead", worker="w2", pid=2)


def duplicated(tale: Shuffled) -> None:
    tale.done("planted", at=5).effect("planted", 5.4)


def overlapping(tale: Shuffled) -> None:
    tale.acked("planted", at=5).started("planted", 6, worker="w2", pid=2, run="one").effect("planted", 7)
    tale.started("planted", 8, worker="w3", pid=3, run="two").finished("planted", 9, worker="w3", pid=3, run="two")
    tale.finished("planted", 9.5, worker="w2", pid=2, run="one")


def endless(tale: Shuffled) -> None:
    """Six runs, each but the last ended by the death of its worker."""
    tale.acked("planted", at=5)
    for turn in range(5):
        tale.started("planted", 6 + turn, worker="w4", pid=40 + turn).died("w4", 40 + turn, 6.5 + turn)
    tale.started("planted", 12, worker="w2", pid=2).effect("planted", 13).finished("planted", 13, worker="w2", pid=2)


def hollow(tale: Shuffled) -> None:
    tale.acked("planted", at=5).ran("planted", 6, 7, worker="w2", pid=2)


def unexpected(tale: Shuffled) -> None:
    tale.started("planted", 6, worker="w2", pid=2).effect("planted", 7).finished("planted", 7, worker="w2", pid=2)


def idle(tale: Shuffled) -> None:
    tale.fault("cut_link", 70, 72, n=3).acked("planted", at=65).started("planted", 85, worker="w2", pid=2)
    tale.effect("planted", 86).finished("planted", 86, worker="w2", pid=2)


def unrecovered(tale: Shuffled) -> None:
    tale.acked("planted", at=5).started("planted", 45, worker="w2", pid=2).effect("planted", 46)
    tale.finished("planted", 46, worker="w2", pid=2)


def undrained(tale: Shuffled) -> None:
    tale.acked("planted", at=30).started("planted", 31, worker="w2", pid=2).effect("planted", 32)
    tale.finished("planted", 75, worker="w2", pid=2)


def late(tale: Shuffled) -> None:
    tale.offered("planted", at=5).tell(Ack(t=ns(8), key="planted"))
    tale.started("planted", 9, worker="w2", pid=2).effect("planted", 9.1).finished("planted", 9.1, worker="w2", pid=2)


def slow(tale: Shuffled) -> None:
    missing = {f"steady-{number}" for number in range(3, 7)}
    tale.events = [event for event in tale.events if getattr(event, "key", "") not in missing]


def herd(tale: Shuffled) -> None:
    """Jobs that fail together three times, and come back as this tale's jobs do."""
    for number in range(200):
        key, at = f"herd-{number}", 20.0
        tale.acked(key, at=at)
        for turn in range(3):
            tale.ran(key, at, at + 0.1, "failed", worker="w2", pid=2)
            at += 0.1 + tale.delay(tale.rng, turn)
        tale.started(key, at, worker="w2", pid=2).effect(key, at + 0.1).finished(key, at + 0.1, worker="w2", pid=2)


def cut_off(tale: Shuffled) -> None:
    deployed(tale, "planted", n=3, at=60, finishes=False)


def evicting(tale: Shuffled) -> None:
    tale.fault("squeeze_memory", 58, 59, n=3, evidence={"evicted": 7, "policy": "allkeys-lru"})


def unhealed(tale: Shuffled) -> None:
    tale.fault("cut_link", 70, n=3).amiss("cut_link", 80, "unhealed", "the link is still cut", n=3)


def missed(tale: Shuffled) -> None:
    tale.amiss("kill_worker", 70, "missed", "there was no worker", n=3)


def unreadable(tale: Shuffled) -> None:
    tale.torn = b'{"e":"ack","t":\n'


def dropped(tale: Shuffled) -> None:
    tale.dropped("planted", at=15)


class Plant(NamedTuple):
    """A violation of one invariant: how it is told, which job shows it, whose claims it breaks as well, and between
    which seconds it comes to be seen in a history that was cut short."""

    told: Callable[[Shuffled], None]
    shown_by: str | None = "planted"
    implied: frozenset[str] = frozenset()
    possible: float = inf
    certain: float = inf
    delay: Delay = jittered


# A job that never completes is late by every clock.
NEVER_DONE = frozenset({"recovers_within", "drains_within"})
PLANTS: dict[str, Plant] = {
    "no_lost_jobs": Plant(lost, implied=NEVER_DONE),
    "no_stuck_jobs": Plant(stuck, implied=NEVER_DONE),
    "no_abandoned_jobs": Plant(abandoned),
    "no_duplicate_effects": Plant(duplicated, possible=5.4, certain=5.4),
    "no_overlapping_runs": Plant(overlapping, possible=9.5, certain=9.5),
    "attempts_are_bounded": Plant(endless, possible=12, certain=12),
    "every_completion_has_its_effect": Plant(hollow, possible=7, certain=7),
    "no_unexpected_jobs": Plant(unexpected, possible=6, certain=6),
    "consumption_resumes": Plant(idle, possible=82, certain=86),
    "recovers_within": Plant(unrecovered, possible=40, certain=41.1),
    "drains_within": Plant(undrained, possible=72, certain=74),
    "latency_stays_under": Plant(late, possible=8, certain=8),
    "throughput_stays_over": Plant(slow, None, possible=50, certain=51.1),
    "retries_are_spread": Plant(herd, None, possible=20, delay=in_lockstep),
    "retries_back_off": Plant(herd, None, possible=20, delay=at_one_pace),
    "shuts_down_cleanly": Plant(cut_off, possible=61, certain=61),
    "redis_is_safe": Plant(evicting, None, possible=58, certain=58),
    "faults_healed": Plant(unhealed, None),
    "faults_took_effect": Plant(missed, None),
    "history_is_readable": Plant(unreadable, None),
    "load_was_offered": Plant(dropped, None),
}
