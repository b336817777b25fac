"""Histories made by hand: times are seconds since the run began, and everything not said is as in a healthy run."""

from __future__ import annotations

from typing import Any, Literal

from harness.history.columns import Builder
from harness.history.events import (
    Ack,
    Change,
    Drained,
    Drop,
    Effect,
    End,
    Exit,
    Fault,
    Finish,
    Gone,
    Held,
    Letter,
    Offer,
    OfJob,
    OfRun,
    Phase,
    Planned,
    Refuse,
    Reject,
    Replay,
    Revive,
    Run,
    Start,
    State,
    Waits,
    Where,
)
from harness.history.history import History

BEGIN = 1_800_000_000_000_000_000
Outcome = Literal["done", "failed", "dead"]


def ns(at: float) -> int:
    """The moment `at` seconds after the run's beginning."""
    return BEGIN + round(at * 1e9)


class Tale:
    """A history being told; each method adds to it and returns it."""

    def __init__(self) -> None:
        self.builder = Builder()
        self.calls = 0

    def tell(self, *events: OfJob | OfRun) -> Tale:
        for event in events:
            self.builder.add(event)
        return self

    def acked(self, *keys: str, at: float = 0.0) -> Tale:
        """Offered as intended, and acked at once."""
        return self.tell(
            *(event for key in keys for event in (Offer(t=ns(at), key=key, intended=ns(at)), Ack(t=ns(at), key=key)))
        )

    def offered(self, *keys: str, at: float = 0.0, intended: float | None = None, delay: float = 0.0) -> Tale:
        meant = ns(at if intended is None else intended)
        return self.tell(*(Offer(t=ns(at), key=key, intended=meant, delay=delay) for key in keys))

    def rejected(self, key: str, at: float = 0.0) -> Tale:
        return self.offered(key, at=at).tell(Reject(t=ns(at), key=key))

    def dropped(self, key: str, at: float = 0.0) -> Tale:
        return self.tell(Drop(t=ns(at), key=key, intended=ns(at)))

    def started(
        self, key: str, at: float, *, worker: str = "w1", pid: int = 1, run: str = "", attempt: int = 1
    ) -> Tale:
        self.calls += 1
        return self.tell(Start(t=ns(at), worker=worker, pid=pid, key=key, run=run or str(self.calls), attempt=attempt))

    def finished(
        self,
        key: str,
        at: float,
        outcome: Outcome = "done",
        *,
        worker: str = "w1",
        pid: int = 1,
        run: str = "",
        note: str = "",
    ) -> Tale:
        which = run or str(self.calls)
        return self.tell(Finish(t=ns(at), worker=worker, pid=pid, key=key, run=which, outcome=outcome, note=note))

    def ran(
        self,
        key: str,
        start: float,
        finish: float,
        outcome: Outcome = "done",
        *,
        worker: str = "w1",
        pid: int = 1,
        note: str = "",
    ) -> Tale:
        self.started(key, start, worker=worker, pid=pid)
        return self.finished(key, finish, outcome, worker=worker, pid=pid, note=note)

    def effect(self, key: str, at: float, worker: str = "w1", version: int = 0) -> Tale:
        return self.tell(Effect(t=ns(at), key=key, worker=worker, version=version))

    def changed(self, key: str, at: float, version: int = 2) -> Tale:
        return self.tell(Change(t=ns(at), key=key, version=version))

    def refused(self, key: str, at: float, after: float = 0.0) -> Tale:
        return self.tell(Refuse(t=ns(at), key=key, worker="w1", how="429" if after else "503", after=after))

    def letter(self, key: str, at: float = 100.0, **kept: Any) -> Tale:
        """A dead letter that says everything, but for what is given."""
        full: dict[str, Any] = {
            "attempts": 3,
            "error": "E",
            "message": "m",
            "died": ns(at) / 1e9,
            "payload": {"key": key},
        }
        return self.tell(Letter(t=ns(at), key=key, id=f"id of {key}", **{**full, **kept}))

    def revived(self, key: str, at: float, outcome: Literal["replayed", "discarded", "missing"] = "replayed") -> Tale:
        return self.tell(Revive(t=ns(at), key=key, id=f"id of {key}", outcome=outcome))

    def replay(self, key: str, at: float) -> Tale:
        return self.tell(Replay(t=ns(at), key=key, worker="w1"))

    def done(self, *keys: str, at: float = 0.0, start: float | None = None, finish: float | None = None) -> Tale:
        """All that becomes of a healthy job."""
        begins = at + 0.1 if start is None else start
        ends = begins + 0.1 if finish is None else finish
        for key in keys:
            self.acked(key, at=at).started(key, begins).effect(key, ends).finished(key, ends)
        return self

    def fault(
        self,
        name: str,
        at: float,
        healed: float | None = None,
        *,
        n: int = 0,
        says: str = "",
        evidence: dict[str, Any] | None = None,
    ) -> Tale:
        proof = {"pid": 7} if evidence is None else evidence
        self.tell(Fault(t=ns(at), n=n, fault=name, state="injected", says=says, evidence=proof))
        return self if healed is None else self.tell(Fault(t=ns(healed), n=n, fault=name, state="healed"))

    def amiss(
        self, name: str, at: float, state: Literal["missed", "failed", "unhealed"], says: str, n: int = 0
    ) -> Tale:
        return self.tell(Fault(t=ns(at), n=n, fault=name, state=state, says=says))

    def died(self, worker: str, pid: int, at: float, code: int = -9) -> Tale:
        return self.tell(Exit(t=ns(at), process=worker, pid=pid, code=code))

    def gone(self, worker: str, pid: int, at: float) -> Tale:
        return self.tell(Gone(t=ns(at), process=worker, pid=pid))

    def phase(self, name: str, since: float, until: float) -> Tale:
        return self.tell(Phase(t=ns(since), name=name, until=ns(until)))

    def planned(self, jobs: int, faults: int = 0, *, waits: Waits | None = None) -> Tale:
        return self.tell(Planned(t=ns(0), jobs=jobs, faults=faults, seconds=10.0, waits=waits))

    def state(self, at: float, **counts: int) -> Tale:
        return self.tell(State(t=ns(at), **counts))

    def held(self, key: str, where: Where, at: float = 100.0) -> Tale:
        return self.tell(Held(t=ns(at), key=key, where=where))

    def from_outside(self) -> Tale:
        """The target reports no attempts."""
        return self.tell(Run(t=ns(0), id="r", scenario="s", target="t", seed=1, completes="effect"))

    def cut(self) -> History:
        """The history as a killed harness leaves it."""
        return History(self.builder.columns_by_time())

    def ended(self, at: float = 100.0, why: str = "everything was done", waiting: int | None = 0) -> History:
        """The history of a whole run; `waiting` is what the queue said last, None if it says nothing."""
        if waiting is not None:
            self.state(at, queued=waiting, active=0, delayed=0)
        return self.tell(Drained(t=ns(at), left=0, why=why), End(t=ns(at))).cut()
