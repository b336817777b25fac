"""A scenario in more or less time: its load, phases and faults stretched, and nothing else."""

from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import fields, replace

from harness.scenario import Scenario

T = TypeVar("T", bound=Struct)


def scaled(scenario: Scenario, factor: float) -> Scenario:
    """The scenario with the durations that are its own multiplied; knobs, work and bounds stay as they are."""
    if factor == 1.0:
        return scenario
    return replace(
        scenario,
        load=tuple(_stretched(shape, factor, "for_", "every") for shape in scenario.load),
        phases={name: _stretched(phase, factor, "from_", "to") for name, phase in scenario.phases.items()},
        faults=tuple(
            replace(fault, timing=_stretched(fault.timing, factor, "at", "after", "every", "for_"))
            for fault in scenario.faults
        ),
    )


def _stretched(value: T, factor: float, *names: str) -> T:
    present = {field.name for field in fields(value)}
    changed: dict[str, Any] = {name: getattr(value, name) for name in names if name in present}
    return replace(value, **{name: old * factor for name, old in changed.items() if old is not None})
