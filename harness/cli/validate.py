"""Check scenario files without running them: every problem at once, each with its line and a remedy."""

import sys
from argparse import ArgumentParser, Namespace

from harness.cli.complaint import complaint
from harness.cli.options import loaded, scenario_options
from harness.overlay import takes_part
from harness.problems import Problems
from harness.scenario import Scenario

EXAMPLES = """examples:
  harness validate scenarios/*.yaml
  harness validate scenarios/worker-kill.yaml --target memory --set lease=1s
"""


def arguments(parser: ArgumentParser) -> None:
    """The files, and the options that change what they mean."""
    parser.add_argument("files", metavar="FILE", nargs="+", help="a scenario")
    scenario_options(parser)


def main(args: Namespace) -> int:
    """Print `ok` for each good file and every problem of the others; 2 if there was any."""
    return max([_validated(path, args) for path in args.files])


def _validated(path: str, args: Namespace) -> int:
    try:
        scenario, target = loaded(args, path)
        for name, variant in scenario.variants.items():
            if not args.variant and takes_part(target, variant):
                loaded(Namespace(**{**vars(args), "variant": name}), path)
    except Problems as problems:
        print(complaint(problems), file=sys.stderr)
        return 2
    print(f"ok  {path}  ({_summary(scenario)})")
    return 0


def _summary(scenario: Scenario) -> str:
    counts = (_count(len(scenario.faults), "fault"), _count(len(scenario.invariants), "invariant"))
    return f"target {scenario.target}, {', '.join(counts)}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
