"""The time left, from earlier runs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.cell import Cell
from harness.suite.journal import Ended, Mark
from harness.suite.pace import Pace, left


def took(cell: Cell, seconds: float, mark: Mark = "pass") -> Ended:
    return Ended(cell, "d", 1, mark, 0, "", seconds=seconds)


@pytest.mark.parametrize(
    ("waiting", "under_way", "jobs", "seconds"),
    [
        ([], [], 2, 0.0),
        ([10, 10, 10], [], 1, 30.0),
        ([10, 10, 10], [], 2, 20.0),
        ([10], [3, 8], 2, 13.0),
        ([], [3, 8], 2, 8.0),
        ([5], [-4, 20], 2, 20.0),
    ],
)
def test_places_that_become_free_are_taken_in_order(
    waiting: list[float], under_way: list[float], jobs: int, seconds: float
) -> None:
    assert left(waiting, under_way, jobs) == seconds


@given(st.lists(st.floats(0, 1000), max_size=30), st.integers(1, 8))
def test_it_is_never_less_than_the_work_shared_out_nor_more_than_all_in_a_row(waiting: list[float], jobs: int) -> None:
    seconds = left(waiting, [], jobs)
    assert max([sum(waiting) / jobs, *waiting]) <= seconds + 1e-6
    assert seconds <= sum(waiting) + 1e-6


def test_a_cell_is_expected_to_take_what_it_took_last_and_a_new_one_what_its_like_took() -> None:
    a, b, c = Cell("a.yaml", "x"), Cell("a.yaml", "y"), Cell("b.yaml", "x")
    pace = Pace([took(a, 99.0), took(a, 10.0), took(b, 20.0)])
    assert pace.expected(a) == 10.0
    assert pace.expected(Cell("a.yaml", "x", variant="broken")) == 10.0
    assert pace.expected(Cell("a.yaml", "z")) == 15.0
    assert pace.expected(c) == 15.0


def test_nothing_is_known_before_the_first_run_and_an_error_teaches_nothing() -> None:
    a = Cell("a.yaml", "x")
    assert Pace([took(a, 1.0, "ERROR")]).expected(a) is None
    assert Pace([took(a, 10.0)]).expected(Cell("a.yaml", "x", quick=True)) is None
