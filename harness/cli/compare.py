"""Compare two configurations of a scenario, or two recorded runs: what became of each claim, which figures differ.

A and B run in turns (A, B, B, A, ...), pair by pair with the same seed. A claim that held with A and fails with B is a
regression, whatever the figures say. A figure differs only where the interval of its difference says so; all intervals
of a comparison hold together 95 times in 100. Exit code: 0 no regression, 2 bad input, 3 a claim that A decided could
not be decided with B, 4 a run could not be made, 6 a regression, 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness.cell import Cell, Outcome
    from harness.compare.comparison import Comparison
    from harness.compare.observed import Observed
    from harness.compare.side import Side

    Pair = tuple[Observed, Observed]

EXAMPLES = """examples:
  harness compare scenarios/worker-kill.yaml --a prefetch_multiplier=1 --b prefetch_multiplier=64
  harness compare scenarios/worker-kill.yaml --target memory --b lease=5s --allow latency=10% --allow drain=500ms
  harness compare scenarios/worker-kill.yaml --target memory --b tuned.yaml --measure latency.p95 --repeat 6
  harness compare reports/main reports/branch --markdown        # two runs, or two folders of runs
"""
UNDECIDED, BROKEN, REGRESSION = 3, 4, 6
REPEAT = 10


def arguments(parser: ArgumentParser) -> None:
    """What to compare, how often, what to measure, and how to show it."""
    from harness.cli.options import count

    parser.add_argument("what", metavar="SCENARIO | RUN", nargs="+", help="a scenario file; or two recorded runs")
    for name in "ab":
        parser.add_argument(
            f"--{name}",
            metavar="KNOBS|FILE",
            default="",
            help="name=value,... or a YAML file of a scenario's keys (default: the scenario as it is)",
        )
    parser.add_argument(
        "--repeat", type=count, default=REPEAT, metavar="N", help=f"so many runs of each (default: {REPEAT})"
    )
    parser.add_argument(
        "--allow",
        metavar="[NAME=]AMOUNT",
        action="append",
        default=[],
        help="mind only a change beyond this, such as 5%%, latency.p95=10%% or drain=500ms; may be repeated",
    )
    parser.add_argument(
        "--measure", metavar="NAME,...", default="", help="only these figures: fewer need fewer repeats"
    )
    parser.add_argument("--seed", type=int, metavar="N", help="of the first pair; each has the next (default: its own)")
    parser.add_argument("--target", metavar="NAME", help="run against this target instead of the scenario's")
    parser.add_argument("--targets", metavar="DIR", help="look for targets in this folder first")
    parser.add_argument("--quick", action="store_true", help="at the time scale that the scenario has for CI")
    parser.add_argument("--reports", default="reports", metavar="DIR", help="where the runs are kept")
    parser.add_argument("--html", metavar="FILE", help="write the page here, too; recorded runs have no other place")
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--json", action="store_true", help="print the comparison as JSON")
    shown.add_argument("--markdown", action="store_true", help="print it as Markdown, for a pull request")


def main(args: Namespace) -> int:
    """Make the runs, or read them, and compare: 6 on a regression."""
    from harness.compare.allowance import allowances, chosen
    from harness.compare.comparison import compare
    from harness.compare.pairs import NotMade
    from harness.interruption import interruptible

    allowed, measured = allowances(args.allow), chosen(args.measure, f"--measure {args.measure}")
    folder = ""
    try:
        with interruptible():
            folder, names, pairs, warnings = _recorded(args) if len(args.what) > 1 else _made(args)
    except NotMade as error:
        print(f"harness: a run could not be made: {error}", file=sys.stderr)
        return BROKEN
    a, b = names
    comparison = compare(pairs, a=a, b=b, allowed=allowed, measured=measured, warnings=warnings, command=_command(args))
    _keep(comparison, pairs, folder, args.html)
    _show(comparison, args, folder)
    return REGRESSION if comparison.regressions else UNDECIDED if comparison.undecided else 0


def _command(args: Namespace) -> str:
    import shlex

    words = ["harness", "compare", *args.what]
    options = [("--a", args.a), ("--b", args.b), ("--measure", args.measure), ("--target", args.target)]
    options += [("--targets", args.targets), ("--seed", args.seed), *(("--allow", one) for one in args.allow)]
    options += [("--repeat", args.repeat if args.repeat != REPEAT and len(args.what) == 1 else None)]
    words += [str(word) for name, value in options if value not in (None, "") for word in (name, value)]
    return shlex.join(words + (["--quick"] if args.quick else []))


def _recorded(args: Namespace) -> tuple[str, tuple[str, str], list[Pair], list[str]]:
    from harness.compare.comparable import doubts
    from harness.compare.observed import named, paired, recorded
    from harness.problems import refuse

    if len(args.what) != 2 or args.a or args.b:
        raise refuse(" ".join(args.what), "expected one scenario with --a and --b, or two runs without")
    a, b = (recorded(path) for path in args.what)
    pairs = paired(a, b)
    warnings = doubts(pairs)
    if unpaired := len(a) + len(b) - 2 * len(pairs):
        warnings.append(f"{unpaired} runs have no counterpart with their seed, and are left out")
    one, other = pairs[0]
    return "", (named(args.what[0], one, other), named(args.what[1], other, one)), pairs, warnings


def _made(args: Namespace) -> tuple[str, tuple[str, str], list[Pair], list[str]]:
    from harness import folder as folders
    from harness.compare.comparable import doubts
    from harness.compare.pairs import make
    from harness.compare.side import side

    a, b = side("--a", args.a), side("--b", args.b)
    cells = {"a": _cell(args, a), "b": _cell(args, b)}
    name = f"compare-{cells['a'].situation}"
    folder = folders.named(args.reports, name, cells["a"].target)

    def said(pair: int, side: str, outcome: Outcome) -> None:
        line = f"{pair + 1:3}/{args.repeat}  {side.upper()}  {outcome.value}, {outcome.seconds:.0f} s"
        print(line, file=sys.stderr, flush=True)

    pairs = make(cells, args.repeat, folder, said)
    return folder, (a.name, b.name), pairs, doubts(pairs, asked=True)


def _cell(args: Namespace, side: Side) -> Cell:
    """The side's run; raises `Problems` before anything is started."""
    from harness.cell import Cell
    from harness.scenario import load

    scenario, target = load(
        args.what[0],
        target=args.target,
        targets=args.targets,
        knobs=dict(side.knobs),
        overlay=side.overlay or None,
        seed=args.seed,
        quick=args.quick,
    )
    return Cell(
        args.what[0],
        args.target or target.name,
        seed=scenario.seed,
        quick=args.quick,
        targets=args.targets,
        knobs=side.knobs,
        overlay=side.overlay,
    )


def _keep(comparison: Comparison, pairs: list[Pair], folder: str, page: str | None) -> None:
    from harness.compare import pages

    if folder:
        pages.write(comparison, pairs, folder)
    if page:
        pages.write_html(comparison, pairs, page)


def _show(comparison: Comparison, args: Namespace, folder: str) -> None:
    from harness.compare import markdown, pages, text

    if args.json:
        print(pages.as_json(comparison).decode(), end="")
    elif args.markdown:
        print(markdown.render(comparison), end="")
    else:
        colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        print("\n".join(text.lines(comparison, colour)))
        if folder:
            print(f"kept   {os.path.join(folder, 'compare.html')}, compare.md, compare.json, and the runs in a/ and b/")
