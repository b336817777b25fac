"""The processes of the runs under way: started, awaited, and ended with whoever started them."""

from __future__ import annotations

import ctypes
import os
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Self

from msgspec.structs import replace

from harness.cell import Cell, Outcome, came_to
from harness.lanes import EVERYWHERE, Lane

PATIENCE = 1800.0
"""Seconds after which a run that does not end by itself is ended."""
GRACE = 60.0
"""Seconds that a run has to stop its stack once it was told to end."""
PR_SET_PDEATHSIG = 1


class Crew:
    """The runs under way; leaving the `with` ends those that are left, and waits until they are gone.

    With `lanes` each run has the cores of one of them to itself, and there may be no more runs than lanes.
    """

    def __init__(self, reports: str, *, lanes: Sequence[Lane] = (), patience: float = PATIENCE) -> None:
        self._reports, self._patience = reports, patience
        self._lanes = list(lanes)
        self._members: dict[int, _Member] = {}
        self._poll = select.poll()

    @property
    def size(self) -> int:
        """How many runs are under way."""
        return len(self._members)

    def start(self, cell: Cell, reruns: int = 0) -> None:
        """Begin a run."""
        with _undisturbed() as mask:
            lane = self._lanes.pop(0) if self._lanes else EVERYWHERE
            member = _Member(cell, reruns, cell.command(self._reports), _first(os.getpid(), mask, lane), lane)
            self._members[member.fd] = member
            self._poll.register(member.fd, select.POLLIN)
        for each in self._members.values():
            each.beside = max(each.beside, self.size - 1)

    def ended(self) -> list[Outcome]:
        """Wait until at least one run has ended, or the oldest has had time enough and is stopped; their outcomes."""
        oldest = min(self._members.values(), key=lambda member: member.began)
        ready = self._poll.poll(max(0.0, self._patience - oldest.age) * 1000)
        if not ready:
            oldest.tell()
        return [self._outcome(member) for member in [self._members[fd] for fd, _ in ready] or [oldest]]

    def _outcome(self, member: _Member) -> Outcome:
        member.wait()
        outcome = member.outcome(self._reports)
        self._forget(member)
        return outcome

    def _forget(self, member: _Member) -> None:
        self._poll.unregister(member.fd)
        del self._members[member.fd]
        if member.lane:
            self._lanes.append(member.lane)
        member.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with _undisturbed():
            for member in self._members.values():
                member.tell()
            for member in list(self._members.values()):
                member.wait()
                self._forget(member)


class _Member:
    """One process, and what it prints."""

    def __init__(self, cell: Cell, reruns: int, command: list[str], first: Callable[[], None], lane: Lane) -> None:
        self.cell, self.reruns, self.lane, self.beside = cell, reruns, lane, 0
        self.began = time.monotonic()
        self.out, self.err = _printed(), _printed()
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=self.out,
            stderr=self.err,
            start_new_session=True,  # a Ctrl-C is for the suite, which then tells each run once
            preexec_fn=first,
        )
        self.fd = os.pidfd_open(self.process.pid)

    @property
    def age(self) -> float:
        return time.monotonic() - self.began

    def tell(self) -> None:
        """Ask it to stop its stack and end; a set-up that it waits for is in its group, and ends with it."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGTERM)

    def wait(self) -> None:
        """Until it is gone; one that does not stop in time is killed, and its keeper then ends the stack."""
        try:
            self.process.wait(GRACE)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def outcome(self, reports: str) -> Outcome:
        """What it came to, once it is gone."""
        self.out.seek(0)
        self.err.seek(0)
        told = came_to(self.cell, self.process.returncode, self.out.read(), self.err.read(), reports)
        return replace(told, seconds=self.age, reruns=self.reruns, beside=self.beside)

    def close(self) -> None:
        """Let go of its handle and of what it printed."""
        os.close(self.fd)
        self.out.close()
        self.err.close()


def _printed() -> IO[str]:
    return tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")


@contextmanager
def _undisturbed() -> Iterator[set[int]]:
    """No signal between a birth and our knowing it, nor while runs are being ended; yields the mask of before."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
    try:
        yield {int(number) for number in before}
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _first(parent: int, mask: set[int], lane: Lane) -> Callable[[], None]:
    """What a new process does first: it keeps to its cores, hears signals again, and will not outlive a suite that is
    killed."""
    libc = ctypes.CDLL(None)

    def prepare() -> None:
        if lane:
            os.sched_setaffinity(0, lane)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGTERM)

    return prepare
