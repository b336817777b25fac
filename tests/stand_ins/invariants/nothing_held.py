"""Nothing is held."""

from typing import ClassVar

import msgspec


class NothingHeld(msgspec.Struct, frozen=True):
    """The queue is empty in the end."""

    needs: ClassVar[tuple[str, ...]] = ("held",)
