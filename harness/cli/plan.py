"""Show what a run would do, and when: every fault, every wait, decided by the seed. Nothing is started."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from harness.cli.options import factor, loaded, scenario_options

EXAMPLES = """examples:
  harness plan scenarios/worker-kill.yaml
  harness plan scenarios/downstream-outage.yaml --time-scale 0.2 --json
"""


def arguments(parser: ArgumentParser) -> None:
    """The scenario, and what to change in it."""
    parser.add_argument("scenario", metavar="SCENARIO", help="a scenario file")
    scenario_options(parser)
    parser.add_argument("--seed", type=int, metavar="N", help="decide everything random by this number")
    parser.add_argument(
        "--time-scale", type=factor, default=1.0, metavar="X", help="stretch the load, phases and faults by this factor"
    )
    parser.add_argument("--json", action="store_true", help="print it as JSON")


def main(args: Namespace) -> int:
    """Print the plan."""
    import msgspec

    from harness.plan import plan

    scenario, target = loaded(args, args.scenario, seed=args.seed, time_scale=args.time_scale)
    decided, _ = plan(scenario, target)
    if args.json:
        print(msgspec.json.format(msgspec.json.encode(decided), indent=2).decode())
        return 0
    waits = decided.waits
    print(f"{scenario.name} on {target.name}, seed {scenario.seed}")
    print(
        f"  load    {decided.jobs} jobs over {decided.seconds:g} s, from {decided.generators} generator(s), to "
        f"{scenario.workers} worker(s)"
    )
    for firing in decided.firings:
        print(f"  fault   {firing.n}: {firing.fault} {firing.when}")
    print(
        f"  drain   until all is done, or nothing moved for {waits.rest.seconds:g} s (lease {waits.lease:g} s, sweep "
        f"{waits.sweep:g} s, backoff {waits.backoff:g} s)"
    )
    if not waits.rest.enough:
        print("          which is shorter than the lease: a job that is still held then is INCONCLUSIVE")
    return 0
