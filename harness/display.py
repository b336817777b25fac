"""What a person sees while a run goes on: a line that is drawn again on a terminal, plain lines elsewhere."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

from harness import clock

if TYPE_CHECKING:
    from harness.live import Live
    from harness.sampling import Sampling
    from harness.system import System

PACE_TERMINAL, PACE_PLAIN = 0.2, 5.0


class Display:
    """Progress on stderr; silent when asked to be."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._terminal = sys.stderr.isatty()
        self._phase, self._until, self._began = "", 0, clock.now()

    def phase(self, name: str, seconds: float) -> None:
        """A phase begins that is meant to last this long (0: as long as it takes)."""
        self._phase, self._until = name, clock.now() + int(seconds * clock.SECOND) if seconds else 0
        if not self._terminal:
            self.say(name)

    def say(self, line: str) -> None:
        """A line that stays."""
        if not self._quiet:
            self._erase()
            print(f"{self._elapsed():6.1f}s  {line}", file=sys.stderr, flush=True)

    async def follow(self, live: Live, sampling: Sampling) -> None:
        """Show the counts, for ever."""
        while not self._quiet:
            line = self._counts(live, sampling)
            if self._terminal:
                self._erase()
                print(f"{self._elapsed():6.1f}s  {self._phase:<10} {line}"[:118], end="", file=sys.stderr, flush=True)
            else:
                self.say(line)
            await asyncio.sleep(PACE_TERMINAL if self._terminal else PACE_PLAIN)

    def done(self) -> None:
        """Leave the terminal clean."""
        if not self._quiet:
            self._erase()

    async def keep_up(self, system: System) -> None:
        """Leave the system running until a person has seen enough."""
        self.phase("kept up", 0.0)
        links = "\n".join(f"    {name:<22} {link.host}:{link.port}" for name, link in sorted(system.links.items()))
        self.say(f"the stack stays up until Ctrl-C; the producer is at {system.producer_url}\n{links}")
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            task = asyncio.current_task()
            assert task is not None
            task.uncancel()

    def _counts(self, live: Live, sampling: Sampling) -> str:
        counts = live.counts
        left = max(0.0, (self._until - clock.now()) / clock.SECOND) if self._until else 0.0
        time = f"{left:4.0f}s left  " if left else " " * 11
        queue = f"  queue {sampling.last.waiting}" if sampling.last else ""
        return (
            f"{time}offered {counts['offer']}  acked {counts['ack']}  done {counts['done']}  failed "
            f"{counts['failed']}  backlog {len(live.outstanding)}{queue}"
        )

    def _elapsed(self) -> float:
        return (clock.now() - self._began) / clock.SECOND

    def _erase(self) -> None:
        if self._terminal:
            print("\r\x1b[K", end="", file=sys.stderr)
