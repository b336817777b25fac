"""Run every variant of scenarios, broken and mended, and fail unless each comes to what the scenario says it must.

Exit code: 0 each broken variant was caught by exactly the claims it names and each mended one held, 1 one did not,
2 a bad scenario, 4 a run could not be made.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness.cell import Cell
    from harness.proof import Proven

EXAMPLES = """examples:
  harness prove scenarios/worker-kill.yaml --target memory
  harness prove scenarios/*.yaml --target celery,bullmq --jobs 2
"""
WRONG, BROKEN = 1, 4


def arguments(parser: ArgumentParser) -> None:
    """The scenarios, the targets, and how many at once."""
    from harness.cli.options import count

    parser.add_argument("scenarios", metavar="SCENARIO", nargs="*", help="scenario files (default: scenarios/*.yaml)")
    parser.add_argument("--target", metavar="NAME,...", help="on these targets (default: all that can run here)")
    parser.add_argument("--targets", metavar="DIR", help="look for targets in this folder first")
    parser.add_argument(
        "--repeat", type=count, default=1, metavar="N", help="each N times, each time with another seed"
    )
    parser.add_argument("--jobs", type=count, default=1, metavar="N", help="so many runs side by side")
    parser.add_argument("--quick", action="store_true", help="at the time scale that each scenario has for CI")
    parser.add_argument(
        "--reports", default="reports", metavar="DIR", help="where the runs are kept (default: reports)"
    )


def main(args: Namespace) -> int:
    """Run them all, say of each what it came to, and keep the table as text and JSON."""
    from harness import matrix, proof

    todo, proven = proof.trials(_scenarios(args), _targets(args), args.targets, args.quick)
    cells = {_seeded(trial.cell, turn): trial for turn in range(args.repeat) for trial in todo}
    runs = matrix.run(list(cells), args.reports, jobs=args.jobs, started=lambda cell: None)
    for number, outcome in enumerate(runs, 1):
        one = proof.judge(cells[outcome.cell], outcome)
        proven.append(one)
        print(f"{number:4}/{len(cells)}  {one.mark:6}  {outcome.cell.name}, {one.seconds:.0f} s", file=sys.stderr)
        if one.mark in ("WRONG", "ERROR"):
            print(f"      {one.says}\n      {one.folder}", file=sys.stderr)
    _keep(proven, args.reports)
    print("\n".join(proof.table(proven)))
    marks = {one.mark for one in proven}
    return BROKEN if "ERROR" in marks else WRONG if "WRONG" in marks else 0


def _scenarios(args: Namespace) -> list[str]:
    if args.scenarios:
        return list(args.scenarios)
    return sorted(os.path.join("scenarios", name) for name in os.listdir("scenarios") if name.endswith(".yaml"))


def _targets(args: Namespace) -> list[str]:
    from harness import target

    everyone = sorted({os.path.basename(folder) for folder in target.folders(args.targets)})
    return args.target.split(",") if args.target else everyone


def _seeded(cell: Cell, turn: int) -> Cell:
    from msgspec.structs import replace

    return replace(cell, seed=turn + 1) if turn else cell


def _keep(proven: list[Proven], reports: str) -> None:
    import msgspec

    from harness import proof

    with open(os.path.join(reports, "proof.txt"), "w") as text:
        text.write("\n".join(proof.table(proven)) + "\n")
    with open(os.path.join(reports, "proof.json"), "wb") as file:
        file.write(msgspec.json.format(msgspec.json.encode(proven), indent=2) + b"\n")
