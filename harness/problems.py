"""What is wrong with a person's input: every problem at once, each with its place and a remedy."""

from collections.abc import Iterable
from typing import Protocol

import msgspec


class Place(Protocol):
    """Anything that knows where it stands in a file; lines and columns count from 1."""

    @property
    def line(self) -> int: ...
    @property
    def column(self) -> int: ...


class Problem(msgspec.Struct, frozen=True, order=True):
    """One thing that is wrong: where (a file with line and column, or an option), what, and what to do about it."""

    source: str
    line: int
    column: int
    message: str
    hint: str = ""

    def __str__(self) -> str:
        place = f"{self.source}:{self.line}:{self.column}" if self.line else self.source
        return f"{place}: {self.message}" + (f"; {self.hint}" if self.hint else "")


class Problems(Exception):
    """Input that cannot be used; `found` has every problem, in the order of the text."""

    def __init__(self, found: Iterable[Problem]) -> None:
        self.found = tuple(found)
        super().__init__("\n".join(map(str, self.found)))


class Findings:
    """Collects the problems of one source while it is read to its end."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.found: list[Problem] = []

    def add(self, place: Place | None, message: str, hint: str = "") -> None:
        """Record one problem at a place, or of the source as a whole."""
        line, column = (place.line, place.column) if place else (0, 0)
        # What is laid over a file stands in a file of its own.
        source = getattr(place, "source", "") or self.source
        self.found.append(Problem(source, line, column, message, hint))

    def settle(self) -> None:
        """Raise all that was found, if anything was."""
        if self.found:
            raise Problems(sorted(set(self.found)))


def refuse(source: str, message: str, hint: str = "") -> Problems:
    """The one problem of a source as a whole, to be raised."""
    return Problems([Problem(source, 0, 0, message, hint)])


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint that names the likeliest of the known names, or lists them all when none is near."""
    from difflib import get_close_matches

    choices = sorted(known)
    if close := get_close_matches(name, choices, 1, 0.6):
        return f"did you mean `{close[0]}`?"
    return f"known: {', '.join(choices)}" if choices else ""
