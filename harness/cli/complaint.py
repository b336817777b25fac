"""Problems as a person reads them in a terminal."""

import os
import sys

from harness.problems import Problem, Problems

RED, DIM, PLAIN = "\x1b[31m", "\x1b[2m", "\x1b[0m"


def complaint(problems: Problems) -> str:
    """A line for each problem and, where there are several, their number; in colour on a terminal that wants it."""
    lines = [_coloured(problem) if _colours() else str(problem) for problem in problems.found]
    return "\n".join([*lines, f"{len(lines)} problems"] if len(lines) > 1 else lines)


def _coloured(problem: Problem) -> str:
    place, _, rest = str(problem).partition(": ")
    return f"{DIM}{place}:{PLAIN} {RED}{rest}{PLAIN}"


def _colours() -> bool:
    return sys.stderr.isatty() and "NO_COLOR" not in os.environ
