"""What the provider is asked to bear, and whether those it told to wait do."""

import pytest

from harness.history.history import History
from harness.invariants.honours_retry_after import HonoursRetryAfter
from harness.invariants.retry_amplification import RetryAmplification
from harness.verdict import Finding, failed, passed, undecided
from tests.unit.invariants.histories import Tale

CALLS, TOLD = "calls of the provider", "calls that were told to wait and came again"


def called() -> Tale:
    """Four jobs in ten seconds, two of them at once, and ten calls: seven within a second."""
    tale = Tale().planned(4).acked("a", "b", at=1).acked("c", at=5).acked("d", at=9)
    for n in range(6):
        tale.refused("b", 2 + n / 10)
    return tale.effect("a", 2.99).effect("b", 3.0).replay("c", 6).effect("d", 9)


MEASURED = {"calls": 2.5, "peak": 3.5, "offered": 2.0}
SAYS = "10 calls for 4 jobs: 2.5 each, at most 7 in a second where 2 jobs a second were offered."


@pytest.mark.parametrize("bounds", [{"calls": 2.5}, {"peak": 3.5}, {"calls": 2.5, "peak": 3.5}])
def test_calls_within_their_bounds(bounds: dict[str, float]) -> None:
    found = RetryAmplification(**bounds).check(called().ended())
    assert found == passed(SAYS, examined=10, of=CALLS, **MEASURED)


@pytest.mark.parametrize("bounds", [{"calls": 2.49}, {"peak": 3.49}, {"calls": 9.0, "peak": 3.49}])
def test_calls_beyond_one_of_their_bounds(bounds: dict[str, float]) -> None:
    found = RetryAmplification(**bounds).check(called().ended())
    assert found == failed(SAYS, examined=10, of=CALLS, jobs=[1], **MEASURED)


def test_the_rate_of_an_even_load_is_its_mean() -> None:
    tale = Tale().planned(30)
    for n in range(30):
        tale.acked(f"{n}", at=n / 3).effect(f"{n}", n / 3)
    assert RetryAmplification(peak=1.0).check(tale.ended()).measured["offered"] == 3.0
    bare = Tale().acked("a").acked("a", at=0.1).acked("a", at=0.2).effect("a", 1)
    assert RetryAmplification(peak=1.0).check(bare.ended()).measured["offered"] == 3.0


def test_those_called_for_most_come_first() -> None:
    found = RetryAmplification(calls=1.0).check(called().refused("a", 30).refused("d", 31).refused("d", 32).ended())
    assert found.jobs == (1, 3, 0)


def test_calls_of_a_part_of_the_load_prove_nothing() -> None:
    says = f"The run was cut short; {SAYS}"
    assert RetryAmplification(peak=1.0).check(called().cut()) == undecided(says, examined=10, of=CALLS, **MEASURED)
    assert RetryAmplification(peak=4.0).check(called().cut()).value == "PASS"


def test_nobody_called() -> None:
    found = RetryAmplification(peak=1.0).check(Tale().ended())
    assert (found.value, found.examined, found.measured) == ("PASS", 0, {"calls": 0.0, "peak": 0.0, "offered": 0.0})


def test_a_bound_is_needed() -> None:
    assert list(RetryAmplification().problems()) == ["give `calls` or `peak`, more than 0"]
    assert list(RetryAmplification(calls=1.0).problems()) == list(RetryAmplification(peak=1.0).problems()) == []


def check(history: History) -> Finding:
    return HonoursRetryAfter().check(history)


def told(again: float) -> Tale:
    """A run that is told at 2 to stay away for 3 seconds, and fails; the job is called for again at `again`."""
    tale = Tale().acked("x").effect("x", 2.5).acked("a").started("a", 1, run="one").refused("a", 2, after=3)
    tale.finished("a", 2.1, "failed", run="one")
    return tale.started("a", again - 0.1, run="two").effect("a", again).finished("a", again, run="two")


def test_whoever_comes_back_in_time() -> None:
    says = "1 call told to wait came again, none too soon."
    for again in (5.0, 4.999):
        assert check(told(again).ended()) == passed(says, examined=1, of=TOLD, early=0, told=1)


def test_whoever_comes_back_too_soon() -> None:
    says = "1 call of 1 told to wait came too soon, by up to 1.5 s."
    assert check(told(3.5).ended()) == failed(says, examined=1, of=TOLD, jobs=[1], early=1, told=1)
    assert check(told(3.5).cut()) == check(told(3.5).ended())
    assert check(told(4.998).ended()).value == "FAIL"


def test_calls_of_one_run_are_judged_too() -> None:
    tale = Tale().acked("a").started("a", 1).refused("a", 2, after=3).refused("a", 2.5).effect("a", 9).finished("a", 9)
    assert check(tale.ended()).measured == {"early": 1, "told": 1}


def test_the_soonest_is_named_first_and_each_job_once() -> None:
    tale = Tale().acked("a", "b")
    tale.refused("a", 1, after=3).refused("a", 2, after=3).effect("a", 3).refused("b", 1, after=9).effect("b", 2)
    says = "3 calls of 3 told to wait came too soon, by up to 8.0 s."
    assert check(tale.ended()) == failed(says, examined=3, of=TOLD, jobs=[1, 0], early=3, told=3)


def test_who_was_told_nothing_is_not_judged() -> None:
    nothing = passed("0 calls told to wait came again, none too soon.", examined=0, of=TOLD, early=0, told=0)
    assert check(Tale().acked("a").refused("a", 1).effect("a", 2).ended()) == nothing
    never = Tale().acked("a", "b").refused("a", 1, after=3).effect("b", 2)
    assert check(never.ended()) == passed(nothing.says, examined=0, of=TOLD, early=0, told=1)


def test_the_run_that_was_told_may_have_died_of_something_else() -> None:
    tale = Tale().acked("a").started("a", 1, pid=7).refused("a", 2, after=3).died("w1", 7, 2.1)
    assert check(tale.started("a", 2.4).effect("a", 2.5).finished("a", 2.5).ended()).examined == 0
    later = told(3.5).died("w1", 1, 4)
    assert check(later.ended()).measured["early"] == 1


def test_a_job_in_two_hands_is_not_judged() -> None:
    both = Tale().acked("a").started("a", 1, run="one").started("a", 1.5, run="two").refused("a", 2, after=3)
    both.finished("a", 2.2, "failed", run="one").effect("a", 2.5).finished("a", 2.5, run="two")
    assert check(both.ended()).examined == 0
    late = Tale().acked("a").started("a", 1, run="one").refused("a", 2, after=3).started("a", 2.2, run="two")
    assert check(late.effect("a", 2.5).finished("a", 2.6, run="two").finished("a", 3, run="one").ended()).examined == 0
    assert check(told(3.5).acked("a", at=0.1).ended()).examined == 0
    assert check(told(3.5).revived("a", 3).ended()).examined == 0
    assert check(told(3.5).revived("a", 1.9).revived("a", 3.6).revived("a", 3, "missing").ended()).examined == 1


def test_jobs_that_nobody_called_for_make_no_peak() -> None:
    assert RetryAmplification(peak=1.0).check(Tale().acked("a").ended()).measured["peak"] == 0.0


def test_a_second_offer_that_comes_later_explains_nothing() -> None:
    assert check(told(3.5).acked("a", at=3.6).ended()).measured["early"] == 1


def test_an_offer_that_was_refused_puts_the_job_into_nobody_s_hands() -> None:
    assert check(told(3.5).rejected("a").ended()).measured["early"] == 1
    assert check(told(3.5).rejected("a").acked("a").ended()).measured["early"] == 0
