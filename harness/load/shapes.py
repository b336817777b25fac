"""The shapes a load may take, each one stage of a scenario's `load`."""

from collections.abc import Iterator
from math import sqrt
from random import Random
from typing import Annotated

from msgspec import Struct

from harness.units import Duration, Rate


class Constant(Struct, frozen=True, forbid_unknown_fields=True):
    """Jobs at equal distances, the first at the stage's start."""

    rate: Annotated[Rate, "jobs offered each second"]
    for_: Annotated[Duration, "how long the stage lasts"]

    @property
    def seconds(self) -> float:
        """How long the stage lasts."""
        return self.for_

    def arrivals(self, random: Random) -> Iterator[float]:
        """Offsets in seconds from the stage's start, in order."""
        return (n / self.rate for n in range(_whole(self.rate * self.for_)))

    def problems(self) -> Iterator[str]:
        """What is wrong with the values, a sentence each."""
        yield from _unless_positive(rate=self.rate, for_=self.for_)


class Poisson(Struct, frozen=True, forbid_unknown_fields=True):
    """Jobs that arrive independently of one another, as those of many strangers do."""

    rate: Annotated[Rate, "jobs offered each second, on average"]
    for_: Annotated[Duration, "how long the stage lasts"]

    @property
    def seconds(self) -> float:
        """How long the stage lasts."""
        return self.for_

    def arrivals(self, random: Random) -> Iterator[float]:
        """Offsets in seconds from the stage's start, in order; the distances are drawn from `random`."""
        offset = random.expovariate(self.rate)
        while offset < self.for_:
            yield offset
            offset += random.expovariate(self.rate)

    def problems(self) -> Iterator[str]:
        """What is wrong with the values, a sentence each."""
        yield from _unless_positive(rate=self.rate, for_=self.for_)


class Ramp(Struct, frozen=True, forbid_unknown_fields=True):
    """A rate that rises or falls in a straight line."""

    from_: Annotated[Rate, "jobs offered each second at the stage's start"]
    to: Annotated[Rate, "jobs offered each second at its end"]
    for_: Annotated[Duration, "how long the stage lasts"]

    @property
    def seconds(self) -> float:
        """How long the stage lasts."""
        return self.for_

    def arrivals(self, random: Random) -> Iterator[float]:
        """Offsets in seconds from the stage's start, in order: job n comes when n jobs are due."""
        jobs = _whole((self.from_ + self.to) / 2 * self.for_)
        steepness = (self.to - self.from_) / self.for_
        # Solves n = from*t + steepness*t*t/2 for t, in the form that is exact when the ramp is flat.
        return (
            2 * n / (self.from_ + sqrt(max(self.from_**2 + 2 * steepness * n, 0.0))) if n else 0.0 for n in range(jobs)
        )

    def problems(self) -> Iterator[str]:
        """What is wrong with the values, a sentence each."""
        yield from _unless_positive(for_=self.for_)
        if min(self.from_, self.to) < 0 or self.from_ == self.to == 0:
            yield f"`from` and `to` must not be negative, nor both 0; they are {self.from_:g} and {self.to:g}"


class Burst(Struct, frozen=True, forbid_unknown_fields=True):
    """Many jobs at once at the stage's start, and again `times` in all."""

    jobs: Annotated[int, "jobs in one burst"]
    every: Annotated[Duration, "from one burst to the next"] = 0.0
    times: Annotated[int, "how many bursts"] = 1

    @property
    def seconds(self) -> float:
        """How long the stage lasts: each burst is followed by its pause."""
        return self.every * self.times

    def arrivals(self, random: Random) -> Iterator[float]:
        """Offsets in seconds from the stage's start, in order."""
        return (n * self.every for n in range(self.times) for _ in range(self.jobs))

    def problems(self) -> Iterator[str]:
        """What is wrong with the values, a sentence each."""
        yield from _unless_positive(jobs=self.jobs, times=self.times)
        if self.every < 0 or (self.times > 1 and self.every == 0):
            yield f"`every` must be positive when there is more than one burst, but is {self.every:g}"


class Closed(Struct, frozen=True, forbid_unknown_fields=True):
    """Users who each think, offer one job and wait for the answer: a slow system is offered less."""

    users: Annotated[int, "users at once"]
    think: Annotated[Duration, "a user's pause before each job"]
    for_: Annotated[Duration, "how long the stage lasts"]

    @property
    def seconds(self) -> float:
        """How long the stage lasts."""
        return self.for_

    def problems(self) -> Iterator[str]:
        """What is wrong with the values, a sentence each."""
        yield from _unless_positive(users=self.users, for_=self.for_)
        if self.think < 0:
            yield f"`think` must not be negative, but is {self.think:g}"


class Locustfile(Struct, frozen=True, forbid_unknown_fields=True):
    """Users as a Locust file describes them; what they post to `/jobs` is recorded."""

    file: Annotated[str, "the Locust file"]
    users: Annotated[int, "users at once"]
    for_: Annotated[Duration, "how long the stage lasts"]

    @property
    def seconds(self) -> float:
        """How long the stage lasts."""
        return self.for_

    def problems(self) -> Iterator[str]:
        """What is wrong with the values, a sentence each."""
        yield from _unless_positive(users=self.users, for_=self.for_)
        if not self.file.endswith(".py"):
            yield f"`file` must be a Python file, but is {self.file!r}"


Open = Constant | Poisson | Ramp | Burst
Shape = Open | Closed | Locustfile

SHAPES: dict[str, type[Shape]] = {
    shape.__name__.lower(): shape for shape in (Constant, Poisson, Ramp, Burst, Closed, Locustfile)
}


def _whole(jobs: float) -> int:
    """Jobs in a stage; 0.1 * 30 is 3 jobs and not 4, whatever the floats say."""
    return int(jobs + 1e-6) + (jobs % 1 > 1e-6 and jobs % 1 < 1 - 1e-6)


def _unless_positive(**values: float) -> Iterator[str]:
    for name, value in values.items():
        if value <= 0:
            yield f"`{name.rstrip('_')}` must be more than 0, but is {value:g}"
