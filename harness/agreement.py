"""Whether a scenario and its target agree: what the one asks for, the other must have."""

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from harness import document, variants
from harness.decode import (
    UNFIT,
    Value,
    body_of,
    build,
    fields,
    items,
    keys,
    members,
    named,
    named_items,
    struct,
    unknown,
)
from harness.document import Mapping, Node, Scalar
from harness.problems import Findings, Problems, nearest
from harness.target import Target, child, find, knob_value, load, overrides, without
from harness.timing import Scheduled, Timing
from harness.units import format_duration

RESERVED = ("load", "drain")


class Options(msgspec.Struct, frozen=True):
    """What the command line says beside the file."""

    preset: str | None = None
    knobs: dict[str, str] = {}
    seed: int | None = None


def target_of(
    root: Mapping, findings: Findings, *, default: str, option: str | None, extra: str | None
) -> Target | None:
    """The target that the option or the file names; None once the reason was found."""
    node = child(root, "target")
    written = node.text if isinstance(node, Scalar) and node.text else default
    try:
        return load(find(option or written, extra))
    except Problems as error:
        for problem in error.found:
            _found_elsewhere(problem, node, option, findings)
        return None


def loads(node: Node, findings: Findings, _target: Target | None) -> Any:
    """The stages of the load, each asked what is wrong with it."""
    pairs = named_items(node, "load", findings)
    for item, shape in pairs:
        for message in shape.problems() if shape is not UNFIT else ():
            findings.add(item, f"{_name(item)}: {message}")
    return _some(pairs, node, "load", findings)


def invariants(node: Node, findings: Findings, target: Target | None) -> Any:
    """The invariants, each with what it needs reported by the target."""
    pairs = named_items(node, "invariants", findings)
    for item, invariant in pairs:
        ask: Callable[[], Iterable[str]] = getattr(invariant, "problems", tuple)
        for message in ask():
            findings.add(item, f"{_name(item)}: {message}")
        if target and invariant is not UNFIT:
            _needs(item, invariant, target, findings)
    return _some(pairs, node, "invariants", findings)


def faults(node: Node, findings: Findings, target: Target | None) -> Any:
    """The faults with their timing, each asked whether the target has what it breaks."""
    return _all([_fault(item, findings, target) for item in items(node, findings)])


def resolve(values: dict[str, Any], target: Target, root: Mapping, findings: Findings, options: Options) -> None:
    """Fill in every knob and every server's settings: what the target says, the file, the command line."""
    values["preset"] = _preset(values, target, root, findings, options)
    written = child(root, "knobs")
    chosen = overrides(target.knobs, written, findings) if written else {}
    settings = _server_nodes(child(root, "servers"), target, findings)
    for name, text in options.knobs.items():
        _option(name, Scalar(text), target, chosen, settings, findings)
    values["knobs"] = target.with_knobs(values["preset"], chosen)
    _able(values, root, target, findings)
    values["servers"] = {name: _server(name, node, findings) for name, node in settings.items()}
    if options.seed is not None:
        values["seed"] = options.seed


def consistent(values: dict[str, Any], root: Mapping, findings: Findings) -> None:
    """Phases and faults lie within the load, faults fit the workers there are, an invariant's phase is declared, and a
    load test has no faults."""
    stages = values.get("load", UNFIT)
    seconds = sum(shape.seconds for shape in stages) if stages is not UNFIT else None
    phases = values.get("phases", {})
    if phases is not UNFIT:
        _phases(phases, child(root, "phases"), seconds, findings)
        _phase_names(values.get("invariants", UNFIT), child(root, "invariants"), phases, findings)
    if seconds:
        _within(values.get("faults", UNFIT), child(root, "faults"), seconds, findings)
    if values.get("workers", UNFIT) is not UNFIT:
        _fitting(values.get("faults", UNFIT), child(root, "faults"), values["workers"], findings)
    if values.get("load_only") is True and values.get("faults", UNFIT) not in (UNFIT, ()):
        findings.add(child(root, "load_only"), "a scenario that is load_only has no faults", "leave one of them out")


