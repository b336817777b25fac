"""Dead letters as a person reads them."""

from harness.dead_letters import between
from harness.history.events import Letter
from harness.report.letters import table, whole

WHOLE = Letter(
    t=1,
    key="job-1",
    id="7",
    attempts=3,
    error="Permanent",
    message="no\nsuch card",
    died=1_700_000_000.0,
    payload={"key": "job-1"},
)
BARE = Letter(t=1, key="job-2", id="8")


def test_a_row_for_each_with_what_is_not_kept_as_a_question() -> None:
    head, first, second = table([WHOLE, BARE])
    assert head.split() == ["key", "died", "attempts", "error", "message", "id"]
    assert first.split()[0::2] == ["job-1", "3", "no", "card"] and "no such card" in first
    assert second.split() == ["job-2", "?", "?", "?", "?", "8"]
    assert table([]) == ["no dead letters"]


def test_all_that_is_kept_of_one() -> None:
    assert whole(WHOLE)[-1] == 'payload   {"key": "job-1"}'
    assert [line.split(None, 1)[1] for line in whole(BARE)[3:]] == ["not kept"] * 4


def test_a_stretch_of_time_has_both_ends_in_it() -> None:
    letters = [Letter(t=1, key=str(n), id=str(n), died=float(n)) for n in range(5)] + [BARE]
    assert [letter.key for letter in between(letters, 1.0, 3.0)] == ["1", "2", "3"]
    assert [letter.key for letter in between(letters, None, 1.0)] == ["0", "1"]
    assert [letter.key for letter in between(letters, 4.0, None)] == ["4"]
