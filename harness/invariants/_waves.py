"""How retries come back after a wave of failures: apart or together, later each time or at one pace."""

from typing import Literal

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FEWEST = 10  # retries with the same number, below which that number is not judged
NEIGHBOURS = 10  # each retry is compared with those of the jobs that failed next
NEAR = 0.15  # two delays are together when they differ by no more than this share of their mean,
QUIET = 0.15  # but always within so many seconds, which queueing alone may add on an idle machine,
BUSY = 0.4  # or so many, on a busy one,
NEAR_MOST = 1.5  # and never beyond this many (a second and a half apart is no herd, however long the wait)
IMMEDIATE = 0.5  # seconds: what came back sooner is not called apart on a busy machine
APART = 0.42  # the share of pairs that must come back apart
MARGIN = 0.4  # the margin around that share, for one retry; it shrinks with the root of their number
GAP = 1.0  # seconds without a failure that end a wave
WITNESSES = 10

GROWTH = 0.15  # a pace is fixed when late retries wait longer than early ones by less than this share;
TICK = 1.05  # delays have grown when they did so by that share and by more seconds than a poller's tick can add,
GROWTH_SHORT = 1.2  # or, where the early delay is short, by this share of it
SIGMAS = 2.75  # how sure a verdict on growth has to be
KEPT = 0.8  # the share of the shortest delays that is looked at; the rest may be stragglers


class Wave(msgspec.Struct, frozen=True):
    """Jobs whose same-numbered attempts failed one after another without a pause, and how their retries came back."""

    at: float
    attempt: int
    jobs: int
    delay: float
    width: float
    witnesses: tuple[int, ...]


class Spread(msgspec.Struct, frozen=True):
    """Whether retries come back apart: the share of pairs that do, long delays weighing more.

    `apart_busy` allows for the queueing of a busy machine, `apart_quiet` for that of an idle one. Retries are
    `spread` when even the first exceeds the threshold by the margin, in `lockstep` when even the second stays below
    it; otherwise it is `unclear`.
    """

    verdict: Literal["spread", "lockstep", "unclear", "too_few"]
    apart_busy: float
    apart_quiet: float
    threshold: float
    margin: float
    retries: int
    pairs: int
    waves: int
    worst: Wave | None


class BackOff(msgspec.Struct, frozen=True):
    """Whether later retries wait longer: the mean delays, in seconds, of the first, the early and the late ones.

    `early` is the second retry where there are three or more, else the first: a poller puts what it has once started
    in step with itself, which makes the first delay unlike the rest.
    """

    verdict: Literal["backs_off", "fixed_pace", "unclear", "too_few"]
    first: float
    early: float
    late: float
    retries: int
    attempts: int


class _Retries(msgspec.Struct, frozen=True):
    """Retries that can be judged, ordered by number and then by failure; `group` is dense, `order` says where each
    stood."""

    job: Ints
    attempt: Ints
    failed_at: Floats
    delay: Floats
    group: Ints
    sizes: Ints
    order: Ints


def spread(job: ArrayLike, attempt: ArrayLike, failed_at: ArrayLike, started_at: ArrayLike) -> Spread:
    """Judge whether jobs that failed one after another are retried apart from one another.

    The four arrays have an entry per retry: its job, which retry of the job it is (1 is the first), when the attempt
    before it failed and when it began, in seconds. A number that fewer than ten retries have is not judged; with
    none left the verdict is `too_few`.
    """
    retries = _judged(job, attempt, failed_at, started_at)
    if not retries.job.size:
        return Spread("too_few", 0.0, 0.0, APART, 0.0, 0, 0, 0, None)
    pairs, busy, quiet = _pairs(retries)
    # Noise is the same at every number while jitter grows with the delay: so long delays weigh more.
    weight = np.bincount(retries.group, retries.delay) / retries.sizes + 1e-9
    apart_busy, apart_quiet = _share(busy, pairs, weight), _share(quiet, pairs, weight)
    margin = MARGIN * float(np.sqrt(np.sum(retries.sizes * weight**2)) / np.sum(retries.sizes * weight))
    waves, worst = _worst(retries, int(np.argmin(busy / np.maximum(pairs, 1))))
    verdict = _verdict(apart_busy, apart_quiet, margin)
    return Spread(verdict, apart_busy, apart_quiet, APART, margin, retries.job.size, int(pairs.sum()), waves, worst)


def backs_off(
    job: ArrayLike, attempt: ArrayLike, failed_at: ArrayLike, started_at: ArrayLike, queued: ArrayLike = 0.0
) -> BackOff:
    """Judge whether later retries wait longer than early ones; the arguments are those of `spread`, and `queued`: how
    long a new job waited for a worker when each retry began.

    Neither immediate retries nor a fixed pace do. Fewer than two numbers with ten retries each give `too_few`; a
    growth that chance or a poller might have made gives `unclear`. So does one that drowns in the wait for a worker,
    unless it is clear once that wait is taken off.
    """
    retries = _judged(job, attempt, failed_at, started_at)
    count = int(retries.sizes.size)
    if count < 2:
        return BackOff("too_few", 0.0, 0.0, 0.0, retries.job.size, count)
    means = first, early, late = _means(retries.delay, retries)
    verdict = _growth(*means)
    if verdict == "unclear" and _surplus(late, first, 1 + GROWTH) > 0:
        waited = np.broadcast_to(np.asarray(queued, np.float64), np.shape(job))[retries.order]
        bare = _means(np.maximum(retries.delay - waited, 0.0), retries)
        verdict = "backs_off" if _growth(*bare) == "backs_off" else "unclear"
    return BackOff(verdict, first.mean, early.mean, late.mean, retries.job.size, count)


