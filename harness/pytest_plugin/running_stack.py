"""A stack in the hands of a test: what the test may do to it, ask of it and claim of it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Self, TypeVar

from harness.history import columns
from harness.load.arrivals import key
from harness.problems import refuse
from harness.pytest_plugin import judgement, spoken
from harness.pytest_plugin.at_work import AtWork, BrokenDownstream
from harness.pytest_plugin.life import Life
from harness.pytest_plugin.offered import Offered
from harness.pytest_plugin.plainly import plainly
from harness.verdict import Verdict

A = TypeVar("A", bound=AtWork)


class RunningStack:
    """A target with its servers, downstream, producer and workers, all up; leaving the `with` stops them."""

    def __init__(self, life: Life, command: str) -> None:
        self._life, self._command = life, command
        self._offered = Offered(life.system.producer_url.removeprefix("http://"), life.system.recorder)
        self._at_work: list[AtWork] = []
        self._ended = False
        self.producer_url = life.system.producer_url
        self.folder = life.folder.path
        """Where the history and the logs are, and the report once something was checked."""

    @plainly
    def enqueue(
        self, count: int = 1, *, keys: Sequence[str] | None = None, work: str | float | None = None
    ) -> list[str]:
        """Offer so many jobs, or jobs with these keys; returns the keys of those that the queue acked."""
        life = self._life
        named = [key(life.jobs + number) for number in range(count)] if keys is None else list(keys)
        life.jobs += len(named)
        return self._offered.offer(named, life.scenario.handler.work if work is None else spoken.seconds(work))

    @plainly
    def drain(self, timeout: str | float = "60s") -> int:
        """Wait until the system is at rest; returns how many acked jobs are neither completed nor given up."""
        self._rest(timeout)
        return len(self._life.system.live.outstanding)

    @plainly
    def kill_worker(self, **keys: Any) -> str:
        """Kill a worker that has a job in hand; returns the evidence.

        With `when="effect"` it dies after its next side effect was committed and before it learns of it.
        """
        with self.inject("kill_worker", **keys) as struck:
            return struck.says

    @plainly
    def break_downstream(self, how: str = "503", **keys: Any) -> BrokenDownstream:
        """Have the downstream misbehave until the `with` is left."""
        return self._struck(BrokenDownstream, "break_downstream", {"how": how, **keys})

    @plainly
    def inject(self, fault: str, **keys: Any) -> AtWork:
        """Inject any fault, with the keys that it has in a scenario; it lasts until the `with` is left."""
        return self._struck(AtWork, fault, keys)

    @plainly
    def effects(self) -> list[str]:
        """The key of each side effect so far, in order; one that was done twice is there twice."""
        self._life.ask(self._life.effects())
        history = self._life.history()
        return [history.keys[job] for job in history.rows(columns.EFFECT).job]

    @plainly
    def check(self, *claims: str, timeout: str | float = "60s", **with_values: Any) -> tuple[Verdict, ...]:
        """Wait until the system is at rest, and judge: `check("no_lost_jobs", drains_within="10s")`.

        Raises ClaimFailed when a claim does not hold, and ClaimUndecided when one cannot be judged; the invariants
        that every run is checked for are checked too.
        """
        invariants = spoken.claims(claims, with_values, self._life.target)
        result = judgement.judged(self._life, self._rest(timeout), invariants, self._command)
        judgement.upheld(result, self.folder)
        return result.verdicts

    def stop(self) -> None:
        """Stop everything that was started; once is enough."""
        if not self._ended:
            self._ended = True
            self._life.end()
            self._close_history()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _struck(self, kind: type[A], fault: str, keys: dict[str, Any]) -> A:
        scheduled = spoken.fault(fault, keys, self._life.target)
        self._life.faults += 1
        at_work = kind(self._life, fault, scheduled)
        self._at_work.append(at_work)
        return at_work

    def _rest(self, timeout: str | float) -> str:
        if names := [one.fault for one in self._at_work if not one.healed]:
            raise refuse("drain", f"still at work: {', '.join(names)}", "leave its `with`, or call heal(), before")
        return self._life.ask(self._life.rest(spoken.seconds(timeout)))

    def _close_history(self) -> None:
        """What was last seen belongs to the history, so that `harness check` judges it as the test did."""
        if os.path.exists(closing := self._life.folder("closing.jsonl")):
            os.replace(closing, self._life.folder("events", "closing.jsonl"))
