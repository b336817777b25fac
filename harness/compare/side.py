"""A side of a comparison: what of the scenario it changes."""

from __future__ import annotations

import os
from collections.abc import Iterator

import msgspec

from harness.problems import refuse


class Side(msgspec.Struct, frozen=True):
    """Knobs as `--set` takes them, or a file laid over the scenario; neither: the scenario as it is."""

    text: str
    knobs: tuple[tuple[str, str], ...] = ()
    overlay: str = ""

    @property
    def name(self) -> str:
        """As a table says it."""
        return self.text or "as it is"


def side(option: str, text: str) -> Side:
    """`lease=1s,ack=early`, or a file; raises `Problems`."""
    if not text:
        return Side("")
    if os.path.isfile(text) or "=" not in text:
        return Side(text, overlay=text)
    return Side(text, knobs=tuple(_assignments(option, text)))


def _assignments(option: str, text: str) -> Iterator[tuple[str, str]]:
    for part in text.split(","):
        name, equals, value = part.strip().partition("=")
        if not name or not equals:
            raise refuse(f"{option} {text}", f"expected name=value,name=value, or a file, got `{part}`")
        yield name, value
