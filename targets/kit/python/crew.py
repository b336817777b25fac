"""The crew: threads that run a blocking function for the event loop, no more of them at once than do any good.

Python runs one thread at a time. When sixteen publish at once, handing over costs as much as publishing does; when one
does, a slow server holds up everybody. So another thread is let in only while those at work mostly wait.
"""

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

GLANCE = 0.05
"""Seconds without a call begun, while calls are waiting, after which one more thread is let in."""
EAGERNESS = 0.75
"""How many threads to let in for each that the waiting would pay for; at 1, threads that wait only for one another
would keep each other in."""
WEIGHT = 0.2
"""How much one call counts against those before it."""


class Call(NamedTuple):
    """One call of the function, and who waits for it."""

    arguments: tuple[Any, ...]
    answer: "asyncio.Future[Any]"
    loop: asyncio.AbstractEventLoop


class Crew:
    """Awaitable calls of a plain function, in the order they were made, in at most so many threads."""

    def __init__(self, function: Callable[..., Any], most: int) -> None:
        self._function, self._most = function, most
        self._threads = ThreadPoolExecutor(most)
        self._lock = threading.Lock()
        self._waiting: deque[Call] = deque()
        self._wanted, self._at_work, self._begun = 1.0, 0, 0
        self._glancing = False

    async def __call__(self, *arguments: Any) -> Any:
        """What the function gives or raises; a call that is cancelled before its turn is never made."""
        loop = asyncio.get_running_loop()
        call = Call(arguments, loop.create_future(), loop)
        with self._lock:
            self._waiting.append(call)
            self._let_in()
        if not self._glancing:
            self._glancing = True
            loop.call_later(GLANCE, self._glance, loop, self._begun)
        return await call.answer

    def _let_in(self) -> None:
        """One more thread, if it is wanted; the lock is held."""
        if self._waiting and self._at_work < int(self._wanted):
            self._at_work += 1
            self._threads.submit(self._work)

    def _glance(self, loop: asyncio.AbstractEventLoop, begun: int) -> None:
        """Let one more in when all that are at work are stuck, which no call will ever tell."""
        with self._lock:
            if self._waiting and begun == self._begun:
                self._wanted = min(self._at_work + 1.0, self._most)
                self._let_in()
            self._glancing = bool(self._waiting)
        if self._glancing:
            loop.call_later(GLANCE, self._glance, loop, self._begun)

    def _work(self) -> None:
        while (call := self._next()) is not None:
            if not call.answer.cancelled():
                self._make(call)

    def _next(self) -> Call | None:
        """The next call; None sends the thread away."""
        with self._lock:
            if not self._waiting or self._at_work > int(self._wanted):
                self._at_work -= 1
                return None
            self._begun += 1
            return self._waiting.popleft()

    def _make(self, call: Call) -> None:
        wall, busy = time.perf_counter(), time.thread_time()
        try:
            result, error = self._function(*call.arguments), None
        except Exception as raised:
            result, error = None, raised
        self._learn(time.perf_counter() - wall, time.thread_time() - busy)
        if not call.loop.is_closed():
            call.loop.call_soon_threadsafe(_settle, call.answer, result, error)

    def _learn(self, took: float, busy: float) -> None:
        """While one thread computes, as many others can wait as waiting takes longer than computing."""
        pays = min(EAGERNESS * took / max(busy, 1e-6), self._most)
        with self._lock:
            self._wanted = max(1.0, self._wanted + WEIGHT * (pays - self._wanted))
            self._let_in()


def _settle(answer: "asyncio.Future[Any]", result: Any, error: Exception | None) -> None:
    if answer.cancelled():
        return
    if error is None:
        answer.set_result(result)
    else:
        answer.set_exception(error)
