"""Print where a report is, and open it in a browser where there is one to be seen.

Without RUN it is the newest report. A browser is started only on a terminal, and with a display or $BROWSER.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path

EXAMPLES = """examples:
  harness open                       # the newest report
  harness open --index               # the list of all runs
  harness open reports/latest --print
"""
DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")


def arguments(parser: ArgumentParser) -> None:
    """Which report."""
    parser.add_argument("run", metavar="RUN", nargs="?", help="a run's folder, or its name or a part of it")
    parser.add_argument("--index", action="store_true", help="the index of all runs instead of one report")
    parser.add_argument("--reports", default="reports", metavar="DIR", help="where the runs are (default: reports)")
    parser.add_argument("--print", action="store_true", help="only print the path")


def main(args: Namespace) -> int:
    """Print the page's path: 0, or 2 where there is none."""
    from harness.report.suite import index

    page = index.write(_reports(args)) if args.index else _page(args)
    print(page, flush=True)
    if not args.print and sys.stdout.isatty() and any(map(os.environ.get, DISPLAYS)):
        import webbrowser

        webbrowser.open(Path(os.path.abspath(page)).as_uri())
    return 0


def _reports(args: Namespace) -> str:
    from harness.problems import refuse

    if not os.path.isdir(args.reports):
        raise refuse(args.reports, "no such folder", "`harness run` makes it; --reports names another")
    return str(args.reports)


def _page(args: Namespace) -> str:
    """The report that is meant; raises `Problems`."""
    from harness.archive.archive import runs
    from harness.archive.reading import REPORT
    from harness.problems import refuse

    if args.run and os.path.isfile(args.run):
        return str(args.run)
    if args.run and os.path.isdir(args.run):
        return _within(args.run)
    every = [run for run in runs(_reports(args)) if not args.run or args.run in run.run]
    found = next((run for run in every if run.has_page), None)
    if found is None:
        what = f"no run with a report is called `{args.run}`" if args.run else "there is no report yet"
        raise refuse(args.reports, what, "`harness history` lists the runs")
    return os.path.join(args.reports, found.run, REPORT)


def _within(folder: str) -> str:
    from harness.archive.reading import REPORT
    from harness.problems import refuse

    page = os.path.join(folder, REPORT)
    if not os.path.isfile(page):
        raise refuse(folder, f"there is no {REPORT}", "`harness report` renders that of a run that was judged")
    return page
