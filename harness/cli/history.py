"""List the runs that a folder of reports holds, newest first: verdict, settings and key figures of each.

A run that came to no result is there too: `interrupted` when it was stopped or killed, `ERROR` when its stack failed,
`running` when it goes on, `no result` when its folder does not say what it was. `flaky` marks runs that came to
different verdicts although scenario, target, variant, preset and knobs were the same; seeds may differ. `expected`
marks failures of variants that a suite ran because they must fail.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING

from harness.cli.options import count, names

if TYPE_CHECKING:
    from harness.archive.past import Past

EXAMPLES = """examples:
  harness history
  harness history --scenario worker-kill --target celery,rq --last 50
  harness history --verdict flaky
  harness history --verdict fail,inconclusive --json
"""
LAST = 20


def arguments(parser: ArgumentParser) -> None:
    """Which runs, and how to show them."""
    for name, means in (("scenario", "of these scenarios"), ("target", "on these targets")):
        parser.add_argument(f"--{name}", type=names, metavar="NAME,...", default=(), help=f"only runs {means}")
    parser.add_argument(
        "--verdict", type=names, metavar="NAME,...", default=(), help="only these, such as fail,interrupted,flaky"
    )
    parser.add_argument("--last", type=count, metavar="N", help=f"so many (default: {LAST}; with --json all)")
    parser.add_argument("--reports", default="reports", metavar="DIR", help="where the runs are (default: reports)")
    parser.add_argument("--json", action="store_true", help="print them as JSON")


def main(args: Namespace) -> int:
    """Print the runs that were asked for: 0, or 2 where there is no such folder or verdict."""
    from harness.archive.archive import runs
    from harness.archive.past import flaky
    from harness.problems import refuse

    if not os.path.isdir(args.reports):
        raise refuse(args.reports, "no such folder", "`harness run` makes it; --reports names another")
    every = runs(args.reports)
    differing = flaky(every)
    found = _chosen(every, differing, args)
    if args.json:
        print(_json(found[: args.last], differing, args.reports))
    else:
        _show(found, len(every), differing, args)
    return 0


def _chosen(every: Sequence[Past], differing: frozenset[str], args: Namespace) -> list[Past]:
    """The runs that every option allows; raises `Problems`."""
    scenarios, targets, verdicts = set(args.scenario), set(args.target), _verdicts(args.verdict)
    return [
        run
        for run in every
        if (not scenarios or run.scenario in scenarios)
        and (not targets or run.target in targets)
        and (not verdicts or run.value in verdicts or ("flaky" in verdicts and run.run in differing))
    ]


def _verdicts(wanted: Sequence[str]) -> set[str]:
    """Verdicts as they are written; case does not matter."""
    from harness.archive.past import OTHERS, VALUES
    from harness.problems import nearest, refuse

    known = {name.lower(): name for name in (*VALUES, *OTHERS, "flaky")}
    for name in wanted:
        if name.lower() not in known:
            raise refuse("--verdict", f"no run can come to `{name}`", nearest(name.lower(), known))
    return {known[name.lower()] for name in wanted}


def _json(found: Sequence[Past], differing: frozenset[str], reports: str) -> str:
    import msgspec

    from harness.report.text import visible
    from harness.suite.journal import foretold

    expected = foretold(reports)
    marks = [{"flaky": run.run in differing, "expected": run.run in expected} for run in found]
    told = [msgspec.structs.asdict(run) | mark for run, mark in zip(found, marks, strict=True)]
    for fields in told:
        del fields["alike"], fields["when"]
        fields |= {name: visible(fields[name]) for name in ("run", "scenario")}  # a folder's name may be any bytes
    return msgspec.json.format(msgspec.json.encode(told), indent=2).decode()


def _show(found: Sequence[Past], total: int, differing: frozenset[str], args: Namespace) -> None:
    from harness.report import runs
    from harness.report.text import plural
    from harness.suite.journal import foretold

    shown = found[: args.last or LAST]
    if not shown:
        print(f"none of the {plural(total, 'run')} in {args.reports} is like that")
        return
    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    print("\n".join(runs.table(shown, differing, colour, foretold(args.reports))))
    if left := runs.rest(len(shown), len(found), total):
        print(left)
