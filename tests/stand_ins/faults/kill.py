"""Kill something."""

from typing import Annotated, ClassVar, Literal

import msgspec


class Kill(msgspec.Struct, frozen=True, kw_only=True):
    """Something is killed."""

    signal: Annotated[Literal["KILL", "TERM"], "which signal"] = "KILL"
    lasts: ClassVar[bool] = False
