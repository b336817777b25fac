"""Cut a server off."""

from collections.abc import Iterator
from typing import Annotated, ClassVar

import msgspec

from harness.target import Target


class Cut(msgspec.Struct, frozen=True):
    """A server cannot be reached."""

    server: Annotated[str, "which server"]
    lasts: ClassVar[bool] = True

    def problems(self, target: Target) -> Iterator[str]:
        """The target must have the server."""
        if self.server not in target.needs:
            yield f"target {target.name} has no server `{self.server}`"
