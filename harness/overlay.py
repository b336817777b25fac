"""What is laid over a scenario: its variants, broken and mended with what each must come to, and files of keys."""

from typing import Annotated, Any

import msgspec

from harness.decode import UNFIT, decode, unknown
from harness.document import Mapping, Node, Scalar, kind, placed, read
from harness.modes import BY_ID
from harness.problems import Findings, nearest, refuse
from harness.target import Target, child, without

MERGED = ("knobs", "servers")
"""Keys whose entries are laid over those of the scenario one by one; every other key takes the place of its own."""


class Variant(msgspec.Struct, frozen=True):
    """What a variant must come to; its other keys are a scenario's, and go before those of the scenario."""

    fails: Annotated[tuple[str, ...], "the invariants that must fail, these and no others; none: it must pass"] = ()
    about: Annotated[str, "what is broken or mended here"] = ""
    preset: Annotated[str, "the target's preset that it takes; a target without one does not take part"] = ""
    shows: Annotated[tuple[str, ...], "the failure modes of the catalogue that it shows: L1, D5, ..."] = ()


def variants(root: Mapping, allowed: set[str], findings: Findings) -> dict[str, Variant]:
    """Every variant by its name; a key that no scenario has, and a claim that the scenario does not make, are found."""
    node = child(root, "variants")
    if node is None:
        return {}
    if not isinstance(node, Mapping):
        findings.add(
            node, f"expected a mapping of variants, got {kind(node)}", "write `broken: {preset: ..., fails: [...]}`"
        )
        return {}
    claims = _claims(root)
    return {key.text: _variant(key, body, allowed, claims, findings) for key, body in node.entries}


def laid_over(root: Mapping, name: str) -> Mapping:
    """The scenario as this variant has it; raises `Problems` when there is no such variant."""
    node = child(root, "variants")
    bodies = {key.text: body for key, body in node.entries} if isinstance(node, Mapping) else {}
    if name not in bodies:
        raise refuse(f"--variant {name}", "the scenario has no such variant", nearest(name, bodies) or "it has none")
    body = bodies[name]
    own = (
        [(key, value) for key, value in body.entries if key.text not in ("fails", "about", "shows")]
        if isinstance(body, Mapping)
        else []
    )
    for key, value in own:
        root = _with(root, key, value)
    return root


def overlaid(root: Mapping, path: str, allowed: set[str], findings: Findings) -> Mapping:
    """The scenario with the keys of a file over its own; a key that no scenario has is found, with its place there."""
    over, own = read(path)
    findings.found += own.found
    for key, value in over.entries:
        key = placed(key, path)
        if key.text in allowed:
            root = _with(root, key, placed(value, path))
        else:
            unknown(key, "key", allowed, findings)
    return root


def takes_part(target: Target, variant: Variant) -> bool:
    """Whether the target has what the variant is about."""
    return not variant.preset or variant.preset in target.presets


def _variant(key: Scalar, body: Node, allowed: set[str], claims: set[str], findings: Findings) -> Variant:
    entries = body.entries if isinstance(body, Mapping) else []
    if not isinstance(body, Mapping):
        findings.add(
            body, f"variant {key.text}: expected keys, got {kind(body)}", "write `{fails: [no_lost_jobs], ...}`"
        )
    values: dict[str, Any] = {}
    own = {field.name: field for field in msgspec.structs.fields(Variant)}
    for name, node in entries:
        if name.text in own:
            values[name.text] = decode(node, own[name.text].type, findings)
        elif name.text not in allowed:
            unknown(name, "key", {*own, *allowed}, findings, f"variant {key.text}")
    for claim in values.get("fails") or () if values.get("fails") is not UNFIT else ():
        if claim not in claims:
            findings.add(child_of(body, "fails"), f"the scenario does not claim `{claim}`", nearest(claim, claims))
    for mode in values.get("shows") or () if values.get("shows") is not UNFIT else ():
        if mode not in BY_ID:
            findings.add(child_of(body, "shows"), f"there is no failure mode `{mode}`", nearest(mode, BY_ID))
    return Variant(**{name: value for name, value in values.items() if value is not UNFIT})


def child_of(node: Node, key: str) -> Node:
    """The value under a key, or the node itself."""
    return (child(node, key) if isinstance(node, Mapping) else None) or node


def _claims(root: Mapping) -> set[str]:
    listed = child(root, "invariants")
    items = getattr(listed, "items", [])
    return {
        item.text if isinstance(item, Scalar) else item.entries[0][0].text
        for item in items
        if isinstance(item, Scalar) or item.entries
    }


def _with(root: Mapping, key: Scalar, value: Node) -> Mapping:
    before = child(root, key.text)
    if key.text in MERGED and isinstance(before, Mapping) and isinstance(value, Mapping):
        for inner, node in value.entries:
            before = _with(before, inner, node) if key.text == "servers" else _put(before, inner, node)
        value = before
    return _put(root, key, value)


def _put(root: Mapping, key: Scalar, value: Node) -> Mapping:
    kept = without(root, {key.text})
    return Mapping([*kept.entries, (key, value)], root.line, root.column)
