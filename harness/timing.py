"""When a fault happens, how often and for how long."""

from collections.abc import Iterator
from typing import Annotated

import msgspec

from harness.condition import COUNTS, Condition
from harness.units import Duration, format_duration

EVENTS = ("start", "effect", "finish", "healed")
CONDITIONS = ", ".join(f"`{count} >= N`" for count in COUNTS)


class Timing(msgspec.Struct, frozen=True):
    """`at` a time of the load, or `when` something is seen."""

    at: Annotated[Duration | None, "this long after the load began"] = None
    every: Annotated[Duration | None, "from one time to the next; goes with `at`"] = None
    times: Annotated[int, msgspec.Meta(ge=1, le=10_000), "how often, in all"] = 1
    for_: Annotated[Duration | None, "how long it lasts before it is healed; with `until`, at the most"] = None
    until: Annotated[str | None, "what ends it before `for` does: a condition, such as `redelivered >= 1`"] = None
    when: Annotated[str | None, "on an event (start, effect, finish, healed) or a condition (`inflight >= N`)"] = None
    after: Annotated[Duration | None, "not before this long after the load began; goes with `when`"] = None
    nth: Annotated[int, msgspec.Meta(ge=1), "on the nth such event since the last time; goes with `when`"] = 1
    patience: Annotated[Duration, "how long after the load an event is waited for until the fault is missed"] = 10.0

    def problems(self) -> Iterator[tuple[str, str]]:
        """What is wrong with the combination, with a remedy each."""
        if (self.at is None) == (self.when is None):
            yield (
                "expected `at` or `when`",
                "add `at: 2s` or `when: effect`" if self.at is None else "keep one of them",
            )
        if self.when is not None and self.when not in EVENTS and not Condition.read(self.when):
            yield (f"expected `when` to be {', '.join(EVENTS)} or a condition, got `{self.when}`", CONDITIONS)
        if self.until is not None and not Condition.read(self.until):
            yield (f"expected `until` to be a condition, got `{self.until}`", CONDITIONS)
        if self.every is not None and self.at is None:
            yield ("`every` goes with `at`", "for events use `nth` and `times`")
        if self.nth != 1 and self.when is None:
            yield ("`nth` goes with `when`", "add `when: effect`, or remove `nth`")
        if self.for_ is not None and self.for_ <= 0:
            yield ("`for` must be more than 0s", "say how long it lasts: `for: 5s`")
        if self.after is not None and self.when is None:
            yield ("`after` goes with `when`", "write `at` instead")
        yield from self._repeats()

    def misfits(self, lasts: bool | None) -> Iterator[tuple[str, str]]:
        """What is wrong with it for a fault that lasts, or happens in a moment; None: it may do either."""
        if lasts is True and self.for_ is None:
            yield ("the key `for` is missing", "say how long it lasts: `for: 5s`")
        for key, value in (("for", self.for_), ("until", self.until)):
            if lasts is False and value is not None:
                yield (f"it happens in a moment and takes no `{key}`", f"remove `{key}`")

    @property
    def awaited(self) -> str:
        """The event that it fires on, as a person says it."""
        if self.when == "healed":
            return f"when {self.nth} fault(s) have healed"
        return f"at the {self.nth}. {self.when}" if self.when in EVENTS else f"when {self.when}"

    def last(self) -> float | None:
        """When it happens for the last time, or is looked for first, in seconds after the load began; None if only
        events decide."""
        return self.after if self.at is None else self.at + (self.every or 0.0) * (self.times - 1)

    def _repeats(self) -> Iterator[tuple[str, str]]:
        if self.times > 1 and self.at is not None and not self.every:
            yield ("`times` above 1 needs `every`", "add `every: 5s`")
        if self.every is not None and self.times == 1:
            yield ("`every` needs `times`", "add `times: 3`")
        if self.for_ is not None and self.every and self.for_ >= self.every:
            yield (
                f"it lasts {format_duration(self.for_)} and comes again after {format_duration(self.every)}",
                "make `for` shorter than `every`",
            )


class Scheduled(msgspec.Struct, frozen=True):
    """A fault and its timing."""

    fault: object
    timing: Timing
