"""An axis of a sweep: a setting, and the values that it takes one after another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from harness.problems import nearest, refuse

MOST = 3
"""Axes that can be drawn: across, down, and side by side."""
WORKERS = "workers"


class Axis(msgspec.Struct, frozen=True):
    """The name of a knob, of a server's setting or `workers`, with values as `--set` takes them."""

    name: str
    values: tuple[str, ...]

    @property
    def text(self) -> str:
        """As the command line has it."""
        return f"{self.name}={','.join(self.values)}"


def axes(texts: Sequence[str]) -> tuple[Axis, ...]:
    """What `--vary` says, in its order; raises `Problems`."""
    if not texts:
        raise refuse("--vary", "nothing is varied", "name a knob and its values, such as --vary concurrency=1,4,16")
    if len(texts) > MOST:
        raise refuse("--vary", f"{len(texts)} settings are varied", f"at most {MOST} can be drawn")
    found = tuple(map(_axis, texts))
    for name, times in Counter(axis.name for axis in found).items():
        if times > 1:
            raise refuse(f"--vary {name}", "it is varied twice", "give all its values with one --vary")
    return found


def _axis(text: str) -> Axis:
    name, _, listed = text.partition("=")
    values = tuple(value.strip() for value in listed.split(","))
    if not name or not all(values):
        raise refuse(f"--vary {text}", "expected NAME=VALUE,VALUE,...", "such as concurrency=1,4,16")
    for value, times in Counter(values).items():
        if times > 1:
            raise refuse(f"--vary {text}", f"`{value}` stands there twice")
    return Axis(name.strip(), values)


def known(axes: Iterable[Axis], names: Iterable[str], target: str) -> None:
    """Raise `Problems` for an axis that the target has no setting for."""
    choices = [*names, WORKERS]
    for axis in axes:
        if axis.name not in choices:
            raise refuse(f"--vary {axis.text}", f"{target} has no knob `{axis.name}`", _meant(axis.name, choices))


def _meant(name: str, choices: Sequence[str]) -> str:
    """People shorten names: `prefetch` for the only knob with that in its name."""
    longer = [choice for choice in choices if name in choice]
    return f"did you mean `{longer[0]}`?" if len(longer) == 1 else nearest(name, choices)
