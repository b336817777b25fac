"""One violation planted in a long clean history is found by the invariant concerned, with its job, and by no other."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from harness.check import check
from harness.history.events import Ack, Drained, End, OfJob, OfRun, State
from harness.history.history import History
from harness.invariants.attempts_are_bounded import AttemptsAreBounded
from harness.invariants.consumption_resumes import ConsumptionResumes
from harness.invariants.drains_within import DrainsWithin
from harness.invariants.every_completion_has_its_effect import EveryCompletionHasItsEffect
from harness.invariants.no_duplicate_effects import NoDuplicateEffects
from harness.invariants.no_lost_jobs import NoLostJobs
from harness.invariants.no_overlapping_runs import NoOverlappingRuns
from harness.invariants.no_stuck_jobs import NoStuckJobs
from harness.invariants.recovers_within import RecoversWithin
from harness.verdict import Verdict
from tests.unit.invariants.histories import Tale, ns

ASKED: list[Any] = [
    NoLostJobs(),
    NoDuplicateEffects(),
    NoOverlappingRuns(),
    NoStuckJobs(),
    AttemptsAreBounded(most=5),
    EveryCompletionHasItsEffect(),
    ConsumptionResumes(within=10.0),
    RecoversWithin(within=30.0),
    DrainsWithin(within=30.0),
]
REPORTS = frozenset({"attempts", "state", "held", "effects"})
KILL, END = 10.0, 60.0
ODD = ("", "\n", '"', "\x00", "☃", "<b>", "job 1 ")


class Shuffled(Tale):
    """A tale whose events come in any order, as from files read one after another."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__()
        self.rng, self.events = rng, list[OfJob | OfRun]()

    def tell(self, *events: OfJob | OfRun) -> Tale:
        self.events += events
        return self

    def whole(self) -> History:
        self.tell(
            State(t=ns(END), queued=0, active=0, delayed=0), Drained(t=ns(END), left=0, why="done"), End(t=ns(END))
        )
        return self.history()

    def history(self) -> History:
        told = Tale()
        told.tell(*self.rng.sample(self.events, len(self.events)))
        return told.cut()


def clean(rng: random.Random, jobs: int) -> Shuffled:
    """Jobs that are done at once, retried, killed and handed out again, answered from a key, given up or rejected."""
    tale = Shuffled(rng)
    tale.planned(jobs, 1).fault("kill_worker", KILL, KILL, says="w1 got SIGKILL").died("w1", 1, KILL)
    _done(tale, rng, "after the kill", KILL + 1)
    for number in range(jobs):
        rng.choice((_done, _retried, _killed, _answered, _given_up, _rejected))(
            tale, rng, f"job-{number}{rng.choice(ODD)}", rng.uniform(0, 20)
        )
    return tale


def _done(tale: Shuffled, rng: random.Random, key: str, at: float) -> None:
    tale.acked(key, at=at).started(key, at + 0.1, worker="w2", pid=2).effect(key, at + 0.2)
    tale.finished(key, at + rng.choice((0.2, 0.3)), worker="w2", pid=2)


def _retried(tale: Shuffled, rng: random.Random, key: str, at: float) -> None:
    tale.acked(key, at=at)
    for _ in range(rng.randint(1, 3)):
        tale.ran(key, at, at + 0.1, "failed", worker="w2", pid=2)
        at += rng.uniform(0.1, 3)
    tale.started(key, at, worker="w2", pid=2).effect(key, at + 0.1).finished(key, at + 0.1, worker="w2", pid=2)


def _killed(tale: Shuffled, rng: random.Random, key: str, at: float) -> None:
    tale.acked(key, at=KILL - 2).started(key, KILL - 1)
    tale.started(key, KILL + rng.choice((0.0, 1.0)), worker="w2", pid=2).effect(key, KILL + 2)
    tale.finished(key, KILL + 2, worker="w2", pid=2)


def _answered(tale: Shuffled, rng: random.Random, key: str, at: float) -> None:
    """The effect was committed, its answer never came, and the retry was given the first answer again."""
    tale.acked(key, at=at).started(key, at, worker="w2", pid=2).effect(key, at + 0.1)
    tale.finished(key, at + 3, "failed", worker="w2", pid=2)
    tale.started(key, at + 4, worker="w2", pid=2).replay(key, at + 4.1).finished(key, at + 4.2, worker="w2", pid=2)


def _given_up(tale: Shuffled, rng: random.Random, key: str, at: float) -> None:
    tale.acked(key, at=at).ran(key, at, at + 1, "failed", worker="w2", pid=2)
    tale.ran(key, at + 2, at + 3, "dead", worker="w2", pid=2)


