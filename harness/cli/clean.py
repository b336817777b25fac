"""Remove what an earlier, killed run left behind: its processes and its scratch folder. Runs that are alive are not
touched."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

EXAMPLES = """examples:
  harness clean
"""


def arguments(parser: ArgumentParser) -> None:
    """It takes none."""


def main(args: Namespace) -> int:
    """Say what was removed; 5 if something could not be."""
    from harness.substrate.leftovers import remove

    removed, left = remove()
    for line in removed:
        print(line)
    for line in left:
        print(f"could not remove {line}", file=sys.stderr)
    if not removed and not left:
        print("nothing was left behind")
    return 5 if left else 0
