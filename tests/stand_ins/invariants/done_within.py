"""All is done in time."""

from typing import Annotated

import msgspec

from harness.units import Duration, Share


class DoneWithin(msgspec.Struct, frozen=True):
    """Every job is done in time."""

    within: Annotated[Duration, "how long it may take"]
    share: Annotated[Share, "of the jobs"] = 1.0
