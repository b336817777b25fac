"""Judge a recorded run again, from its history alone."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from harness.verdict import Value, Verdict

EXAMPLES = """examples:
  harness check reports/latest
  harness check reports/latest --invariant no_lost_jobs --invariant no_duplicate_effects
"""
EVERYTHING = frozenset({"attempts", "state", "held", "letters", "effects"})
EXIT: dict[Value, int] = {"PASS": 0, "NOT APPLICABLE": 3, "FAIL": 1, "INCONCLUSIVE": 3}


def arguments(parser: ArgumentParser) -> None:
    """The run, and which claims to check."""
    parser.add_argument("run", metavar="RUN", help="a run's folder, or one file of events")
    parser.add_argument(
        "--invariant",
        metavar="NAME",
        action="append",
        default=[],
        help="check this claim, which takes no parameters, instead of the scenario's; may be repeated",
    )


def main(args: Namespace) -> int:
    """Print the verdicts, worst first: 0 all hold, 1 one failed, 2 no such run or invariant, 3 undecided."""
    from harness.check import check
    from harness.history.history import read
    from harness.verdict import WORST, worst

    if refusal := _refusal(args):
        print(f"harness check: {refusal}", file=sys.stderr)
        return 2
    hints = _target(args.run).get("hints", {})
    verdicts = check(read(args.run), _invariants(args), reports=_reports(args.run), hints=hints)
    for verdict in sorted(verdicts, key=lambda one: WORST.index(one.value)):
        _show(verdict)
    return EXIT[worst([verdict.value for verdict in verdicts])]


def _refusal(args: Namespace) -> str:
    from harness.problems import nearest
    from harness.variants import names

    if not os.path.exists(args.run):
        return f"{args.run}: no such run; expected a run's folder, such as reports/latest, or a file of events"
    if os.path.isdir(args.run) and not any(
        os.path.isdir(os.path.join(args.run, name)) for name in ("events", "history")
    ):
        return f"{args.run}: no history there; expected a folder with events/ in it"
    known = names("invariants")
    wrong = [f"unknown invariant `{name}`; {nearest(name, known)}" for name in args.invariant if name not in known]
    wrong += [
        f"{name} has parameters; name it in the scenario"
        for name in args.invariant
        if name in known and not _plain(name)
    ]
    return "; ".join(wrong)


def _invariants(args: Namespace) -> list[Any]:
    from harness.scenario import load
    from harness.variants import names, variant

    scenario = os.path.join(args.run, "scenario.yaml")
    if not args.invariant and os.path.isfile(scenario):
        return list(load(scenario, targets=_targets(args.run))[0].invariants)
    return [variant("invariants", name)() for name in args.invariant or filter(_plain, names("invariants"))]


def _plain(name: str) -> bool:
    """Whether the claim says something without parameters."""
    from msgspec.structs import fields

    from harness.variants import variant

    cls: Any = variant("invariants", name)
    return not any(field.required for field in fields(cls)) and not list(getattr(cls(), "problems", tuple)())


def _reports(run: str) -> frozenset[str]:
    target = _target(run)
    return frozenset((*target["reports"], "effects")) if target else EVERYTHING


def _targets(run: str) -> str | None:
    """Where the run's target was found, which need not be where others are."""
    target = _target(run)
    return os.path.dirname(target["folder"]) if target else None


def _target(run: str) -> dict[str, Any]:
    import msgspec

    path = os.path.join(run, "target.json")
    if not os.path.isfile(path):
        return {}
    with open(path, "rb") as file:
        return msgspec.json.decode(file.read(), type=dict[str, Any])


def _show(verdict: Verdict) -> None:
    from harness.report.console import ends
    from harness.report.text import visible

    print(f"{verdict.value:<14}  {verdict.invariant:<32}  {visible(verdict.says)}")
    for witness in verdict.witnesses:
        print(f"    {visible(witness.key)}")
        for moment in ends(witness.timeline):
            print(f"    {moment.at:10.3f} s  {visible(moment.what)}" if moment else f"    {'...':>12}")