def _found_elsewhere(problem: Any, node: Node | None, option: str | None, findings: Findings) -> None:
    if problem.line:
        findings.found.append(problem)
    elif option:
        findings.found.append(msgspec.structs.replace(problem, source=f"--target {option}"))
    else:
        findings.add(node, f"{problem.source}: {problem.message}", problem.hint)


def _fault(item: Node, findings: Findings, target: Target | None) -> Any:
    if not (found := named(item, "faults", findings)):
        return UNFIT
    name, body = found
    cls = variants.variant("faults", name.text)
    whole = body_of(name, body, cls)
    values = members(whole, [*fields(cls), *fields(Timing)], findings, name.text)
    own = {field.name for field in fields(cls)}
    fault = build(cls, {key: value for key, value in values.items() if key in own}, name, findings, name.text)
    timing = build(Timing, {key: value for key, value in values.items() if key not in own}, name, findings, name.text)
    if timing is not UNFIT:
        _timing(name, timing, cls, findings)
    if target and fault is not UNFIT:
        _breakable(name, fault, target, findings)
    if target and timing is not UNFIT and "attempts" not in target.reports:
        _seen_from_outside(name, timing, cls, target, findings)
    return Scheduled(fault, timing) if UNFIT not in (fault, timing) else UNFIT


def _timing(name: Scalar, timing: Timing, cls: type, findings: Findings) -> None:
    for message, hint in (*timing.problems(), *timing.misfits(getattr(cls, "lasts", None))):
        findings.add(name, f"{name.text}: {message}", hint)


def _seen_from_outside(name: Scalar, timing: Timing, cls: type, target: Target, findings: Findings) -> None:
    """Without attempts nobody knows who has a job in hand, but for an effect whose answer is withheld."""
    needs = f"needs attempts, which target {target.name} does not report"
    known = timing.when in ("effect", "healed") or (timing.when or "").startswith("acked")
    if not known and (timing.when or getattr(cls, "strikes_in_hand", False)):
        asked = f"`when: {timing.when}`" if timing.when else "a worker with a job in hand"
        findings.add(name, f"{name.text}: {asked} {needs}", "use `when: effect`")
    if timing.until and not timing.until.startswith("acked"):
        findings.add(name, f"{name.text}: `until: {timing.until}` {needs}", "use `for` alone")


def _breakable(name: Scalar, fault: Any, target: Target, findings: Findings) -> None:
    ask: Callable[[Target], Iterable[str]] | None = getattr(fault, "problems", None)
    for message in ask(target) if ask else ():
        findings.add(name, f"{name.text}: {message}")


def _able(values: dict[str, Any], root: Mapping, target: Target, findings: Findings) -> None:
    """A job that waits in the queue needs a queue in which jobs can wait."""
    handler = values.get("handler", UNFIT)
    if handler is not UNFIT and handler.delay and "delay" not in target.abilities:
        message = f"`delay` needs the ability delay, which target {target.name} lacks"
        findings.add(child(root, "handler"), message, f"it has {', '.join(target.abilities) or 'none'}")


def _needs(item: Node, invariant: Any, target: Target, findings: Findings) -> None:
    for report in getattr(invariant, "needs", ()):
        if report not in (*target.reports, "effects"):
            has = ", ".join((*target.reports, "effects"))
            findings.add(
                item, f"{_name(item)} needs {report}, which target {target.name} does not report", f"it reports {has}"
            )


def _preset(values: dict[str, Any], target: Target, root: Mapping, findings: Findings, options: Options) -> str:
    name = values.get("preset", "") if options.preset is None else options.preset
    if name is UNFIT or not name or name in target.presets:
        return "" if name is UNFIT else name
    source = findings if options.preset is None else Findings(f"--preset {name}")
    message = f"target {target.name} has no preset `{document.shortened(name)}`"
    source.add(child(root, "preset") if source is findings else None, message, nearest(name, target.presets))
    _merge(source, findings)
    return ""


