"""Render a run's report again from what the run left on disk; a run that was interrupted or killed is judged first."""

from __future__ import annotations

import argparse
import os
import sys

ABOUT = "render a run's report again, from its result and its history"
EXAMPLES = """examples:
  harness report                              # of the latest run
  harness report reports/latest --figures     # and every chart as PNG and SVG, for a wiki or a pull request
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    latest = os.path.join("reports", "latest")
    parser.add_argument("run", metavar="RUN", nargs="?", default=latest, help=f"the run's folder (default: {latest})")
    parser.add_argument(
        "--figures",
        action="store_true",
        help="also draw every chart and every witness as PNG and SVG into RUN/figures (needs matplotlib)",
    )


def main(args: argparse.Namespace) -> int:
    """Write `report.html` and `junit.xml` into the run's folder, figures where asked, and print their paths; 2 where
    there is nothing to render, or nothing to draw with."""
    from harness import result, unfinished
    from harness.history.history import read
    from harness.report import pages
    from harness.report.figures import written as figures

    if args.figures and (lacking := figures.lacks()):
        return _refuse(lacking)
    path = os.path.join(args.run, "result.json")
    if not os.path.isfile(path) and not unfinished.recorded(args.run):
        return _refuse(f"{args.run}: no result.json there, and no history; expected a run's folder: reports/latest")
    try:
        found = result.load(path) if os.path.isfile(path) else unfinished.judge(args.run)
    except result.BadResult as error:
        return _refuse(str(error))
    history = read(args.run)
    print(pages.write(found, history, args.run))
    for figure in figures.write(found, history, args.run) if args.figures else ():
        print(figure)
    return 0


def _refuse(message: str) -> int:
    print(f"harness report: {message}", file=sys.stderr)
    return 2
