"""`harness report RUN`: renders a run's report again from what the run left on disk."""

from __future__ import annotations

import argparse
import os
import sys

ABOUT = "render a run's report again, from its result and its history"


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    latest = os.path.join("reports", "latest")
    parser.add_argument("run", metavar="RUN", nargs="?", default=latest, help=f"the run's folder (default: {latest})")


def main(args: argparse.Namespace) -> int:
    """Write `report.html` and `junit.xml` into the run's folder and print the page's path; 2 where there is no
    result to render."""
    from harness import result
    from harness.history.history import read
    from harness.report import pages

    try:
        found = result.load(os.path.join(args.run, "result.json"))
    except (FileNotFoundError, NotADirectoryError):
        return _refuse(
            f"{args.run}: no result.json there; expected the folder of a finished run, such as reports/latest"
        )
    except result.BadResult as error:
        return _refuse(str(error))
    print(pages.write(found, read(args.run), args.run))
    return 0


def _refuse(message: str) -> int:
    print(f"harness report: {message}", file=sys.stderr)
    return 2
