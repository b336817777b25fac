"""Nothing is lost."""

import msgspec


class NothingLost(msgspec.Struct, frozen=True):
    """No job is lost."""

    phase: str = ""