def _rejected(tale: Shuffled, rng: random.Random, key: str, at: float) -> None:
    tale.rejected(key, at=at)


def lost(tale: Shuffled) -> None:
    tale.acked("planted", at=5).started("planted", 9).effect("planted", 9.5)


def stuck(tale: Shuffled) -> None:
    tale.acked("planted", at=5).held("planted", "active", at=END)


def duplicated(tale: Shuffled) -> None:
    tale.done("planted", at=5).effect("planted", 5.2)


def overlapping(tale: Shuffled) -> None:
    tale.acked("planted", at=5).started("planted", 6, worker="w2", pid=2, run="one").effect("planted", 7)
    tale.started("planted", 8, worker="w3", pid=3, run="two").finished("planted", 9, worker="w3", pid=3, run="two")
    tale.finished("planted", 9.5, worker="w2", pid=2, run="one")


def endless(tale: Shuffled) -> None:
    tale.acked("planted", at=5)
    for turn in range(5):
        tale.ran("planted", 6 + turn, 6.5 + turn, "failed", worker="w2", pid=2)
    tale.started("planted", 12, worker="w2", pid=2).effect("planted", 13).finished("planted", 13, worker="w2", pid=2)


def hollow(tale: Shuffled) -> None:
    tale.acked("planted", at=5).ran("planted", 6, 7, worker="w2", pid=2)


def unexpected(tale: Shuffled) -> None:
    tale.started("planted", 6, worker="w2", pid=2).effect("planted", 7).finished("planted", 7, worker="w2", pid=2)


# What else must follow: a job that never completes is late by every clock.
NEVER_DONE = {"recovers_within", "drains_within"}
PLANTS: dict[str, tuple[Callable[[Shuffled], None], set[str]]] = {
    "no_lost_jobs": (lost, NEVER_DONE),
    "no_stuck_jobs": (stuck, NEVER_DONE),
    "no_duplicate_effects": (duplicated, set()),
    "no_overlapping_runs": (overlapping, set()),
    "attempts_are_bounded": (endless, set()),
    "every_completion_has_its_effect": (hollow, set()),
    "no_unexpected_jobs": (unexpected, set()),
}


def failures(history: History) -> dict[str, list[str]]:
    verdicts: tuple[Verdict, ...] = check(history, ASKED, reports=REPORTS)
    crashed = [verdict.says for verdict in verdicts if "check itself failed" in verdict.says]
    assert not crashed
    return {one.invariant: [witness.key for witness in one.witnesses] for one in verdicts if one.value == "FAIL"}


few = settings(max_examples=25, deadline=None, derandomize=True, database=None, phases=[Phase.generate])


@few
@given(seed=st.integers(0, 10**6), jobs=st.integers(0, 60))
def test_a_clean_history_is_never_accused(seed: int, jobs: int) -> None:
    assert failures(clean(random.Random(seed), jobs).whole()) == {}


@pytest.mark.parametrize("name", PLANTS)
@few
@given(seed=st.integers(0, 10**6), jobs=st.integers(0, 60))
def test_a_planted_violation_is_found_with_its_job_and_nothing_else(name: str, seed: int, jobs: int) -> None:
    plant, implied = PLANTS[name]
    tale = clean(random.Random(seed), jobs)
    plant(tale)
    assert failures(tale.whole()) == {one: ["planted"] for one in (name, *implied)}


@few
@given(seed=st.integers(0, 10**6), jobs=st.integers(1, 60), until=st.floats(0, 30))
def test_a_clean_history_that_was_cut_short_is_never_accused(seed: int, jobs: int, until: float) -> None:
    tale = clean(random.Random(seed), jobs)
    tale.events = [event for event in tale.events if event.t <= ns(until) or event.t == ns(0)]
    assert failures(tale.history()) == {}


@pytest.mark.parametrize("name", ["no_duplicate_effects", "no_overlapping_runs", "every_completion_has_its_effect"])
@few
@given(seed=st.integers(0, 10**6), jobs=st.integers(0, 60))
def test_what_was_seen_before_the_cut_still_counts(name: str, seed: int, jobs: int) -> None:
    tale = clean(random.Random(seed), jobs)
    PLANTS[name][0](tale)
    tale.events = [event for event in tale.events if event.t <= ns(KILL + 1)]
    assert failures(tale.history()) == {name: ["planted"]}


@few
@given(seed=st.integers(0, 10**6), jobs=st.integers(1, 60))
def test_an_ack_said_twice_changes_nothing(seed: int, jobs: int) -> None:
    tale = clean(random.Random(seed), jobs)
    tale.events += [event for event in tale.events if isinstance(event, Ack)]
    assert failures(tale.whole()) == {}
