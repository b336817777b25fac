"""What was given up can be found, is told in full, is counted, and can be put back."""

from typing import Any

import pytest

from harness.history.history import History
from harness.invariants.dead_letter_growth_is_reported import DeadLetterGrowthIsReported
from harness.invariants.dead_letters_are_complete import DeadLettersAreComplete
from harness.invariants.dead_letters_replay import DeadLettersReplay
from harness.invariants.failures_are_visible import FailuresAreVisible
from harness.verdict import Finding, failed, passed, undecided
from tests.unit.invariants.histories import BEGIN, Tale

GIVEN_UP, LETTERS, PUT_BACK = "jobs that were given up", "dead letters", "dead letters put back"
GROWN = "jobs given up while the queue was asked"


def dead(*keys: str, at: float = 5.0) -> Tale:
    tale = Tale()
    for key in keys:
        tale.acked(key).ran(key, at - 1, at, "dead")
    return tale


def visible(history: History) -> Finding:
    return FailuresAreVisible().check(history)


def all_visible(count: int) -> Finding:
    says = f"{count} job{'s' * (count != 1)} given up, each to be found among the dead letters."
    return passed(says, examined=count, of=GIVEN_UP, hidden=0)


def test_whoever_left_no_trace_is_named() -> None:
    says = "1 job of 2 that were given up left no trace."
    found = visible(dead("a", "b").letter("a").letter("stranger").ended())
    assert found == failed(says, examined=2, of=GIVEN_UP, jobs=[1], hidden=1)


def test_a_trace_is_a_letter_a_place_among_the_dead_or_the_word_that_removed_it() -> None:
    tale = dead("a", "b", "c", "d").letter("a").held("b", "failed").held("c", "dead").revived("d", 9, "discarded")
    assert visible(tale.revived("stranger", 9, "discarded").ended()) == all_visible(4)
    for where in ("queued", "active", "delayed"):
        assert visible(dead("a").held("a", where).ended()).value == "FAIL"  # type: ignore[arg-type]
    assert visible(dead("a").revived("a", 9, "missing").ended()).value == "FAIL"


def test_whoever_ran_again_was_put_back_or_was_completed_is_not_given_up() -> None:
    assert visible(dead("a").ran("a", 5.1, 6, "failed").ended()) == all_visible(0)
    assert visible(dead("a").revived("a", 5.1).ended()) == all_visible(0)
    assert visible(dead("a").ran("a", 1, 3).ended()) == all_visible(0)
    assert visible(dead("a").revived("a", 4.9).ended()).examined == 1
    assert visible(dead("a").ran("a", 4.5, 6, "failed").ended()).examined == 1


def test_letters_are_read_only_at_the_end() -> None:
    says = "The run was cut short, before the dead letters were read."
    assert visible(dead("a").cut()) == undecided(says, examined=1, of=GIVEN_UP)
    assert visible(Tale().done("a").cut()) == all_visible(0)


def complete(history: History) -> Finding:
    return DeadLettersAreComplete().check(history)


def test_letters_that_say_everything() -> None:
    says = "2 dead letters, each with key, payload, attempts, error and time."
    tale = dead("a", "b").letter("a").letter("b", attempts=1, died=BEGIN / 1e9)
    assert complete(tale.ended()) == passed(says, examined=2, of=LETTERS, incomplete=0)


@pytest.mark.parametrize(
    ("part", "kept"),
    [
        ("payload", {"payload": None}),
        ("payload", {"payload": {"key": "b"}}),
        ("attempts", {"attempts": None}),
        ("attempts", {"attempts": 0}),
        ("error", {"error": None}),
        ("error", {"error": ""}),
        ("message", {"message": None}),
        ("time", {"died": None}),
        ("time", {"died": BEGIN / 1e9 - 2.1}),
        ("time", {"died": BEGIN / 1e9 + 102.1}),
    ],
)
def test_what_a_letter_lacks_is_named(part: str, kept: dict[str, Any]) -> None:
    says = f"1 dead letter of 2 lack what is needed: {part}."
    found = complete(dead("x", "a").letter("x").letter("a", **kept).ended())
    assert found == failed(says, examined=2, of=LETTERS, jobs=[1], incomplete=1)


@pytest.mark.parametrize("died", [BEGIN / 1e9 - 1.9, BEGIN / 1e9 + 101.9])
def test_a_clock_may_be_rounded(died: float) -> None:
    assert complete(dead("a").letter("a", died=died).ended()).value == "PASS"


def test_two_letters_of_one_job_and_one_of_a_stranger_are_three() -> None:
    tale = dead("a").letter("a", error="", message="").letter("a", attempts=None).letter("stranger", payload=None)
    says = "3 dead letters of 3 lack what is needed: attempts, error, message, payload."
    assert complete(tale.ended()) == failed(says, examined=3, of=LETTERS, jobs=[0], incomplete=3)


def replay(history: History) -> Finding:
    return DeadLettersReplay().check(history)


def test_letters_that_were_put_back_and_done() -> None:
    tale = dead("a", "b", "c", "d").revived("a", 8).ran("a", 9, 10).revived("b", 8, "missing").ran("b", 7, 8)
    says = "3 dead letters put back, each completed afterwards."
    tale.revived("c", 8, "discarded").revived("d", 6).ran("d", 6, 7, "dead").revived("d", 8).ran("d", 9, 10)
    found = replay(tale.ended())
    assert found == passed(says.replace("3", "4"), examined=4, of=PUT_BACK, failed=0)


