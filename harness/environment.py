"""The variables that an unchanged program is configured by: its own names, for what the harness knows."""

from collections.abc import Container, Iterator, Mapping

GIVEN = (
    "HARNESS_CONCURRENCY",
    "HARNESS_DOWNSTREAM",
    "HARNESS_EVENTS",
    "HARNESS_KIT",
    "HARNESS_KNOBS",
    "HARNESS_LISTEN",
    "HARNESS_PRODUCER",
    "HARNESS_WORKER",
)
"""What the target protocol gives to one program or the other, whatever servers there are."""


def filled(env: Mapping[str, str], given: Mapping[str, str]) -> dict[str, str]:
    """Each variable with what its `$NAME`s stand for; one that needs what this program is not given is left out."""
    from string import Template

    return {
        name: Template(text).substitute(given)
        for name, text in env.items()
        if all(word in given for word in Template(text).get_identifiers())
    }


def problems(name: str, text: str, known: Container[str]) -> Iterator[str]:
    """What is wrong with one variable, a sentence each; `known` is all that may be named after a `$`."""
    from string import Template

    if name.startswith("HARNESS_"):
        yield f"`{name}` is a variable of the harness's own"
    if not Template(text).is_valid():
        yield f"a `$` must stand before a name, got `{text}`; write `$$` for the sign itself"
        return
    yield from (
        f"`${word}` is neither a knob nor a variable of the target protocol"
        for word in Template(text).get_identifiers()
        if word not in known
    )
