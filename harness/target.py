"""A target: one job system, as the `target.yaml` of its folder describes it."""

import os
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Annotated, Any, Literal

import msgspec

from harness import document, environment, units, variants
from harness.decode import UNFIT, Derived, Value, decode, struct
from harness.document import Node, Scalar, Spot
from harness.effects import Effects
from harness.problems import Findings, nearest, refuse

FILE = "target.yaml"
EXPRESSIONS = ("lease", "sweep", "backoff", "window")


class Knob(msgspec.Struct, frozen=True):
    """One setting that a scenario may change; its default says its type."""

    default: Annotated[Value, "the value where nobody says otherwise"]
    unit: Annotated[Literal["", "duration", "rate", "share", "size"], "what the number counts"] = ""
    choices: Annotated[tuple[Value, ...], "the only values allowed"] = ()
    sets: Annotated[str, "the option of the real system that it sets"] = ""
    about: Annotated[str, "what it means"] = ""


class Preset(msgspec.Struct, frozen=True):
    """A named set of knobs."""

    about: str
    knobs: dict[str, Value] = {}


class Target(msgspec.Struct, frozen=True):
    """What a target needs, how it is started, what it can do and report, and what may be set."""

    about: Annotated[str, "one line"]
    producer: Annotated[tuple[str, ...], "the command of the producer"]
    worker: Annotated[tuple[str, ...], "the command of a worker"]
    name: Annotated[str, Derived()] = ""
    folder: Annotated[str, Derived()] = ""
    needs: Annotated[tuple[str, ...], "the servers that are started for it"] = ()
    setup: Annotated[dict[str, str], "toolchain -> the file with its pins: how the dependencies are installed"] = {}
    abilities: Annotated[tuple[str, ...], "what the job system can do"] = ()
    reports: Annotated[tuple[Literal["attempts", "state", "held", "letters"], ...], "what it tells the harness"] = ()
    lease: Annotated[str, "seconds until a dead worker's job is due again, over knobs"] = "0"
    sweep: Annotated[str, "seconds until the system notices that, over knobs"] = "0"
    backoff: Annotated[str, "the longest wait before a retry, over knobs"] = "0"
    window: Annotated[str, "the longest time from a job's first run to its last, over knobs"] = ""
    extends: Annotated[str, "whether a lease is extended while the handler works: yes, no, KNOB or not KNOB"] = "no"
    hints: Annotated[dict[str, str], "invariant -> what usually breaks it here, with the option's name"] = {}
    env: Annotated[
        dict[str, str], "variables of its own programs; `$NAME` is a knob or a variable of the protocol"
    ] = {}
    ready: Annotated[str, "what a worker's log says once it consumes, where it writes no `ready` line"] = ""
    effects: Annotated[Effects, "how a side effect is recognised"] = Effects()
    knobs: dict[str, Knob] = {}
    presets: dict[str, Preset] = {}

    @property
    def database(self) -> str:
        """The server of its own that can be asked for effects; empty where there is none."""
        return next((name for name in self.needs if hasattr(variants.variant("servers", name), "rows")), "")

    def with_knobs(self, preset: str = "", overrides: Mapping[str, Value] | None = None) -> dict[str, Value]:
        """Every knob with its value: the default, unless the preset says otherwise, unless an override does."""
        values = {name: knob.default for name, knob in self.knobs.items()}
        chosen = self.presets[preset].knobs if preset else {}
        return values | chosen | dict(overrides or {})

    def seconds(self, what: str, knobs: Mapping[str, Value]) -> float:
        """What `lease`, `sweep` or `backoff` amounts to with these knobs."""
        from harness.expression import evaluate

        return evaluate(getattr(self, what), knobs)

    def extended(self, knobs: Mapping[str, Value]) -> bool:
        """Whether with these knobs a lease is extended while the handler works."""
        word, _, knob = self.extends.rpartition(" ")
        if knob in ("yes", "no"):
            return knob == "yes"
        return bool(knobs[knob]) != (word == "not")