def test_letters_that_were_not_done_are_named_once() -> None:
    tale = dead("a", "b", "c", "d").revived("a", 8, "missing").revived("b", 8).ran("b", 6, 7).revived("b", 9)
    tale.revived("c", 8).ran("c", 9, 10, "dead").revived("stranger", 8).revived("d", 8).ran("d", 9, 10)
    says = "5 dead letters of 6 put back were not completed afterwards."
    assert replay(tale.ended()) == failed(says, examined=6, of=PUT_BACK, jobs=[0, 1, 2], failed=5)


def test_what_may_yet_be_done_is_left_open() -> None:
    says = "The run was cut short while 1 replayed job had not completed."
    assert replay(dead("a").revived("a", 8).cut()) == undecided(says, examined=1, of=PUT_BACK, jobs=[0], failed=1)
    says = "The drain was cut short while 1 replayed job had not completed."
    found = replay(dead("a").revived("a", 8).held("a", "queued").ended(why="patience ended"))
    assert found == undecided(says, examined=1, of=PUT_BACK, jobs=[0], failed=1)
    assert replay(dead("a").revived("a", 8).held("a", "queued").ended()).value == "FAIL"
    assert replay(dead("a").revived("a", 8).ran("a", 8, 9, "dead").ended(why="patience ended")).value == "FAIL"


def grown(history: History) -> Finding:
    return DeadLetterGrowthIsReported().check(history)


def counts(tale: Tale, *looks: tuple[float, int]) -> Tale:
    for at, count in looks:
        tale.state(at, dead=count)
    return tale


def test_a_queue_that_counts_its_dead() -> None:
    tale = dead("a", at=3).tell().acked("b").ran("b", 4, 7, "dead")
    says = "2 jobs given up, 0.5 a second; the queue counted 2."
    measured = {"given_up": 2, "counted": 2, "per_second": 0.5}
    assert grown(counts(tale, (1, 7), (5, 8), (9, 9)).ended()) == passed(says, examined=2, of=GROWN, **measured)


def test_a_queue_that_does_not_count_them_all() -> None:
    says = "2 jobs given up, 2 a second, and the queue's count of dead letters grew by 1."
    measured = {"given_up": 2, "counted": 1, "per_second": 2.0}
    found = grown(counts(dead("a", "b"), (1, 0), (9, 1)).ended())
    assert found == failed(says, examined=2, of=GROWN, **measured)


def test_a_queue_that_counts_nothing() -> None:
    says = "1 job given up, 1 a second, and the queue's state has no count of dead letters."
    measured = {"given_up": 1, "counted": 0, "per_second": 1.0}
    assert grown(dead("a").ended()) == failed(says, examined=1, of=GROWN, **measured)
    says = "1 job given up, 1 a second; but the queue could never be asked."
    assert grown(dead("a").ended(waiting=None)) == undecided(says, examined=1, of=GROWN, **measured)


def test_only_what_a_look_can_have_shown_is_asked_for() -> None:
    assert grown(counts(dead("a"), (5.0, 0), (9, 0)).ended()).examined == 0
    assert grown(counts(dead("a"), (4.9, 0), (6.0, 0)).ended()).examined == 1
    assert grown(counts(dead("a"), (4.9, 0), (5.9, 0)).ended()).examined == 0
    nothing = "0 jobs given up, 0 a second; the queue counted 0."
    measured = {"given_up": 0, "counted": 0, "per_second": 0.0}
    assert grown(Tale().done("a").ended()) == passed(nothing, examined=0, of=GROWN, **measured)


def test_letters_that_were_taken_out_have_been_counted() -> None:
    tale = (
        counts(dead("a", "b"), (1, 0), (7, 2)).revived("a", 8).revived("b", 8, "discarded").revived("c", 8, "missing")
    )
    tale.acked("d").ran("d", 8, 8.2, "dead").ran("a", 8, 8.1, "dead")
    assert grown(counts(tale, (8.5, 2), (20, 1), (30, 1)).ended()).measured["counted"] == 4
    again = counts(dead("a"), (1, 0), (7, 1)).revived("a", 7.5).ran("a", 8, 9, "dead")
    assert grown(counts(again, (20, 1)).ended()).measured == {"given_up": 1, "counted": 2, "per_second": 1.0}


def test_whoever_was_completed_before_is_not_missed() -> None:
    assert grown(counts(dead("a").ran("a", 1, 4.9), (1, 0), (9, 0)).ended()).examined == 0
    assert grown(counts(dead("a").ran("a", 6, 7), (1, 0), (9, 0)).ended()).examined == 1


def test_a_history_that_was_cut_short_may_not_show_the_count() -> None:
    says = "1 job given up, 1 a second; but the run was cut short."
    measured = {"given_up": 1, "counted": 0, "per_second": 1.0}
    assert grown(counts(dead("a"), (1, 0), (9, 0)).cut()) == undecided(says, examined=1, of=GROWN, **measured)


def test_a_letter_that_had_been_taken_out_need_not_be_found_again() -> None:
    tale = dead("a", "b").revived("a", 8).ran("a", 9, 10).revived("a", 11, "missing")
    tale.revived("b", 8, "discarded").revived("b", 9, "missing")
    assert replay(tale.ended()).measured == {"failed": 0} and replay(tale.ended()).examined == 1
    assert replay(dead("a").revived("a", 8, "missing").revived("a", 9, "missing").ended()).measured == {"failed": 2}


def test_whoever_dies_with_the_word_on_its_lips_is_not_counted_by_the_queue() -> None:
    tale = counts(dead("a").died("w1", 1, 5.1).ran("a", 6, 7, pid=2), (1, 0), (9, 0))
    assert grown(tale.ended()).examined == 0
    assert grown(counts(dead("a").died("w1", 1, 6.1).ran("a", 6, 7, pid=2), (1, 0), (9, 0)).ended()).examined == 1
    assert grown(counts(dead("a").died("w1", 1, 5.1), (1, 0), (9, 0)).ended()).examined == 1
