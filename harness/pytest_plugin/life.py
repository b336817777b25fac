"""The life of one stack: in an event loop of its own thread, from its start to the end of all its processes."""

from __future__ import annotations

import asyncio
import copy
import glob
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

from msgspec.structs import replace

from harness import clock
from harness.drain import Drain
from harness.folder import Folder
from harness.history.events import End, Phase, Planned, Run
from harness.history.history import History
from harness.history.lines import read_lines
from harness.history.recorder import Recorder
from harness.plan import plan
from harness.pytest_plugin.strike import Strike
from harness.sampling import Sampling
from harness.scenario import Scenario
from harness.site import site
from harness.stack import Stack
from harness.system import System
from harness.target import Target

T = TypeVar("T")
CLOSING = "closing.jsonl"


class StackFailed(Exception):
    """The stack did not start, ended when it should not have, or could not be ended."""


class Life:
    """A stack that runs while a test asks things of it."""

    def __init__(self, scenario: Scenario, target: Target, folder: Folder) -> None:
        self.scenario, self.target, self.folder = scenario, target, folder
        self.system: System
        self.jobs = self.faults = 0
        """How many were offered, and how many injected."""
        self.strikes: list[Strike] = []
        self._sampling: Sampling
        self._began = clock.now()
        self._told = False
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name=folder.id, daemon=True)

    def begin(self) -> None:
        """Start everything; raises StackFailed."""
        self._thread.start()
        self._ready.wait()
        self.ask(self._up.wait())

    def ask(self, work: Coroutine[Any, Any, T]) -> T:
        """What this comes to, in the stack's own loop; raises StackFailed if the stack ends meanwhile."""
        future = asyncio.run_coroutine_threadsafe(self._beside(work), self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def end(self) -> None:
        """Stop everything; raises StackFailed for what went wrong, unless someone was told."""
        self._ready.wait()
        self._loop.call_soon_threadsafe(self._stop)
        self._thread.join()
        if (why := self._why()) and not self._told:
            raise StackFailed(why)

    async def rest(self, timeout: float) -> str:
        """Wait until the system is at rest; the name of a file that closes the history as it is then."""
        path = self.folder(CLOSING)
        open(path, "w").close()
        closing = copy.copy(self.system)
        closing.recorder = Recorder(path)
        try:
            self._record_what_was_done(closing.recorder)
            waits = replace(plan(self.scenario, self.target)[0].waits, timeout=timeout)
            await Drain(closing, waits, self._sampling).wait()
            await Sampling(closing, self.target).held()
            closing.recorder.record(End(t=clock.now()))
        finally:
            closing.recorder.close()
        return path

    def history(self, *closing: str) -> History:
        """Everything recorded so far."""
        return History(read_lines([*sorted(glob.glob(self.folder("events", "*.jsonl"))), *closing]))

    async def effects(self) -> None:
        """Have the effects recorded that only the target's database knows."""
        await self._sampling.effects()

    def _record_what_was_done(self, recorder: Recorder) -> None:
        now = clock.now()
        seconds = (now - self._began) / clock.SECOND
        recorder.record(Planned(t=self._began, jobs=self.jobs, faults=self.faults, seconds=seconds))
        recorder.record(Phase(t=self._began, name="load", until=now))

    def _run(self) -> None:
        with asyncio.Runner() as runner:
            runner.run(self._whole())

    async def _whole(self) -> None:
        self._loop, self._up, self._over = asyncio.get_running_loop(), asyncio.Event(), asyncio.Event()
        self._task = asyncio.create_task(self._live())
        self._ready.set()
        # Whoever asks must find the loop, also once the stack has ended by itself.
        await asyncio.wait({self._task})
        await self._over.wait()

    async def _live(self) -> None:
        async with site(self.folder, self.scenario.seed) as system:
            self.system = system
            self._record_run()
            await Stack(system, self.scenario, self.target, self.folder).start()
            self._sampling = Sampling(system, self.target)
            system.tasks.create_task(system.watch_handlers())
            system.tasks.create_task(self._sampling.run())
            self._began = clock.now()
            self._up.set()
            try:
                await self._over.wait()
            finally:
                await asyncio.gather(*(strike.abandon() for strike in self.strikes))
        if left := system.substrate.left:
            raise StackFailed(f"these processes could not be ended: {', '.join(map(str, left))}; try `harness clean`")

    def _record_run(self) -> None:
        completes: Any = "finish" if "attempts" in self.target.reports else "effect"
        scenario = self.scenario
        self.system.recorder.record(
            Run(
                t=clock.now(),
                id=self.folder.id,
                scenario=scenario.name,
                target=self.target.name,
                seed=scenario.seed,
                completes=completes,
            )
        )

    async def _beside(self, work: Coroutine[Any, Any, T]) -> T:
        task = asyncio.ensure_future(work)
        try:
            await asyncio.wait({task, self._task}, return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                self._told = True
                raise StackFailed(self._why())
            return task.result()
        finally:
            task.cancel()

    def _stop(self) -> None:
        self._over.set()
        if not self._up.is_set():
            self._task.cancel()

    def _why(self) -> str:
        """Why the stack is no more; empty when it was ended."""
        error = None if self._task.cancelled() else self._task.exception()
        logs = f"the logs are in {self.folder('logs')}"
        return "\n".join([*_reasons(error), logs]) if error else ""


def _reasons(error: BaseException) -> list[str]:
    """What went wrong at the bottom of a group of errors, a line each."""
    if isinstance(error, BaseExceptionGroup):
        return list(dict.fromkeys(reason for inner in error.exceptions for reason in _reasons(inner)))
    return [str(error) or type(error).__name__]
