"""Lines about what the harness is doing, for the person who waits."""

import sys

quiet = False


def note(line: str) -> None:
    """Say one line on stderr, unless asked to be quiet."""
    if not quiet:
        print(line, file=sys.stderr, flush=True)
