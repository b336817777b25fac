"""Run every variant of scenarios, broken and mended, and fail unless each comes to what the scenario says it must.

Exit code: 0 each broken variant was caught by exactly the claims it names and each mended one held, 1 one did not,
2 a bad scenario, 4 a run could not be made, 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from contextlib import closing
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from harness.cell import Cell
    from harness.proof import Proven, Trial
    from harness.proofs import Proofs

EXAMPLES = """examples:
  harness prove scenarios/worker-kill.yaml --target memory
  harness prove --target celery,bullmq --jobs 2
  harness prove --repeat 20 --jobs 6 --random-seeds --for 8h        # whether any verdict ever changes: make prove-hard
  harness prove --repeat 20 --jobs 6 --random-seeds --resume        # after an interruption, or the night after
"""
WRONG, BROKEN, INTERRUPTED = 1, 4, 130


def arguments(parser: ArgumentParser) -> None:
    """The scenarios, the targets, how often, and beside what."""
    from harness.cli.options import count, seconds

    parser.add_argument("scenarios", metavar="SCENARIO", nargs="*", help="scenario files (default: scenarios/*.yaml)")
    parser.add_argument("--target", metavar="NAME,...", help="on these targets (default: all that can run here)")
    parser.add_argument("--targets", metavar="DIR", help="look for targets in this folder first")
    parser.add_argument(
        "--repeat", type=count, default=1, metavar="N", help="each N times, each time with another seed"
    )
    parser.add_argument("--random-seeds", action="store_true", help="seeds that nobody has chosen")
    parser.add_argument("--jobs", type=count, default=1, metavar="N", help="so many runs side by side")
    parser.add_argument("--busy", type=int, default=0, metavar="N", help="keep N cores busy meanwhile")
    parser.add_argument("--for", type=seconds, dest="most", metavar="TIME", help="begin no run after this long")
    parser.add_argument("--resume", action="store_true", help="do not repeat what the last proof here has done")
    parser.add_argument("--catalogue", metavar="FILE", help="put the tables into this page, between its marks")
    parser.add_argument("--quick", action="store_true", help="at the time scale that each scenario has for CI")
    parser.add_argument(
        "--reports", default="reports", metavar="DIR", help="where the runs are kept (default: reports)"
    )


def main(args: Namespace) -> int:
    """Run them all, say of each what it came to, and keep the tables as text, JSON and a picture."""
    from harness import proof
    from harness.busy import kept_busy
    from harness.interruption import interruptible
    from harness.proofs import Proofs

    todo, passed_over = proof.trials(_scenarios(args), _targets(args), args.targets, args.quick)
    code = 0
    with Proofs(args.reports, todo) as proofs:
        proven = [*passed_over, *proofs.begin(anew=not args.resume)]
        cells = proofs.cells(args.repeat, random=args.random_seeds)
        if args.resume:
            print(f"{len(proven) - len(passed_over)} done before, {len(cells)} to do", file=sys.stderr)
        try:
            with kept_busy(args.busy), interruptible(), closing(_run(cells, proofs, args)) as runs:
                for one in runs:
                    proven.append(one)
        except KeyboardInterrupt:
            print("interrupted; the runs under way were stopped; --resume goes on from here", file=sys.stderr)
            code = INTERRUPTED
    _keep(proven, args.reports)
    if args.catalogue and not code:
        from harness.report.proof import catalogue

        catalogue.write(args.catalogue, proven)
    _tell(proven, args.repeat)
    marks = {one.mark for one in proven}
    return code or (BROKEN if "ERROR" in marks else WRONG if "WRONG" in marks else 0)


def _run(cells: Mapping[Cell, Trial], proofs: Proofs, args: Namespace) -> Generator[Proven, None, None]:
    """What each trial came to, as it ends."""
    import time

    from harness import matrix, proof
    from harness.report.text import lasting

    began = time.monotonic()
    in_time = lambda: args.most is None or time.monotonic() - began < args.most  # noqa: E731
    runs = matrix.run(list(cells), args.reports, jobs=args.jobs, started=lambda cell: None, goes_on=in_time)
    with closing(runs):
        for number, outcome in enumerate(runs, 1):
            one = proof.judge(cells[outcome.cell], outcome)
            proofs.write(cells[outcome.cell], one)
            left = (time.monotonic() - began) / number * (len(cells) - number)
            rest = f", about {lasting(left)} left" if left else ""
            told = f"{outcome.cell.name}, {one.seconds:.0f} s{rest}"
            print(f"{number:4}/{len(cells)}  {one.mark:6}  {told}", file=sys.stderr)
            if one.mark in ("WRONG", "ERROR"):
                print(f"      {one.says}\n      {one.folder}", file=sys.stderr)
            yield one


def _scenarios(args: Namespace) -> list[str]:
    if args.scenarios:
        return list(args.scenarios)
    return sorted(os.path.join("scenarios", name) for name in os.listdir("scenarios") if name.endswith(".yaml"))


def _targets(args: Namespace) -> list[str]:
    from harness import target

    everyone = sorted({os.path.basename(folder) for folder in target.folders(args.targets)})
    return args.target.split(",") if args.target else everyone


def _keep(proven: list[Proven], reports: str) -> None:
    import msgspec

    from harness.report.proof import picture, table

    os.makedirs(reports, exist_ok=True)
    with open(os.path.join(reports, "proof.txt"), "w") as text:
        text.write("\n".join([*table.by_mode(proven), "", *table.by_variant(proven)]) + "\n")
    with open(os.path.join(reports, "proof.json"), "wb") as file:
        file.write(msgspec.json.format(msgspec.json.encode(proven), indent=2) + b"\n")
    with open(os.path.join(reports, "proof.svg"), "w") as image:
        image.write(picture.svg(proven))


def _tell(proven: list[Proven], repeat: int) -> None:
    from harness import proof
    from harness.report.proof import table

    print("\n".join([*table.by_mode(proven), "", *table.by_variant(proven)]))
    if repeat > 1:
        runs = sum(one.mark != "n/a" for one in proven)
        changed = proof.changing(proven)
        print(f"\n{runs} runs, {len(changed)} verdict(s) that changed" + "".join(f"\n  {name}" for name in changed))
