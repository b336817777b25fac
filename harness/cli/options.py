"""The options that every command with a scenario has."""

from argparse import ArgumentParser, ArgumentTypeError, Namespace

from msgspec import structs

from harness.scenario import Scenario, load
from harness.target import Target


def scenario_options(parser: ArgumentParser) -> None:
    """Add --target, --preset, --set, --patience, --quick, --variant, --overlay and --targets."""
    parser.add_argument("--target", metavar="NAME", help="run against this target instead of the scenario's")
    parser.add_argument("--preset", metavar="NAME", help="use this named set of the target's knobs")
    parser.add_argument(
        "--set",
        metavar="KNOB=VALUE",
        action="append",
        default=[],
        type=assignment,
        help="set one knob, or redis.persistence=none; may be repeated",
    )
    parser.add_argument(
        "--patience", metavar="TIME", help="after the load, wait this long for something to move, such as 3m"
    )
    parser.add_argument("--quick", action="store_true", help="at the time scale that the scenario has for CI")
    parser.add_argument("--variant", metavar="NAME", help="run this variant of the scenario, such as `broken`")
    parser.add_argument("--overlay", metavar="FILE", help="lay the keys of this file over those of the scenario")
    parser.add_argument("--targets", metavar="DIR", help="look for targets in this folder first")


def loaded(args: Namespace, path: str, *, seed: int | None = None, time_scale: float = 1.0) -> tuple[Scenario, Target]:
    """The scenario in a file as these options want it; raises `Problems`."""
    scenario, target = load(
        path,
        target=args.target,
        preset=args.preset,
        knobs=dict(args.set),
        targets=args.targets,
        seed=seed,
        time_scale=time_scale,
        variant=args.variant,
        overlay=args.overlay,
        quick=args.quick,
    )
    if args.patience is not None:
        drain = structs.replace(scenario.drain, patience=_seconds(args.patience))
        scenario = structs.replace(scenario, drain=drain)
    return scenario, target


def _seconds(text: str) -> float:
    from harness.problems import refuse
    from harness.units import Misread, parse

    try:
        return parse("duration", text)
    except Misread as error:
        raise refuse("--patience", f"expected {error.expected}, got `{text}`", error.hint) from error


def assignment(text: str) -> tuple[str, str]:
    """`knob=value` as a pair."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise ArgumentTypeError(f"expected KNOB=VALUE, got `{text}`")
    return name, value


def factor(text: str) -> float:
    """A number above 0."""
    value = float(text)
    if not 0 < value < 1000:
        raise ArgumentTypeError(f"expected a number above 0 and below 1000, got `{text}`")
    return value


def count(text: str) -> int:
    """A whole number from 1 on."""
    value = int(text)
    if value < 1:
        raise ArgumentTypeError(f"expected 1 or more, got `{text}`")
    return value


def names(text: str) -> tuple[str, ...]:
    """Names with commas between them."""
    found = tuple(filter(None, (name.strip() for name in text.split(","))))
    if not found:
        raise ArgumentTypeError(f"expected names with commas between them, got `{text}`")
    return found


def seconds(text: str) -> float:
    """A duration in seconds."""
    from harness.units import Misread, parse

    try:
        return parse("duration", text)
    except Misread as error:
        raise ArgumentTypeError(f"expected {error.expected}, got {text!r}") from None


def moment(text: str) -> float:
    """A time of day today, or ISO 8601, in seconds since the epoch."""
    from datetime import datetime

    try:
        time = datetime.strptime(text, "%H:%M:%S" if text.count(":") == 2 else "%H:%M").time()
        return datetime.combine(datetime.now().date(), time).timestamp()
    except ValueError:
        pass
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        raise ArgumentTypeError(f"expected a time such as 14:05 or 2026-01-31T14:05:00, got {text!r}") from None
