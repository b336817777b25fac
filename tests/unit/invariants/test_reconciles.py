"""Jobs and effects agree, as a nightly reconciliation would see them."""

import pytest

from harness.history.events import Ack, Reject, Unknown, Where
from harness.history.history import History
from harness.invariants.reconciles import Reconciles
from harness.verdict import Finding, failed, passed, undecided
from tests.unit.invariants.histories import Tale, ns

OF = "jobs and effects"


def check(history: History) -> Finding:
    return Reconciles().check(history)


def agree(examined: int) -> Finding:
    says = f"{examined} job{'s' * (examined != 1)} and their effects agree."
    return passed(says, examined=examined, of=OF, missing=0, surplus=0)


def disagree(missing: int, surplus: int, jobs: list[int], examined: int = 2) -> Finding:
    s, e = "s" * (missing != 1), "s" * (surplus != 1)
    says = f"{missing} acked job{s} without an effect, {surplus} effect{e} of a job that was refused or given up."
    return failed(says, examined=examined, of=OF, jobs=jobs, missing=missing, surplus=surplus)


def test_jobs_and_effects_agree() -> None:
    assert check(Tale().done("a", "b").rejected("c").ended()) == agree(2)


def test_jobs_without_their_effect() -> None:
    assert check(Tale().done("x").acked("a").ran("a", 1, 2).ended()) == disagree(1, 0, [1])
    assert check(Tale().done("x").acked("a").ran("a", 1, 2, "failed").ended()) == disagree(1, 0, [1])


def test_effects_without_their_job() -> None:
    assert check(Tale().done("x").rejected("a").effect("a", 1).ended()) == disagree(0, 1, [1])
    assert check(Tale().done("x").acked("a").ran("a", 1, 2, "dead").effect("a", 1).ended()) == disagree(0, 1, [1])


def test_both_and_the_jobs_in_order() -> None:
    tale = Tale().rejected("a").effect("a", 1).acked("b").rejected("c").effect("c", 1)
    assert check(tale.ended()) == disagree(1, 2, [0, 1, 2], examined=3)


@pytest.mark.parametrize("where", ["queued", "active", "delayed", "dead", "failed"])
def test_whoever_waits_or_was_given_up_owes_no_effect(where: Where) -> None:
    assert check(Tale().done("x").acked("a").held("a", where).ended()) == agree(2)
    assert check(Tale().done("x").acked("a").ran("a", 1, 2, "dead").ended()) == agree(2)


def test_nor_does_a_run_that_goes_on() -> None:
    assert check(Tale().done("x").acked("a").started("a", 99).ended()) == agree(2)


def test_whoever_was_given_up_after_the_effect_and_put_back_agrees_again() -> None:
    tale = Tale().done("x").acked("a").ran("a", 1, 2, "dead").effect("a", 1).revived("a", 3)
    assert check(tale.held("a", "queued").ended()) == agree(2)
    done = Tale().done("x").acked("a").ran("a", 1, 2, "dead").effect("a", 1).revived("a", 3).ran("a", 4, 5)
    assert check(done.ended()) == agree(2)


def test_a_key_of_which_some_offer_was_not_refused() -> None:
    twice = Tale().done("x").rejected("a").offered("a", at=1)
    assert check(twice.effect("a", 2).ended()) == agree(2)
    for outcome in (Ack(t=ns(1), key="a"), Unknown(t=ns(1), key="a")):
        assert check(Tale().done("x").rejected("a").offered("a", at=1).tell(outcome).effect("a", 2).ended()) == agree(2)
    refused = Tale().done("x").rejected("a").offered("a", at=1).tell(Reject(t=ns(1), key="a")).effect("a", 2)
    assert check(refused.ended()) == disagree(0, 1, [1])
    assert check(Tale().done("x").rejected("a").tell(Unknown(t=ns(1), key="a")).effect("a", 2).ended()) == agree(2)


def test_an_effect_that_nobody_offered_is_another_claims_matter() -> None:
    assert check(Tale().done("x").effect("stranger", 2).ended()) == agree(2)


def test_a_queue_that_gives_only_a_number() -> None:
    says = "2 acked jobs without an effect, and the queue does not say which it holds."
    tale = Tale().done("x").acked("a", "b")
    found = check(tale.ended(waiting=2))
    assert found == undecided(says, examined=3, of=OF, jobs=[1, 2], missing=0, surplus=0)
    assert check(Tale().done("x").acked("a", "b").ended(waiting=1)) == disagree(1, 0, [1, 2], examined=3)
    found = check(Tale().done("x").acked("a", "b").ended(waiting=None))
    assert found == undecided(says, examined=3, of=OF, jobs=[1, 2], missing=0, surplus=0)


def test_seen_from_outside_a_job_is_missing_once_everything_is_over() -> None:
    tale = Tale().from_outside().done("x").acked("a")
    assert check(tale.ended(waiting=None)) == disagree(1, 0, [1])
    tale = Tale().from_outside().done("x").acked("a")
    assert check(tale.ended(waiting=None, why="patience ended")).value == "INCONCLUSIVE"


def test_a_history_that_was_cut_short() -> None:
    says = "The run was cut short, before jobs and effects could agree."
    assert check(Tale().done("x").acked("a").cut()) == undecided(says, examined=2, of=OF, jobs=[1])
    assert check(Tale().rejected("a").effect("a", 2).cut()).value == "INCONCLUSIVE"
    assert check(Tale().done("x").cut()) == agree(1)


def test_a_queue_that_holds_more_than_is_missing() -> None:
    assert check(Tale().done("x").acked("a", "b").ended(waiting=4)).measured == {"missing": 0, "surplus": 0}
