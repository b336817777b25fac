"""A scenario: what is offered, what is broken, what must hold; read from YAML and checked against its target."""

import os
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec

from harness import document
from harness.decode import Derived, Named, Value, build, key_of, keys, members
from harness.overlay import Variant, laid_over, overlaid, variants
from harness.problems import Findings
from harness.target import Target, child, without
from harness.timing import Scheduled
from harness.units import Duration, Share


class Handler(msgspec.Struct, frozen=True):
    """What a job's handler does."""

    work: Annotated[Duration, "how long it works before its side effect"] = 0.05
    busy: Annotated[Duration, "how long it then computes without yielding to anything else in its process"] = 0.0
    delay: Annotated[Duration, "how long a job waits in the queue before it may run"] = 0.0
    poison: Annotated[
        Literal["none", "permanent", "unknown", "transient"],
        "how it fails: for good, with an error nobody has classified, or twice and then no more",
    ] = "none"
    poison_share: Annotated[Share, "which part of the jobs is poison"] = 1.0
    record: Annotated[bool, "a job acts on a record, and carries the version that it was made from"] = False


class Again(msgspec.Struct, frozen=True):
    """Jobs that are offered a second time: a client that got no answer and tried again."""

    share: Annotated[Share, "which part of the jobs"] = 0.0
    after: Annotated[Duration, "how long after the first time"] = 0.2


class Provider(msgspec.Struct, frozen=True):
    """How the downstream behaves while no fault changes it."""

    honours_keys: Annotated[bool, "it does nothing again for an Idempotency-Key that it knows"] = True
    latency: Annotated[Duration, "how long it takes to answer"] = 0.0


class Phase(msgspec.Struct, frozen=True):
    """A named stretch of the load."""

    to: Annotated[Duration, "its end, counted from the load's beginning"]
    from_: Annotated[Duration, "its beginning, counted from the load's"] = 0.0


class Drain(msgspec.Struct, frozen=True):
    """The wait after the load, all faults healed, for what is left to be done."""

    timeout: Annotated[Duration, "give up after this long"] = 600.0
    patience: Annotated[
        Duration, "give up when nothing has moved for this long; 0: once lease, sweep and retries must be over"
    ] = 0.0


class Scenario(msgspec.Struct, frozen=True):
    """A situation, and the claims that a target must keep in it."""

    about: Annotated[str, "one sentence: what happens, and why it matters"]
    load: Annotated[tuple[Any, ...], Named("load"), "the stages of the load, one after another"]
    invariants: Annotated[tuple[Any, ...], Named("invariants"), "what must hold"]
    name: Annotated[str, Derived()] = ""
    target: Annotated[str, "the job system: a name that `harness list targets` shows, or a folder"] = "celery"
    preset: Annotated[str, "a named set of the target's knobs"] = ""
    knobs: Annotated[dict[str, Value], "settings of the target; once loaded, every one of them"] = {}
    workers: Annotated[int, msgspec.Meta(ge=1, le=64), "how many worker processes"] = 2
    restart: Annotated[Literal["always", "on-failure", "never"], "whether a worker that ended is started again"] = (
        "always"
    )
    handler: Annotated[Handler, "what a job does"] = Handler()
    downstream: Annotated[Provider, "the provider that jobs have their side effects at"] = Provider()
    again: Annotated[Again, "jobs that are offered a second time"] = Again()
    phases: Annotated[dict[str, Phase], "named stretches of the load, for invariants that speak of one"] = {}
    faults: Annotated[tuple[Scheduled, ...], Named("faults"), "what is broken, and when"] = ()
    load_only: Annotated[bool, "no fault is meant, and the load is the test: not INCONCLUSIVE for want of one"] = False
    servers: Annotated[dict[str, Any], "settings of the target's servers; once loaded, every one of them"] = {}
    drain: Annotated[Drain, "the wait after the load"] = Drain()
    seed: Annotated[int, msgspec.Meta(ge=0), "decides everything random"] = 1
    quick: Annotated[float, msgspec.Meta(gt=0, le=1), "the time scale of `--quick`, for CI"] = 1.0
    variants: Annotated[
        dict[str, Variant], "the scenario broken and mended: other values for its keys, and which claims must then fail"
    ] = {}

    @property
    def seconds(self) -> float:
        """How long the load lasts."""
        return float(sum(shape.seconds for shape in self.load))


def load(
    path: str,
    *,
    target: str | None = None,
    preset: str | None = None,
    knobs: Mapping[str, str] | None = None,
    targets: str | None = None,
    seed: int | None = None,
    time_scale: float = 1.0,
    variant: str | None = None,
    overlay: str | None = None,
    quick: bool = False,
) -> tuple[Scenario, Target]:
    """The scenario in a file with its target, checked against each other; the options go before what the file says.

    Raises `Problems`, all at once. `knobs` are `name: text` as `--set` gives them; `redis.persistence` is a server's.
    `overlay` is a file with other values for the scenario's keys, which go before those of a `variant`.
    `time_scale`, and `quick` by as much as the scenario says, stretch the load, the phases and the faults, never a
    knob, the work or an invariant's bound.
    """
    from harness import agreement, scaling

    root, findings = document.read(path)
    declared = variants(root, CHANGEABLE, findings)
    root = laid_over(root, variant) if variant else root
    root = overlaid(root, overlay, CHANGEABLE, findings) if overlay else root
    found = agreement.target_of(root, findings, default=_default("target"), option=target, extra=targets)
    values = _values(root, findings, found) | {"variants": declared}
    if found:
        options = agreement.Options(preset=preset, knobs=dict(knobs or {}), seed=seed)
        agreement.resolve(values, found, root, findings, options)
    agreement.consistent(values, root, findings)
    scenario = build(Scenario, values, root, findings)
    findings.settle()
    assert found is not None, "a target that was not found is a finding"
    named = msgspec.structs.replace(scenario, name=_name(path), target=target or scenario.target)
    return scaling.scaled(named, time_scale * (scenario.quick if quick else 1.0)), found


def _values(root: document.Mapping, findings: Findings, target: Target | None) -> dict[str, Any]:
    """Each key's value or UNFIT; knobs and servers are left to the target."""
    from harness import agreement

    readers = {"load": agreement.loads, "invariants": agreement.invariants, "faults": agreement.faults}
    others = {*readers, "knobs", "servers", "variants"}
    values = members(without(root, others), keys(Scenario), findings)
    for key, read in readers.items():
        if node := child(root, key):
            values[key] = read(node, findings, target)
    return values


CHANGEABLE = {key_of(field.name) for field in keys(Scenario)} - {"about", "target", "variants"}
"""The keys that a variant may give another value."""


def _default(name: str) -> str:
    return str(next(field.default for field in msgspec.structs.fields(Scenario) if field.name == name))


def _name(path: str) -> str:
    return os.path.splitext(os.path.basename(path))[0]
