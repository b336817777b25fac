"""What went wrong, told at the line of the test that asked: how it came about inside the harness helps nobody there."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def plainly(ask: Callable[P, T]) -> Callable[P, T]:
    """The same function; an error that is meant to be read comes out of it without a traceback of its own."""

    @wraps(ask)
    def asked(*args: P.args, **keys: P.kwargs) -> T:
        __tracebackhide__ = True
        from harness.fault import Missed
        from harness.problems import Problems
        from harness.pytest_plugin.judgement import ClaimFailed, ClaimUndecided
        from harness.pytest_plugin.life import StackFailed

        try:
            return ask(*args, **keys)
        except (Missed, Problems, ClaimFailed, ClaimUndecided, StackFailed) as error:
            raise error.with_traceback(None) from None

    return asked