def _verdict(busy: float, quiet: float, margin: float) -> Literal["spread", "lockstep", "unclear"]:
    if busy >= APART + margin:
        return "spread"
    return "lockstep" if quiet < APART - margin else "unclear"


def _share(apart: Ints, pairs: Ints, weight: Floats) -> float:
    return float(np.sum(weight * apart) / max(float(np.sum(weight * pairs)), 1e-9))


class _Mean(msgspec.Struct, frozen=True):
    mean: float
    error: float


def _mean(delay: Floats) -> _Mean:
    """The mean of the shortest delays, and its standard error."""
    kept = np.sort(delay)[: int(KEPT * delay.size)]
    return _Mean(float(kept.mean()), float(kept.std(ddof=1) / np.sqrt(kept.size)))


def _means(delay: Floats, retries: _Retries) -> tuple[_Mean, _Mean, _Mean]:
    """Of the first, the early and the late retries."""
    count = retries.sizes.size
    first = _mean(delay[retries.group == 0])
    early = _mean(delay[retries.group == 1]) if count > 2 else first
    return first, early, _mean(delay[retries.group >= (count + 1) // 2])


def _growth(first: _Mean, early: _Mean, late: _Mean) -> Literal["backs_off", "fixed_pace", "unclear"]:
    factor = 1 + max(GROWTH, min(GROWTH_SHORT, TICK / first.mean if first.mean > 0 else GROWTH_SHORT))
    if _surplus(late, first, factor) > 0 and late.mean > TICK:
        return "backs_off"
    at_once = late.mean + SIGMAS * late.error < IMMEDIATE and late.mean < first.mean * (1 + GROWTH_SHORT)
    fixed = _surplus(_Mean(-late.mean, late.error), _Mean(-early.mean, early.error), 1 + GROWTH) >= 0
    return "fixed_pace" if at_once or fixed else "unclear"


def _surplus(late: _Mean, early: _Mean, factor: float) -> float:
    """By how much the late mean is certain to exceed the early one times the factor."""
    return late.mean - early.mean * factor - SIGMAS * float(np.hypot(late.error, early.error * factor))


def _judged(job: ArrayLike, attempt: ArrayLike, failed_at: ArrayLike, started_at: ArrayLike) -> _Retries:
    """Order the retries, and leave out the numbers that too few of them have."""
    numbers, group, sizes = np.unique(np.asarray(attempt, np.int64), return_inverse=True, return_counts=True)
    failed = np.asarray(failed_at, np.float64)
    order = np.lexsort((failed, group))
    order = order[sizes[group[order]] >= FEWEST]
    kept = sizes >= FEWEST
    dense = np.cumsum(kept) - 1
    delay = np.maximum(np.asarray(started_at, np.float64)[order] - failed[order], 0.0)
    jobs = np.asarray(job, np.int64)[order]
    return _Retries(jobs, numbers[group[order]], failed[order], delay, dense[group[order]], sizes[kept], order)


def _pairs(retries: _Retries) -> tuple[Ints, Ints, Ints]:
    """For each number: pairs of jobs that failed one soon after the other, and how many came back apart, busy and
    quiet."""
    count = retries.sizes.size
    pairs, busy, quiet = np.zeros((3, count), np.int64)
    for step in range(1, min(NEIGHBOURS, retries.job.size - 1) + 1):
        same = (retries.group[step:] == retries.group[:-step]) & (retries.job[step:] != retries.job[:-step])
        group, one, other = retries.group[step:][same], retries.delay[step:][same], retries.delay[:-step][same]
        mean, apart = (one + other) / 2, np.abs(one - other)
        late = mean >= IMMEDIATE
        pairs += np.bincount(group, minlength=count)
        busy += np.bincount(group[late & (apart > np.clip(NEAR * mean, BUSY, NEAR_MOST))], minlength=count)
        quiet += np.bincount(group[apart > np.clip(NEAR * mean, QUIET, NEAR_MOST)], minlength=count)
    return pairs, busy, quiet


def _worst(retries: _Retries, group: int) -> tuple[int, Wave]:
    """How many waves there were, and the largest wave of this group."""
    begins = np.ones(retries.job.size, bool)
    begins[1:] = (np.diff(retries.failed_at) > GAP) | (np.diff(retries.group) != 0)
    starts = np.flatnonzero(begins)
    lengths = np.diff(np.append(starts, retries.job.size))
    largest = int(np.argmax(np.where(retries.group[starts] == group, lengths, 0)))
    return int(starts.size), _wave(retries, slice(int(starts[largest]), int(starts[largest] + lengths[largest])))


def _wave(retries: _Retries, where: slice) -> Wave:
    delay, job = retries.delay[where], retries.job[where]
    low, high = _narrowest(delay)
    inside = job[(delay >= low) & (delay <= high)]
    return Wave(
        at=float(retries.failed_at[where][0]),
        attempt=int(retries.attempt[where][0]),
        jobs=int(np.unique(job).size),
        delay=float(np.median(delay)),
        width=high - low,
        witnesses=tuple(int(number) for number in inside[:WITNESSES]),
    )


def _narrowest(delay: Floats) -> tuple[float, float]:
    """The narrowest window that holds four fifths of the delays."""
    ordered = np.sort(delay)
    held = int(np.ceil(KEPT * ordered.size))
    widths = ordered[held - 1 :] - ordered[: ordered.size - held + 1]
    at = int(np.argmin(widths))
    return float(ordered[at]), float(ordered[at + held - 1])