def _server_nodes(node: Node | None, target: Target, findings: Findings) -> dict[str, Mapping]:
    """The settings written for each server that the target needs."""
    settings = {name: Mapping([]) for name in target.needs}
    entries = node.entries if isinstance(node, Mapping) else []
    if node and not isinstance(node, Mapping):
        findings.add(
            node, f"expected a mapping of servers, got {document.kind(node)}", "write `redis: {persistence: none}`"
        )
    for key, body in entries:
        if key.text not in settings:
            findings.add(
                key, f"target {target.name} has no server `{document.shortened(key.text)}`", nearest(key.text, settings)
            )
        elif isinstance(body, Mapping):
            settings[key.text] = body
        else:
            findings.add(
                body, f"expected the settings of {key.text}, got {document.kind(body)}", "write `{name: value}`"
            )
    return settings


def _server(name: str, node: Mapping, findings: Findings) -> Any:
    return struct(node, variants.variant("servers", name), findings, name)


def _option(
    name: str, text: Scalar, target: Target, chosen: dict[str, Value], settings: dict[str, Mapping], findings: Findings
) -> None:
    source = Findings(f"--set {name}={document.shortened(text.text)}")
    server, dot, key = name.partition(".")
    if knob := target.knobs.get(name):
        chosen[name] = knob_value(knob, text, source)
    elif dot and server in settings:
        _server_option(server, Scalar(key), text, settings, source)
    else:
        unknown(Scalar(name), "knob", target.knobs, source, f"target {target.name}")
    _merge(source, findings)


def _server_option(server: str, key: Scalar, text: Scalar, settings: dict[str, Mapping], source: Findings) -> None:
    cls = variants.variant("servers", server)
    trial = Mapping([(key, text)])
    members(trial, keys(cls), source, server)
    if not source.found:
        kept = without(settings[server], {key.text})
        settings[server] = Mapping([*kept.entries, (key, text)], kept.line, kept.column)


def _phases(phases: dict[str, Any], node: Node | None, seconds: float | None, findings: Findings) -> None:
    for key, _ in node.entries if isinstance(node, Mapping) else ():
        phase = phases[key.text]
        if key.text in RESERVED:
            findings.add(key, f"phase {key.text} is the harness's own name", "choose another")
        if phase.to <= phase.from_:
            findings.add(
                key, f"phase {key.text} ends before it begins", "`to` counts from the load's beginning, as `from` does"
            )
        elif seconds is not None and phase.to > seconds:
            findings.add(key, f"phase {key.text} ends after the load", f"the load lasts {format_duration(seconds)}")


def _phase_names(values: Any, node: Node | None, phases: dict[str, Any], findings: Findings) -> None:
    for invariant, item in _paired(values, node):
        name = getattr(invariant, "phase", "")
        if name and name not in phases:
            findings.add(
                item, f"{_name(item)}: unknown phase `{name}`", nearest(name, phases) or "declare it under `phases`"
            )


def _within(values: Any, node: Node | None, seconds: float, findings: Findings) -> None:
    for scheduled, item in _paired(values, node):
        last = scheduled.timing.last()
        if last is not None and last >= seconds:
            message = f"{_name(item)}: it would happen at {format_duration(last)}, after the load"
            findings.add(item, message, f"the load lasts {format_duration(seconds)}")


def _fitting(values: Any, node: Node | None, workers: int, findings: Findings) -> None:
    for scheduled, item in _paired(values, node):
        ask: Callable[[int], Iterable[str]] | None = getattr(scheduled.fault, "misfits", None)
        for message in ask(workers) if ask else ():
            findings.add(item, f"{_name(item)}: {message}")


def _paired(values: Any, node: Node | None) -> list[tuple[Any, Node]]:
    if values is UNFIT or not isinstance(node, document.Sequence):
        return []
    return list(zip(values, node.items, strict=True))


def _some(pairs: list[tuple[Node, Any]], node: Node, key: str, findings: Findings) -> Any:
    if not pairs and isinstance(node, document.Sequence):
        findings.add(node, f"`{key}` is empty", f"name at least one {variants.SINGULAR[key]}")
    return _all([value for _, value in pairs]) if pairs else UNFIT


def _all(values: list[Any]) -> Any:
    return UNFIT if any(value is UNFIT for value in values) else tuple(values)


def _name(item: Node) -> str:
    return item.text if isinstance(item, Scalar) else item.entries[0][0].text if isinstance(item, Mapping) else ""


def _merge(source: Findings, findings: Findings) -> None:
    if source is not findings:
        findings.found += source.found
