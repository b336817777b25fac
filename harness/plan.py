"""A plan: the scenario with everything random decided by its seed, and every wait worked out."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from harness.decode import Value
from harness.load.arrivals import Arrivals, arrivals, repeated
from harness.scenario import Scenario
from harness.target import Target

MARGIN = 3.0
LONGEST, HOPELESS = 180.0, 30.0
"""How long to wait for movement if nobody says: up to the first where that covers the lease, else the second."""


class Firing(msgspec.Struct, frozen=True):
    """One fault that will fire: its number, what it is, and when, as a person reads it."""

    n: int
    fault: str
    when: str


class Rest(msgspec.Struct, frozen=True):
    """How long nothing may move until nothing more is expected to, and whether that covers what the target needs; where
    it does not, a job that is still held proves nothing."""

    seconds: float
    enough: bool


class Waits(msgspec.Struct, frozen=True):
    """How long the target may need, in seconds, by its own settings."""

    lease: float
    sweep: float
    backoff: float
    window: float
    """The longest time from a job's first run to its last redelivery or retry."""
    extended: bool
    """Whether a lease is extended while the handler works."""
    remembers: float | None
    """How long the handler's record of what was done is kept; None: for ever."""
    rest: Rest
    """By then every lease has run out and every retry come."""
    rest_of_leases: Rest
    """The same, while no job waits for a retry."""
    timeout: float


class Plan(msgspec.Struct, frozen=True):
    """What will be done."""

    jobs: int
    seconds: float
    firings: tuple[Firing, ...]
    waits: Waits
    generators: int


def plan(scenario: Scenario, target: Target) -> tuple[Plan, Arrivals]:
    """Decide everything; nothing is started."""
    again = scenario.again
    coming = arrivals(scenario.load, scenario.seed)
    coming = repeated(coming, share=again.share, after=again.after, seed=scenario.seed)
    rate = len(coming.offsets) / max(scenario.seconds, 1.0)
    return Plan(
        jobs=coming.jobs,
        seconds=scenario.seconds,
        firings=tuple(_firings(scenario)),
        waits=_waits(scenario, target),
        generators=1 if rate < 1500 else 2,
    ), coming


def _firings(scenario: Scenario) -> list[Firing]:
    from harness.units import format_duration
    from harness.variants import name_of

    firings: list[Firing] = []
    for scheduled in scenario.faults:
        timing = scheduled.timing
        for turn in range(timing.times):
            if timing.at is not None:
                when = f"at {format_duration(round(timing.at + turn * (timing.every or 0.0), 6))}"
            else:
                when = timing.awaited + (f" after time {turn}" if turn else "")
                when += f", not before {format_duration(timing.after)}" if timing.after else ""
            lasting = f" for {format_duration(timing.for_)}" if timing.for_ else ""
            lasting += f", or until {timing.until}" if timing.until else ""
            firings.append(Firing(len(firings), name_of(scheduled.fault), when + lasting))
    return firings


def _waits(scenario: Scenario, target: Target) -> Waits:
    lease, sweep, backoff = (target.seconds(what, scenario.knobs) for what in ("lease", "sweep", "backoff"))
    handler, knobs, patience = scenario.handler, scenario.knobs, scenario.drain.patience
    leases = lease + sweep + handler.work + handler.busy + MARGIN
    return Waits(
        lease=lease,
        sweep=sweep,
        backoff=backoff,
        window=target.seconds("window", knobs) if target.window else lease + sweep + backoff,
        extended=target.extended(knobs),
        remembers=_remembers(knobs),
        rest=_rest(leases + max(backoff, handler.delay), patience),
        rest_of_leases=_rest(leases, patience),
        timeout=scenario.drain.timeout,
    )


def _remembers(knobs: Mapping[str, Value]) -> float | None:
    """By the protocol, only a key that is set in Redis expires; who looks at nothing remembers nothing."""
    match knobs.get("idempotency"):
        case "none":
            return 0.0
        case "setnx":
            return float(knobs["idempotency_ttl"])
    return None


def _rest(needed: float, patience: float | None) -> Rest:
    patience = patience or (LONGEST if needed <= LONGEST else HOPELESS)
    return Rest(min(needed, patience), needed <= patience)
