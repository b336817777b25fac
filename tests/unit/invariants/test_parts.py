"""The small parts that findings are made of: percentiles, stretches of time, words."""

import numpy as np
import pytest

from harness.invariants._percentile import percentiles
from harness.invariants._window import Window, cut_off, window
from harness.invariants._wording import counted, listed, seconds
from tests.unit.invariants.histories import Tale, ns


def test_a_percentile_is_the_smallest_value_that_so_many_do_not_exceed() -> None:
    values = np.random.default_rng(1).permutation(1000) + 1
    assert percentiles(values, [50, 95, 99, 100, 0]) == [500, 950, 990, 1000, 1]
    assert percentiles(np.array([7]), [50, 99, 100]) == [7, 7, 7]
    assert percentiles(np.array([1, 2, 3]), [50]) == [2]


def test_a_stretch_ends_before_its_end() -> None:
    assert Window(2, 5).holds(np.array([1, 2, 4, 5])).tolist() == [False, True, True, False]


def test_a_phase_reaches_as_far_as_the_run_got() -> None:
    history = Tale().phase("calm", 0, 10).phase("storm", 10, 200).done("a", at=1).ended()
    assert window(history, "calm") == Window(ns(0), ns(10))
    assert window(history, "storm") == Window(ns(10), ns(100) + 1)
    assert window(history, "") == Window(ns(0), ns(100) + 1)
    assert window(history, "night") is None


@pytest.mark.parametrize(("moment", "calm"), [(9.9, True), (10, False), (11, False)])
def test_a_phase_is_cut_off_where_the_history_stops_before_its_end(moment: float, calm: bool) -> None:
    tale = Tale().phase("calm", 0, 10).state(moment)
    assert [cut_off(tale.cut(), phase) for phase in ("calm", "storm", "")] == [calm, True, True]
    assert not any(cut_off(tale.ended(), phase) for phase in ("calm", "storm", ""))


@pytest.mark.parametrize(
    ("nanoseconds", "words"),
    [(12e6, "12 ms"), (999e6, "999 ms"), (1e9, "1.0 s"), (-999e6, "-999 ms"), (-2e9, "-2.0 s"), (1.25e12, "1,250.0 s")],
)
def test_times_are_said_in_the_unit_that_fits(nanoseconds: float, words: str) -> None:
    assert seconds(nanoseconds) == words


def test_the_first_three_are_listed() -> None:
    assert [listed(list(names)) for names in ("a", "abc", "abcde")] == ["a", "a, b, c", "a, b, c and 2 more"]
    assert listed(list("abc"), most=1) == "a and 2 more"


def test_one_is_not_many() -> None:
    assert [counted(count, "job") for count in (0, 1, 2, 2000)] == ["0 jobs", "1 job", "2 jobs", "2,000 jobs"]
