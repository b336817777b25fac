"""What a test says in Python, read as a scenario's YAML is: the same names, units, checks and remedies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from harness import agreement, document, units, variants
from harness import target as targets
from harness.problems import Findings, Problems, refuse
from harness.scenario import Handler, Scenario
from harness.target import Target, text_of
from harness.timing import Scheduled

MOST = 64


def seconds(value: str | float) -> float:
    """A length of time: `250ms`, or a number of seconds; raises `Problems`."""
    try:
        return float(value) if isinstance(value, int | float) else units.parse("duration", value)
    except units.Misread as error:
        raise refuse("harness_stack", f"expected {error.expected}, got `{value}`", error.hint) from None


def scenario(
    name: str, target: Target, *, workers: int, preset: str, knobs: Mapping[str, Any], work: float, seed: int | None
) -> Scenario:
    """A scenario without load and claims, in which a test has its way; raises `Problems`."""
    findings, values = Findings("harness_stack"), dict[str, Any]()
    texts = {knob: text_of(value) for knob, value in knobs.items()}
    options = agreement.Options(preset=preset or None, knobs=texts, seed=seed)
    agreement.resolve(values, target, document.Mapping([]), findings, options)
    if not 1 <= workers <= MOST:
        findings.add(None, f"expected 1 to {MOST} workers, got {workers}")
    if findings.found:
        raise Problems(replace(one, source=_here(one.source)) for one in findings.found)
    about = "A stack in the hands of a test."
    whole = Scenario(about, (), (), name=name, workers=workers, handler=Handler(work), target=target.name)
    return replace(whole, **values)


def _here(source: str) -> str:
    """An option of the command, as what a test gives in its place."""
    return f"harness_stack: {source.replace('--set', 'knob').removeprefix('--')}" if source[:2] == "--" else source


def found(name: str, extra: str | None) -> Target:
    """The target of this name; raises `Problems`."""
    return targets.load(targets.find(name, extra))


def fault(name: str, keys: Mapping[str, Any], target: Target) -> Scheduled:
    """A fault that is injected now, or at the moment that `when` says; raises `Problems`."""
    given = {**({} if "when" in keys else {"at": "0s"}), **keys}
    if name in variants.names("faults") and getattr(variants.variant("faults", name), "lasts", False):
        given["for"] = "1s"  # it must say how long it lasts, and lasts until the test heals it
    findings = Findings("inject")
    read = agreement.faults(_node([{name: given}]), findings, target)
    findings.settle()
    one: Scheduled = read[0]
    return one


def claims(names: tuple[str, ...], with_values: Mapping[str, Any], target: Target) -> tuple[Any, ...]:
    """Invariants by their names, with what each takes; raises `Problems`."""
    findings = Findings("check")
    listed = [*names, *({name: value} for name, value in with_values.items())]
    read: tuple[Any, ...] = agreement.invariants(_node(listed), findings, target)
    findings.settle()
    return read


def _node(value: Any) -> document.Node:
    if isinstance(value, Mapping):
        return document.Mapping([(document.Scalar(key), _node(inner)) for key, inner in value.items()])
    if isinstance(value, list | tuple):
        return document.Sequence([_node(inner) for inner in value])
    return document.Scalar(text_of(value))
