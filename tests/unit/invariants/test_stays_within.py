"""A measured figure keeps to its bounds."""

import pytest

from harness.history.history import History
from harness.invariants.stays_within import StaysWithin
from harness.verdict import Finding, failed, passed, undecided
from tests.unit.invariants.histories import Tale


def aged() -> Tale:
    """The oldest job is done after four seconds, the throughput is half a job a second."""
    return Tale().done("a", at=0, start=1, finish=2).done("b", at=0, start=1, finish=4)


def check(history: History, figure: str = "age", **bounds: str) -> Finding:
    return StaysWithin(figure=figure, **bounds).check(history)


@pytest.mark.parametrize(
    ("bounds", "wanted", "holds"),
    [
        ({"most": "4s"}, "at most 4s", True),
        ({"most": "3999ms"}, "at most 3999ms", False),
        ({"least": "4s"}, "at least 4s", True),
        ({"least": "4001ms"}, "at least 4001ms", False),
        ({"most": "5s", "least": "3s"}, "at most 5s and at least 3s", True),
        ({"most": "3s", "least": "1s"}, "at most 3s and at least 1s", False),
        ({"most": "9s", "least": "5s"}, "at most 9s and at least 5s", False),
    ],
)
def test_a_figure_at_its_bounds(bounds: dict[str, str], wanted: str, holds: bool) -> None:
    says = f"age is 4s; {wanted} was wanted."
    assert check(aged().ended(), **bounds) == (passed if holds else failed)(says, examined=1, of="figures", value=4.0)


def test_a_figure_without_a_unit() -> None:
    says = "amplification is 1; at most 1.5 was wanted."
    assert check(aged().ended(), "amplification", most="1.5") == passed(says, examined=1, of="figures", value=1.0)
    assert check(aged().ended(), "throughput", least="30/m").value == "PASS"
    assert check(aged().ended(), "throughput", least="31/m").value == "FAIL"


def test_what_cannot_be_measured() -> None:
    says = "The history does not allow recovery to be measured."
    assert check(aged().ended(), "recovery", most="1s") == undecided(says, of="figures")


def test_a_history_that_was_cut_short() -> None:
    found = check(aged().cut(), most="1s")
    assert found == undecided("The run was cut short; so far age is 4s.", examined=1, of="figures")


def test_a_job_that_never_ends_makes_a_duration_the_least_that_it_can_be() -> None:
    tale = aged().acked("c", at=50)
    says = "age is 50s; at most 60s was wanted, and 1 acked job never came to an end."
    assert check(tale.ended(), most="60s") == undecided(says, examined=1, of="figures", value=50.0)
    assert check(aged().acked("c", at=50).ended(), most="49s").value == "FAIL"
    assert check(aged().acked("c", at=50).ended(), least="10s").value == "PASS"
    assert check(aged().acked("c", at=50).ended(), "amplification", most="2").value == "PASS"


@pytest.mark.parametrize(
    ("bounds", "problem"),
    [
        ({"figure": "ages", "most": "1s"}, "unknown figure `ages`"),
        ({"figure": "age"}, "give `most` or `least`"),
        ({"figure": "age", "most": "4"}, "expected "),
        ({"figure": "calls", "least": "x"}, "expected a number such as 1.5, got `x`"),
        ({"figure": "calls", "most": "nan"}, "expected a finite number, got `nan`"),
        ({"figure": "age", "most": "1s", "least": "2s"}, "`least` 2s is more than `most` 1s"),
    ],
)
def test_what_is_wrong_with_a_bound(bounds: dict[str, str], problem: str) -> None:
    (said,) = StaysWithin(**bounds).problems()
    assert said.startswith(problem)


def test_bounds_that_can_be_kept() -> None:
    for bounds in ({"most": "1s", "least": "1s"}, {"most": "1s"}, {"least": "1s"}):
        assert list(StaysWithin(figure="age", **bounds).problems()) == []