def load(folder: str) -> Target:
    """The target in this folder; raises `Problems`."""
    try:
        changed = os.stat(os.path.join(folder, FILE)).st_mtime_ns
    except OSError:
        changed = 0
    return _load(os.path.abspath(folder), changed)


@lru_cache
def _load(folder: str, _changed: int) -> Target:
    """Each scenario and each of its variants asks for the same file again."""
    root, findings = document.read(os.path.join(folder, FILE))
    typed = without(root, {"knobs", "presets"})
    target: Any = struct(typed, Target, findings)
    knobs = _knobs(child(root, "knobs"), findings)
    presets = _presets(child(root, "presets"), knobs, findings)
    if target is not UNFIT:
        _check(target, knobs, root, findings)
    findings.settle()
    whole: Target = msgspec.structs.replace(
        target, name=os.path.basename(folder), folder=folder, knobs=knobs, presets=presets
    )
    return whole


def find(name: str, extra: str | None = None) -> str:
    """The folder of the target of this name, or at this path; raises `Problems` when there is none."""
    if os.sep in name and os.path.isfile(os.path.join(name, FILE)):
        return name
    known = {os.path.basename(folder): folder for folder in reversed(list(folders(extra)))}
    if name not in known:
        raise refuse(
            f"target {name}", "no such target", nearest(name, known) or "name a folder of targets with --targets"
        )
    return known[name]


def folders(extra: str | None = None) -> Iterator[str]:
    """The folder of every target that can be named, nearest first."""
    for place in places(extra):
        for name in sorted(os.listdir(place)) if os.path.isdir(place) else ():
            if name[0] not in "_." and os.path.isfile(os.path.join(place, name, FILE)):
                yield os.path.join(place, name)


def places(extra: str | None = None) -> list[str]:
    """Where targets are looked for, in order."""
    package = os.path.dirname(os.path.abspath(__file__))
    bundled = os.path.join(package, "bundled", "targets")
    return [*([extra] if extra else []), "targets", bundled, os.path.join(os.path.dirname(package), "targets")]


def knob_value(knob: Knob, node: Node, findings: Findings) -> Value:
    """A knob's value from text, by the type of its default; UNFIT once the reason was found."""
    if knob.unit:
        return _typed(node, Annotated[float, units.Unit(knob.unit)], findings)
    if knob.choices:
        by_text = {text_of(choice): choice for choice in knob.choices}
        text = _typed(node, Literal[tuple(by_text)], findings)
        return text if text is UNFIT else by_text[str(text)]
    return _typed(node, type(knob.default), findings)


def child(root: document.Mapping, key: str) -> Node | None:
    """The value that stands under a key."""
    return next((node for name, node in root.entries if name.text == key), None)


