"""The lines of a history as values, one class per `e`; docs/history.md is their contract."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

Where = Literal["queued", "active", "delayed", "failed", "dead"]
Time = Annotated[int, msgspec.Meta(ge=0, lt=2**62)]
"""Nanoseconds since the epoch, until the year 2116."""
Small = Annotated[int, msgspec.Meta(ge=0, lt=2**31)]


class Event(msgspec.Struct, frozen=True, tag_field="e", tag=str.lower, kw_only=True):
    """Anything that happened, and when."""

    t: Time


class Offer(Event, frozen=True):
    key: str
    intended: Time
    delay: float = 0.0


class Ack(Event, frozen=True):
    key: str


class Reject(Event, frozen=True):
    key: str
    why: str = ""


class Unknown(Event, frozen=True):
    key: str
    why: str = ""


class Drop(Event, frozen=True):
    key: str
    intended: Time
    why: str = ""


class Start(Event, frozen=True):
    worker: str
    pid: int
    key: str
    run: str
    attempt: Small = 1


class Finish(Event, frozen=True):
    worker: str
    pid: int
    key: str
    run: str
    outcome: Literal["done", "failed", "dead"]
    note: str = ""


class Effect(Event, frozen=True):
    key: str
    worker: str = ""
    version: Small = 0


class Replay(Event, frozen=True):
    key: str
    worker: str = ""


class Refuse(Event, frozen=True):
    key: str
    worker: str = ""
    how: str = ""
    after: float = 0.0


class Change(Event, frozen=True):
    key: str
    version: Small


class Ready(Event, frozen=True):
    worker: str
    pid: int


class Run(Event, frozen=True):
    id: str
    scenario: str
    target: str
    seed: int
    completes: Literal["finish", "effect"] = "finish"
    """What completes a job: a run of it that ended `done` or, where no attempts are reported, its side effect."""


class Waits(msgspec.Struct, frozen=True):
    """What the target's own settings come to, in seconds."""

    lease: float = 0.0
    sweep: float = 0.0
    backoff: float = 0.0
    window: float = 0.0
    """The longest time from a job's first run to its last redelivery or retry."""
    extended: bool = False
    """Whether a lease is extended while the handler works."""
    remembers: float | None = None
    """How long a record of what was done is kept; None: for ever."""


class Planned(Event, frozen=True):
    jobs: int
    faults: int
    seconds: float
    waits: Waits | None = None
    load_only: bool | None = None


class Phase(Event, frozen=True):
    name: str
    until: Time


class Up(Event, frozen=True):
    process: str
    pid: int


class Exit(Event, frozen=True):
    process: str
    pid: int
    code: int


class Gone(Event, frozen=True):
    process: str
    pid: int


class Fault(Event, frozen=True):
    n: int
    fault: str
    state: Literal["injected", "missed", "failed", "healed", "unhealed"]
    says: str = ""
    evidence: dict[str, Any] = {}


class State(Event, frozen=True):
    queued: int | None = None
    active: int | None = None
    delayed: int | None = None
    failed: int | None = None
    dead: int | None = None

    @property
    def waiting(self) -> int:
        """Jobs that the queue has still to hand out or get back."""
        return (self.queued or 0) + (self.active or 0) + (self.delayed or 0)


class Held(Event, frozen=True):
    key: str
    where: Where


class Sample(Event, frozen=True):
    process: str
    cpu: float
    rss: int
    used: int | None = None


class Config(Event, frozen=True):
    server: str
    settings: dict[str, str]


class Letter(Event, frozen=True):
    """A dead letter after the drain; what the system did not keep of it is None."""

    key: str
    id: str
    attempts: int | None = None
    error: str | None = None
    message: str | None = None
    died: float | None = None
    payload: dict[str, Any] | None = None


class Revive(Event, frozen=True):
    key: str
    id: str
    who: str = ""
    why: str = ""
    outcome: Literal["replayed", "discarded", "missing"] = "replayed"


class Drained(Event, frozen=True):
    left: int
    why: str = ""


class End(Event, frozen=True):
    pass


OfJob = Offer | Ack | Reject | Unknown | Drop | Start | Finish | Effect | Replay | Refuse | Change
OfRun = (
    Ready
    | Run
    | Planned
    | Phase
    | Up
    | Exit
    | Gone
    | Fault
    | State
    | Held
    | Sample
    | Config
    | Letter
    | Revive
    | Drained
    | End
)
