"""Stretches of a run's time that have a name: its faults, from injection to healing, and its phases."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from harness.history.events import Fault, Phase
from harness.history.history import History

_TOOK_HOLD = ("injected",)
_OVER = ("healed", "unhealed")


class Span(msgspec.Struct, frozen=True):
    """From `start` to `end`, in seconds since the run began; the two are equal for what happens at once, as a kill
    does."""

    name: str
    start: float
    end: float


class FaultStory(msgspec.Struct, frozen=True):
    """All that the history says of one fault, in order."""

    n: int
    events: tuple[Fault, ...]

    @property
    def name(self) -> str:
        return self.events[0].fault

    @property
    def injected(self) -> Fault | None:
        return next((event for event in self.events if event.state in _TOOK_HOLD), None)

    @property
    def over(self) -> Fault | None:
        return next((event for event in self.events if event.state in _OVER), None)


def stories(faults: Iterable[Fault]) -> list[FaultStory]:
    """The fault events gathered by number."""
    by_number: dict[int, list[Fault]] = {}
    for fault in faults:
        by_number.setdefault(fault.n, []).append(fault)
    return [FaultStory(n, tuple(events)) for n, events in sorted(by_number.items())]


def faults(history: History) -> tuple[Span, ...]:
    """Every fault that took hold; one that never healed lasts to the end of the history."""
    return tuple(_fault(story, story.injected, history) for story in stories(history.faults) if story.injected)


def _fault(story: FaultStory, injected: Fault, history: History) -> Span:
    over = story.over
    end = injected.t if over is None else history.ends if over.state == "unhealed" else over.t
    return Span(f"{story.n + 1} {story.name}", since(history, injected.t), since(history, end))


def phases(history: History) -> tuple[Span, ...]:
    """Every phase, from its beginning to the moment it was meant to end or the history did."""
    return tuple(
        Span(phase.name, since(history, phase.t), since(history, min(phase.until, history.ends)))
        for phase in history.of(Phase)
    )


def since(history: History, t: int) -> float:
    """Seconds from the run's beginning to a moment of the history."""
    return (t - history.begins) / 1e9
