"""One violation of each invariant, to be planted in a history in which nothing is wrong."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any, NamedTuple

from harness.history.events import Ack, Offer, Reject, Sample, Waits
from harness.invariants.acts_on_current_state import ActsOnCurrentState
from harness.invariants.attempts_are_bounded import AttemptsAreBounded
from harness.invariants.consumption_resumes import ConsumptionResumes
from harness.invariants.dead_letter_growth_is_reported import DeadLetterGrowthIsReported
from harness.invariants.dead_letters_are_complete import DeadLettersAreComplete
from harness.invariants.dead_letters_replay import DeadLettersReplay
from harness.invariants.dedup_outlives_retries import DedupOutlivesRetries
from harness.invariants.delay_is_kept import DelayIsKept
from harness.invariants.drains_within import DrainsWithin
from harness.invariants.every_completion_has_its_effect import EveryCompletionHasItsEffect
from harness.invariants.failures_are_visible import FailuresAreVisible
from harness.invariants.honours_retry_after import HonoursRetryAfter
from harness.invariants.latency_stays_under import LatencyStaysUnder
from harness.invariants.lease_covers_handler import LeaseCoversHandler
from harness.invariants.memory_is_bounded import MemoryIsBounded
from harness.invariants.no_abandoned_jobs import NoAbandonedJobs
from harness.invariants.no_duplicate_effects import NoDuplicateEffects
from harness.invariants.no_lost_jobs import NoLostJobs
from harness.invariants.no_overlapping_runs import NoOverlappingRuns
from harness.invariants.no_stuck_jobs import NoStuckJobs
from harness.invariants.permanent_failures_skip_retries import PermanentFailuresSkipRetries
from harness.invariants.producer_fails_fast import ProducerFailsFast
from harness.invariants.reconciles import Reconciles
from harness.invariants.recovers_within import RecoversWithin
from harness.invariants.redis_is_safe import RedisIsSafe
from harness.invariants.retries_are_spread import RetriesAreSpread
from harness.invariants.retries_back_off import RetriesBackOff
from harness.invariants.retry_amplification import RetryAmplification
from harness.invariants.shuts_down_cleanly import ShutsDownCleanly
from harness.invariants.stays_within import StaysWithin
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
    ActsOnCurrentState(),
    DeadLetterGrowthIsReported(),
    DeadLettersAreComplete(),
    DeadLettersReplay(),
    DedupOutlivesRetries(),
    DelayIsKept(late=5.0),
    FailuresAreVisible(),
    HonoursRetryAfter(),
    LeaseCoversHandler(),
    MemoryIsBounded(),
    PermanentFailuresSkipRetries(),
    ProducerFailsFast(within=5.0),
    Reconciles(),
    RetryAmplification(peak=4.0),
    StaysWithin(figure="memory", most="1mb"),
]


def lost(tale: Shuffled) -> None:
    tale.acked("planted", at=5).started("planted", 9).effect("planted", 9.5)


def stuck(tale: Shuffled) -> None:
    tale.acked("planted", at=5).held("planted", "active", at=END)


def abandoned(tale: Shuffled) -> None:
    tale.acked("planted", at=5).ran("planted", 6, 7, "dead", worker="w2", pid=2).letter("planted", END)


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
    tale.done("while Redis evicts", at=58.5)


def unhealed(tale: Shuffled) -> None:
    tale.fault("cut_link", 70, n=3).amiss("cut_link", 80, "unhealed", "the link is still cut", n=3)
    tale.done("beside the link", at=75)


def missed(tale: Shuffled) -> None:
    tale.amiss("kill_worker", 70, "missed", "there was no worker", n=3)


def unreadable(tale: Shuffled) -> None:
    tale.torn = b'{"e":"ack","t":\n'


def dropped(tale: Shuffled) -> None:
    tale.dropped("planted", at=15)


def stale(tale: Shuffled) -> None:
    tale.acked("planted", at=5).changed("planted", 6).ran("planted", 7, 8, worker="w2", pid=2)
    tale.effect("planted", 7.5, version=1)


def uncounted(tale: Shuffled) -> None:
    tale.uncounted.add("planted")
    tale.acked("planted", at=5).ran("planted", 6, 7, "dead", worker="w2", pid=2)
    tale.ran("planted", 8, 9, worker="w2", pid=2).effect("planted", 9)


def bare(tale: Shuffled) -> None:
    _done(tale).letter("planted", END, error=None)


def not_put_back(tale: Shuffled) -> None:
    _done(tale).revived("planted", 9, "missing")


def forgetful(tale: Shuffled) -> None:
    tale.waits = Waits(window=60.0, remembers=60.0)


def early(tale: Shuffled) -> None:
    tale.offered("planted", at=5, delay=10).tell(Ack(t=ns(5), key="planted"))
    tale.ran("planted", 9, 10, worker="w2", pid=2).effect("planted", 10)


def hidden(tale: Shuffled) -> None:
    tale.acked("planted", at=5).ran("planted", 6, 7, "dead", worker="w2", pid=2)


def impatient(tale: Shuffled) -> None:
    tale.acked("planted", at=5).ran("planted", 6, 7, "failed", worker="w2", pid=2).refused("planted", 6.5, after=5)
    tale.ran("planted", 9, 10, worker="w2", pid=2).effect("planted", 9.5)


def short(tale: Shuffled) -> None:
    tale.waits = Waits(lease=0.2, window=60.0, remembers=61.0)


def growing(tale: Shuffled) -> None:
    tale.kept = 1_000
    for number in range(120):
        key, at = f"soak-{number}", 60 + number / 10
        tale.acked(key, at=at).ran(key, at, at + 0.05, worker="w2", pid=2).effect(key, at + 0.05)


def hopeless(tale: Shuffled) -> None:
    tale.acked("planted", at=5).ran("planted", 6, 7, "failed", worker="w2", pid=2, note="Permanent")
    tale.ran("planted", 9, 10, worker="w2", pid=2).effect("planted", 10)


def unanswered(tale: Shuffled) -> None:
    tale.offered("planted", at=55.2).tell(Reject(t=ns(61.5), key="planted"))


def surplus(tale: Shuffled) -> None:
    tale.rejected("planted", at=5).effect("planted", 9)


def storm(tale: Shuffled) -> None:
    offers = sum(isinstance(event, Offer) for event in tale.events)
    _done(tale)
    for number in range(5 * offers):
        tale.refused("planted", 5.5 + 0.5 * number / offers / 5)


def swollen(tale: Shuffled) -> None:
    tale.tell(Sample(t=ns(30), process="w3", cpu=0.1, rss=2**20))


def _done(tale: Shuffled) -> Shuffled:
    tale.acked("planted", at=5).ran("planted", 5.5, 8, worker="w2", pid=2).effect("planted", 7)
    return tale


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
    "every_completion_has_its_effect": Plant(hollow, implied=frozenset({"reconciles"}), possible=7, certain=7),
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
    "acts_on_current_state": Plant(stale, possible=7.5, certain=7.5),
    "dead_letter_growth_is_reported": Plant(uncounted, None),
    "dead_letters_are_complete": Plant(bare),
    "dead_letters_replay": Plant(not_put_back),
    "dedup_outlives_retries": Plant(forgetful, None, possible=0, certain=0),
    "delay_is_kept": Plant(early, possible=9, certain=9),
    "failures_are_visible": Plant(hidden, implied=frozenset({"no_abandoned_jobs"})),
    "honours_retry_after": Plant(impatient, possible=9.5, certain=9.5),
    "lease_covers_handler": Plant(short, None),
    "memory_is_bounded": Plant(growing, None),
    "permanent_failures_skip_retries": Plant(hopeless, possible=9, certain=9),
    "producer_fails_fast": Plant(unanswered, possible=60.2, certain=61.5),
    "reconciles": Plant(surplus),
    "retry_amplification": Plant(storm, None),
    "stays_within": Plant(swollen, None),
    "faults_healed": Plant(unhealed, None),
    "faults_took_effect": Plant(missed, None),
    "history_is_readable": Plant(unreadable, None),
    "load_was_offered": Plant(dropped, None),
}
