"""A history that was cut short is accused of nothing that the whole history would be acquitted of."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from harness.check import check
from harness.history.columns import Builder
from harness.history.events import Ack, Drained, End, Fault, Offer, OfJob, OfRun, Planned, Reject, Sample, State, Waits
from harness.history.history import History
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
from harness.invariants.no_duplicate_effects import NoDuplicateEffects
from harness.invariants.no_lost_jobs import NoLostJobs
from harness.invariants.no_overlapping_runs import NoOverlappingRuns
from harness.invariants.no_stuck_jobs import NoStuckJobs
from harness.invariants.permanent_failures_skip_retries import PermanentFailuresSkipRetries
from harness.invariants.producer_fails_fast import ProducerFailsFast
from harness.invariants.reconciles import Reconciles
from harness.invariants.recovers_within import RecoversWithin
from harness.invariants.retry_amplification import RetryAmplification
from harness.invariants.shuts_down_cleanly import ShutsDownCleanly
from harness.invariants.stays_within import StaysWithin
from harness.invariants.throughput_stays_over import ThroughputStaysOver
from tests.unit.invariants.histories import Tale, ns

REPORTS = frozenset({"attempts", "state", "held", "effects", "letters"})
END = 60.0
WAITS = Waits(lease=15.0, window=30.0, remembers=40.0)


class Messy(Tale):
    """A tale in which anything may happen, kept as events, so that it can be told until some moment."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__()
        self.rng, self.events = rng, list[OfJob | OfRun]()

    def tell(self, *events: OfJob | OfRun) -> Tale:
        self.events += [event for event in events if event.t < ns(END)]
        return self

    def until(self, moment: float) -> History:
        builder = Builder()
        for event in self.events:
            if event.t <= ns(moment):
                builder.add(event)
        return History(builder.columns_by_time())

    def whole(self) -> Messy:
        offers = sum(isinstance(event, Offer) for event in self.events)
        faults = sum(isinstance(event, Fault) and event.state == "injected" for event in self.events)
        self.events.append(Planned(t=ns(0), jobs=offers, faults=faults, seconds=END, waits=WAITS))
        self.events += [
            State(
                t=ns(at), queued=self.rng.randint(0, 1), active=0, delayed=0, dead=self.rng.choice((at // 9, at // 20))
            )
            for at in range(1, int(END))
        ]
        self.events += [Sample(t=ns(at), process="redis", cpu=0, rss=1, used=at * 500) for at in range(int(END))]
        self.events += [State(t=ns(END), queued=0, active=0, delayed=0), Drained(t=ns(END), left=0), End(t=ns(END))]
        return self


def messy(rng: random.Random) -> Messy:
    """A few jobs, runs that end, fail, hang or die, and faults that overlap, heal late or never."""
    tale = Messy(rng)
    tale.phase("first", 0, rng.uniform(5, 30)).phase("second", rng.uniform(30, 40), rng.uniform(40, 70))
    for number in range(rng.randint(0, 3)):
        at = rng.uniform(0, 50)
        tale.fault("cut_link", at, rng.choice((None, at, at + rng.expovariate(0.1))), n=number)
    for number in range(rng.randint(1, 8)):
        _job(tale, f"job-{number}", rng.choice((rng.uniform(0, 50), 1.0)))
    return tale.whole()


def _job(tale: Messy, key: str, at: float) -> None:
    rng = tale.rng
    _offers(tale, key, at)
    for turn in range(rng.choice((0, 1, 1, 1, 2, 3))):
        at += rng.choice((0.0, 0.1, 1.0, rng.uniform(0, 30)))
        ends, pid = at + rng.choice((0.1, rng.uniform(0, 30))), rng.randint(1, 9)
        tale.started(key, at, pid=pid)
        match rng.randrange(5):
            case 0:
                tale.died("w1", pid, ends)
            case 1:
                tale.finished(key, ends, "failed", pid=pid, note=rng.choice(("", "Permanent")))
                tale.refused(key, rng.choice((at, ends)), after=rng.choice((0.0, 1.0, 5.0)))
            case 2 if turn:
                tale.finished(key, ends, "dead", pid=pid, note=rng.choice(("", "Permanent")))
                _kept(tale, key, ends)
            case _:
                tale.effect(key, rng.choice((at, ends)), version=rng.randint(0, 3)).finished(key, ends, pid=pid)
        at = rng.choice((at, ends))


def _offers(tale: Messy, key: str, at: float) -> None:
    """Once or twice, delayed or not, answered at once, late, or not at all; a record that changes."""
    rng, delay = tale.rng, tale.rng.choice((0.0, 0.0, 5.0))
    for turn in range(rng.choice((1, 1, 1, 2))):
        begins = at if not turn else at + rng.uniform(0, 20)
        tale.offered(key, at=begins, delay=delay)
        answered = ns(begins + rng.choice((0.0, 0.0, rng.uniform(0, 20))))
        tale.tell(
            *rng.choice(((Ack(t=answered, key=key),), (Ack(t=answered, key=key),), (Reject(t=answered, key=key),), ()))
        )
    for version in range(2, rng.randint(2, 4)):
        tale.changed(key, at + version * rng.choice((0.0, 0.5, 5.0)), version=version)


def _kept(tale: Messy, key: str, died: float) -> None:
    """What was given up is put back, put away, found or not."""
    if tale.rng.random() < 0.5:
        tale.revived(
            key, died + tale.rng.choice((0.0, 0.1, 10.0)), tale.rng.choice(("replayed", "discarded", "missing"))
        )
    if tale.rng.random() < 0.5:
        tale.letter(key, END - 0.5, error=tale.rng.choice(("E", None)))


def claims(within: float) -> list[Any]:
    """Claims that many of these histories break; those about retries speak of the retries seen, and are not here."""
    return [
        NoLostJobs(),
        NoDuplicateEffects(),
        NoOverlappingRuns(),
        NoStuckJobs(),
        AttemptsAreBounded(most=1),
        EveryCompletionHasItsEffect(),
        ConsumptionResumes(within=within),
        RecoversWithin(within=within),
        DrainsWithin(within=within),
        ShutsDownCleanly(),
        *(LatencyStaysUnder(p50=within, phase=phase) for phase in ("", "first", "second")),
        *(LatencyStaysUnder(p99=within, max=3 * within, phase=phase) for phase in ("", "first", "second")),
        *(ThroughputStaysOver(at_least=1 / within, phase=phase) for phase in ("", "first", "second")),
        ThroughputStaysOver(at_least=1 / within, of="acked"),
        ActsOnCurrentState(),
        DeadLetterGrowthIsReported(),
        DeadLettersAreComplete(),
        DeadLettersReplay(),
        DedupOutlivesRetries(),
        DelayIsKept(late=within),
        FailuresAreVisible(),
        HonoursRetryAfter(),
        LeaseCoversHandler(),
        MemoryIsBounded(),
        PermanentFailuresSkipRetries(),
        ProducerFailsFast(within=within),
        Reconciles(),
        RetryAmplification(calls=1.2),
        RetryAmplification(peak=1.2),
        StaysWithin(figure="age", most=f"{within}s"),
    ]


def accused(history: History, asked: list[Any]) -> dict[str, str]:
    found = check(history, asked, reports=REPORTS)[: len(asked)]
    assert not [verdict.says for verdict in found if "check itself failed" in verdict.says]
    return {repr(one): verdict.says for one, verdict in zip(asked, found, strict=True) if verdict.value == "FAIL"}


@settings(max_examples=300, deadline=None, derandomize=True, database=None, phases=[Phase.generate])
@given(seed=st.integers(0, 10**6), until=st.floats(0, END - 1), within=st.sampled_from((0.5, 2.0, 5.0, 15.0)))
def test_what_the_whole_history_is_acquitted_of_a_part_is_never_accused_of(
    seed: int, until: float, within: float
) -> None:
    tale, asked = messy(random.Random(seed)), claims(within)
    early, late = accused(tale.until(until), asked), accused(tale.until(END), asked)
    assert {name: says for name, says in early.items() if name not in late} == {}
