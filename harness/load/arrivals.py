"""Arrivals: every intended time of a load, decided beforehand from the seed and kept in one compact file."""

from array import array
from pathlib import Path
from random import Random

import msgspec

from harness.clock import SECOND
from harness.load.shapes import Closed, Locustfile, Open, Shape


class Crowd(msgspec.Struct, frozen=True):
    """The users of a closed stage: they are there from `start` (seconds after time zero) for `seconds`."""

    start: float
    seconds: float
    users: int
    think: float = 0.0
    file: str = ""


class Arrivals(msgspec.Struct, frozen=True):
    """A load with everything random decided: `offsets` in ns from time zero, in order, and the closed crowds."""

    offsets: "array[int]"
    crowds: tuple[Crowd, ...] = ()
    numbers: "array[int] | None" = None
    """Which job arrives at each offset; None where every arrival is that of another job."""

    def number(self, index: int) -> int:
        """The number of the job that arrives as number `index`, both counted from 0."""
        return index if self.numbers is None else self.numbers[index]

    @property
    def jobs(self) -> int:
        """How many jobs arrive, each counted once."""
        return len(self.offsets) if self.numbers is None else max(self.numbers, default=-1) + 1


class _Header(msgspec.Struct, frozen=True):
    jobs: int
    crowds: tuple[Crowd, ...]
    numbered: bool = False


def key(index: int) -> str:
    """The key of the job with this number, counted from 0: `job-000001` is the first."""
    return f"job-{index + 1:06d}"


def arrivals(load: tuple[Shape, ...], seed: int) -> Arrivals:
    """Decide every arrival of the stages, one after another. The same load and seed give the same arrivals."""
    random = Random(seed)
    offsets: array[int] = array("q")
    crowds = []
    start = 0.0
    for shape in load:
        if isinstance(shape, Open):
            zero = round(start * SECOND)
            offsets.extend(zero + int(offset * SECOND) for offset in shape.arrivals(random))
        else:
            crowds.append(_crowd(shape, start))
        start += shape.seconds
    return Arrivals(offsets, tuple(crowds))


def repeated(once: Arrivals, *, share: float, after: float, seed: int) -> Arrivals:
    """The same arrivals, a share of which comes a second time, so many seconds after the first."""
    if not share:
        return once
    random = Random(f"{seed} again")
    later = [(offset + round(after * SECOND), n) for n, offset in enumerate(once.offsets) if random.random() < share]
    both = sorted([*((offset, n) for n, offset in enumerate(once.offsets)), *later])
    offsets, numbers = array("q", (offset for offset, _ in both)), array("q", (n for _, n in both))
    return msgspec.structs.replace(once, offsets=offsets, numbers=numbers)


def save(plan: Arrivals, path: Path) -> None:
    """Write a JSON header on one line, then offsets and numbers as 64-bit integers of this machine."""
    header = msgspec.json.encode(_Header(len(plan.offsets), plan.crowds, plan.numbers is not None))
    path.write_bytes(header + b"\n" + plan.offsets.tobytes() + (plan.numbers or array("q")).tobytes())


def read(path: Path) -> Arrivals:
    """Read what `save` wrote; a file cut short is a ValueError."""
    head, _, body = path.read_bytes().partition(b"\n")
    header = msgspec.json.decode(head, type=_Header)
    size = 8 * header.jobs
    if len(body) != size * (2 if header.numbered else 1):
        raise ValueError(f"{path}: {header.jobs} arrivals expected, {len(body) / 8:g} found")
    numbers = array("q", body[size:]) if header.numbered else None
    return Arrivals(array("q", body[:size]), header.crowds, numbers)


def _crowd(shape: Closed | Locustfile, start: float) -> Crowd:
    if isinstance(shape, Closed):
        return Crowd(start, shape.seconds, shape.users, think=shape.think)
    return Crowd(start, shape.seconds, shape.users, file=shape.file)
