"""The handler of every target: the work, then the job's side effect, as the knobs of every handler say."""

import random
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import once
from kit import Attempts, Downstream, DownstreamFailed
from workload import Permanent, work

Job = dict[str, Any]
Guard = Callable[[Job, int], AbstractContextManager[bool]]


class Handler:
    """Runs attempts of jobs; `guard` gives a context with True for the run that is to do the effect."""

    def __init__(self, knobs: SimpleNamespace, attempts: Attempts | None = None, guard: Guard | None = None) -> None:
        self._knobs = knobs
        self.attempts = attempts or Attempts()
        self.downstream = Downstream(knobs.downstream_timeout)
        self._guard = guard or self._once
        self.hopeless: tuple[type[Exception], ...] = (Permanent,) if knobs.classify else ()
        """Errors after which there is no other attempt; the target gives them to its system."""
        if knobs.idempotency == "unique":
            import psycopg  # noqa: F401 - before a fork, or each child's first job would wait for it

    def __call__(self, job: Job, attempt: int, *, last: bool) -> None:
        """One attempt; raises what it failed with."""
        key = job["key"]
        with self.attempts.run(key, attempt, last=last, hopeless=self.hopeless) as run, self._guard(job, attempt) as do:
            if not do:
                run.dedup()
                return
            work(job, attempt)
            self.downstream.effect(key, idempotency_key=self._idempotency_key(key), version=self._version(job))

    def asked(self, error: BaseException) -> float | None:
        """How long to wait at least before the next attempt, with jitter; None where nobody asked or nobody heeds."""
        seconds = error.retry_after if isinstance(error, DownstreamFailed) else None
        if seconds is None or not self._knobs.honour_retry_after:
            return None
        return seconds + random.uniform(0, max(seconds / 2, 1))

    def _once(self, job: Job, _attempt: int) -> AbstractContextManager[bool]:
        return once.once(job["key"], self._knobs, self.downstream)

    def _idempotency_key(self, key: str) -> str | None:
        keys = {"unique": key, "key": key, "fresh": uuid4().hex}
        return keys.get(self._knobs.idempotency)

    def _version(self, job: Job) -> int | None:
        """The version of its record that the job acts on, if it is made from one."""
        version: int | None = job.get("version")
        if version is None or self._knobs.record == "snapshot":
            return version
        return self.downstream.version(job["key"])
