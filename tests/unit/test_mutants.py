"""Mutants: each is the module with one change, and the changes are those that a test should notice."""

from typing import Any

import pytest

from tests.mutants import mutants


def shown(source: str) -> list[str]:
    return [f"{mutant.was} -> {mutant.is_now}" for mutant in mutants(source, "made.py")]


@pytest.mark.parametrize(
    ("source", "changes"),
    [
        ("a < b", ["a < b -> a <= b", "a < b -> a >= b"]),
        ("a == b", ["a == b -> a != b"]),
        ("a in b", ["a in b -> a not in b"]),
        ("a and b", ["a and b -> a or b"]),
        ("a + b", ["a + b -> a - b"]),
        ("a |= b", ["a |= b -> a &= b"]),
        ("not a", ["not a -> a"]),
        ("f(7)", ["7 -> 8", "7 -> 6"]),
        ("f(0.0)", ["0.0 -> 1.0", "0.0 -> -1.0"]),
        ("f(True)", ["True -> False"]),
        ("f(side='left')", ["'left' -> 'right'"]),
        ("max(a)", ["max -> min"]),
        ("a.argmin()", ["a.argmin -> a.argmax"]),
        ("failed(a)", ["failed -> undecided"]),
        ("a if b else c", ["a if b else c -> c if b else a"]),
        ("if a: b", ["if a: -> if not a:"]),
        ("def f(): return a", ["return a -> return None"]),
    ],
)
def test_what_is_changed(source: str, changes: list[str]) -> None:
    assert shown(source) == changes


@pytest.mark.parametrize(
    "source",
    [
        "'a text'",
        "a: Literal[1] = b",
        "def f(a: Literal[1]) -> Literal[1]: pass",
        "class A(B, frozen=True): pass",
        "if TYPE_CHECKING:\n    a = 1",
        "f'{a:.3g}'",
        "def f(): return None",
    ],
)
def test_what_no_test_could_notice_is_left_alone(source: str) -> None:
    assert shown(source) == []


def test_a_mutant_has_one_change_and_the_next_has_another() -> None:
    found: list[Any] = []
    for mutant in mutants("a = 1\nb = 2", "made.py"):
        names: dict[str, Any] = {}
        exec(mutant.code, names)
        found.append((mutant.line, names["a"], names["b"]))
    assert found == [(1, 2, 2), (1, 0, 2), (2, 1, 3), (2, 1, 1)]