def text_of(value: Value) -> str:
    """A plain value as YAML has it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _typed(node: Node, hint: object, findings: Findings) -> Value:
    value: Value = decode(node, hint, findings)
    return value


def without(root: document.Mapping, keys: set[str]) -> document.Mapping:
    """The mapping less these keys."""
    kept = [(key, node) for key, node in root.entries if key.text not in keys]
    return document.Mapping(kept, root.line, root.column)


def _knobs(node: Node | None, findings: Findings) -> dict[str, Knob]:
    if node is None:
        return {}
    decoded = {
        key.text: (struct(body, Knob, findings, f"knob {key.text}"), body) for key, body in _entries(node, findings)
    }
    return {name: _in_unit(knob, body, findings) for name, (knob, body) in decoded.items() if knob is not UNFIT}


def _in_unit(knob: Knob, body: Node, findings: Findings) -> Knob:
    default = child(body, "default") if isinstance(body, document.Mapping) else None
    if default is None or not (knob.unit or knob.choices):
        return knob
    return msgspec.structs.replace(knob, default=knob_value(knob, default, findings))


def _presets(node: Node | None, knobs: dict[str, Knob], findings: Findings) -> dict[str, Preset]:
    if node is None:
        return {}
    presets = {}
    for key, body in _entries(node, findings):
        about = (
            struct(without(body, {"knobs"}), Preset, findings, f"preset {key.text}")
            if isinstance(body, document.Mapping)
            else UNFIT
        )
        if about is UNFIT:
            continue
        chosen = child(body, "knobs") if isinstance(body, document.Mapping) else None
        presets[key.text] = Preset(about.about, overrides(knobs, chosen, findings) if chosen else {})
    return presets


def overrides(knobs: Mapping[str, Knob], node: Node, findings: Findings) -> dict[str, Value]:
    """Knob name -> value for each key of a mapping; unknown knobs and unfit values are found."""
    values = {}
    for key, body in _entries(node, findings):
        if knob := knobs.get(key.text):
            values[key.text] = knob_value(knob, body, findings)
        else:
            findings.add(key, f"unknown knob `{document.shortened(key.text)}`", nearest(key.text, knobs))
    return values


def _entries(node: Node, findings: Findings) -> list[tuple[Scalar, Node]]:
    if isinstance(node, document.Mapping):
        return node.entries
    findings.add(node, f"expected a mapping of names, got {document.kind(node)}", "write `name: value` lines")
    return []


def _check(target: Target, knobs: dict[str, Knob], root: document.Mapping, findings: Findings) -> None:
    known = variants.names("servers")
    toolchains = variants.names("toolchains")
    setup = child(root, "setup")
    for key, _ in setup.entries if isinstance(setup, document.Mapping) else ():
        if key.text not in toolchains:
            findings.add(key, f"unknown toolchain `{key.text}`", nearest(key.text, toolchains))
    listed = child(root, "needs")
    for item in listed.items if isinstance(listed, document.Sequence) else ():
        if isinstance(item, Scalar) and item.text not in known:
            findings.add(item, f"unknown server `{item.text}`", nearest(item.text, known))
    _check_effects(target, child(root, "effects"), findings)
    _check_env(target, knobs, child(root, "env"), findings)
    _check_extends(target, knobs, child(root, "extends"), findings)
    _check_hints(child(root, "hints"), findings)
    for what in EXPRESSIONS:
        if isinstance(node := child(root, what), Scalar):
            _check_expression(node, {name: knob.default for name, knob in knobs.items()}, findings)


def _check_extends(target: Target, knobs: dict[str, Knob], node: Node | None, findings: Findings) -> None:
    word, _, name = target.extends.rpartition(" ")
    known = {name for name, knob in knobs.items() if isinstance(knob.default, bool)}
    if word not in ("", "not") or (name not in known and (word or name not in ("yes", "no"))):
        hint = nearest(name, known) or "write `yes`, `no`, the name of a knob that is true or false, or `not NAME`"
        findings.add(node, f"expected whether a lease is extended, got `{target.extends}`", hint)


def _check_hints(node: Node | None, findings: Findings) -> None:
    known = variants.names("invariants")
    for key, _ in node.entries if isinstance(node, document.Mapping) else ():
        if key.text not in known:
            findings.add(key, f"unknown invariant `{document.shortened(key.text)}`", nearest(key.text, known))


def _check_effects(target: Target, node: Node | None, findings: Findings) -> None:
    if not isinstance(node, document.Mapping):
        return
    for key, message, hint in target.effects.problems():
        findings.add(child(node, key), message, hint)
    known = variants.names("servers")
    if target.effects.sql and all(name in known for name in target.needs) and not target.database:
        findings.add(child(node, "sql"), "there is no database to ask", "add `needs: [postgres]`")


def _check_env(target: Target, knobs: dict[str, Knob], node: Node | None, findings: Findings) -> None:
    known = {*environment.GIVEN, *knobs, *(f"HARNESS_{name.upper()}" for name in target.needs)}
    for key, text in node.entries if isinstance(node, document.Mapping) else ():
        for message in environment.problems(key.text, target.env[key.text], known):
            findings.add(text, message)


def _check_expression(node: Scalar, defaults: dict[str, Value], findings: Findings) -> None:
    from harness.expression import Unsuitable, check

    try:
        check(node.text, defaults)
    except Unsuitable as error:
        findings.add(Spot(node.line, node.column + error.offset), str(error))
