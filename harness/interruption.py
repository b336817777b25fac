"""An interruption: whoever asks this process to end, and however, it ends in one way."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def interruptible() -> Iterator[None]:
    """The first signal raises KeyboardInterrupt; later ones find the stopping under way and change nothing.

    A signal that was ignored before, as `nohup` has it, stays so.
    """

    def once(number: int, frame: object) -> None:
        for each in NUMBERS:
            signal.signal(each, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = {number: signal.getsignal(number) for number in NUMBERS}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, once)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
