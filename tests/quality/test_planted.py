"""One violation planted in a long clean history is found by the invariant concerned, with its job, and by no other."""

from __future__ import annotations

import random
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from harness import variants
from harness.check import ALWAYS, check
from harness.history.events import Ack
from harness.verdict import Verdict
from tests.quality.healthy import END, Shuffled, clean, over_the_whole_delay
from tests.quality.plants import ASKED, PLANTS, herd

REPORTS = frozenset({"attempts", "state", "held", "effects", "letters"})

few = settings(max_examples=25, deadline=None, derandomize=True, database=None, phases=[Phase.generate])
seeds = st.integers(0, 10**6)
moments = st.floats(0, END - 1)
sizes = st.integers(0, 60)


def verdicts(tale: Shuffled) -> tuple[Verdict, ...]:
    with TemporaryDirectory() as folder:
        found = check(tale.written(Path(folder)), ASKED, reports=REPORTS)
    assert not [verdict.says for verdict in found if "check itself failed" in verdict.says]
    assert msgspec.json.encode(found), "a result that cannot be kept"
    return found


def accusations(tale: Shuffled) -> dict[str, list[str]]:
    """Each invariant that holds something against the whole run, with the jobs that show it."""
    return {
        one.invariant: [witness.key for witness in one.witnesses]
        for one in verdicts(tale)
        if one.value == "FAIL" or (one.invariant in ALWAYS and one.value != "PASS")
    }


def failures(tale: Shuffled) -> set[str]:
    return {verdict.invariant for verdict in verdicts(tale) if verdict.value == "FAIL"}


def planted(name: str, seed: int, jobs: int) -> Shuffled:
    tale = clean(random.Random(seed), jobs, PLANTS[name].delay)
    PLANTS[name].told(tale)
    return tale.whole()


def assert_found(name: str, seed: int, jobs: int) -> None:
    plant, found = PLANTS[name], accusations(planted(name, seed, jobs))
    assert set(found) == {name, *plant.implied}
    if plant.shown_by:
        assert found == {one: [plant.shown_by] for one in found}


def test_every_invariant_has_a_violation_to_find() -> None:
    assert sorted(PLANTS) == variants.names("invariants")
    asked = {variants.name_of(one) for one in ASKED}
    assert asked | set(ALWAYS) == set(PLANTS)


@few
@given(seed=seeds, jobs=sizes)
def test_a_clean_history_is_never_accused(seed: int, jobs: int) -> None:
    assert accusations(clean(random.Random(seed), jobs).whole()) == {}


@pytest.mark.parametrize("name", PLANTS)
@few
@given(seed=seeds, jobs=sizes)
def test_a_planted_violation_is_found_with_its_job_and_nothing_else(name: str, seed: int, jobs: int) -> None:
    assert_found(name, seed, jobs)


@pytest.mark.parametrize("name", PLANTS)
def test_it_is_found_among_thousands(name: str) -> None:
    assert_found(name, seed=1, jobs=2_000)


@pytest.mark.parametrize("name", PLANTS)
@few
@given(seed=seeds, jobs=sizes, until=moments)
def test_a_history_cut_short_is_accused_of_what_it_shows_and_of_nothing_else(
    name: str, seed: int, jobs: int, until: float
) -> None:
    plant, found = PLANTS[name], failures(planted(name, seed, jobs).until(until))
    assert found <= {name, *plant.implied}
    assert name not in found or until >= plant.possible
    assert name in found or until < plant.certain


@settings(few, max_examples=60)
@given(seed=seeds, jobs=sizes, until=moments)
def test_a_clean_history_cut_short_is_never_accused(seed: int, jobs: int, until: float) -> None:
    assert failures(clean(random.Random(seed), jobs).whole().until(until)) == set()


@few
@given(seed=seeds, jobs=sizes)
def test_an_ack_said_twice_changes_nothing(seed: int, jobs: int) -> None:
    tale = clean(random.Random(seed), jobs).whole()
    tale.events += [event for event in tale.events if isinstance(event, Ack)]
    assert accusations(tale) == {}


@settings(few, max_examples=100)
@given(seed=seeds, until=st.floats(20, 40))
def test_jittered_retries_of_which_only_the_soonest_are_seen_are_not_accused(seed: int, until: float) -> None:
    tale = clean(random.Random(seed), 0, over_the_whole_delay)
    herd(tale)
    assert failures(tale.whole().until(until)) == set()
