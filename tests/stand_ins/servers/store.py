"""A store."""

from typing import Annotated, Literal

import msgspec

from harness.units import Size


class Store(msgspec.Struct, frozen=True):
    """A server that keeps things."""

    keeps: Annotated[Literal["all", "none"], "what it keeps"] = "all"
    memory: Annotated[Size, "the most it may use"] = 0
