"""How the side effects of a target are recognised: by calls of the downstream, or by a query of its database."""

import re
from collections.abc import Iterator
from typing import Annotated

import msgspec

PLACE = r"(body|header)\.(\S+)"


class Effects(msgspec.Struct, frozen=True):
    """The side effects as the programs make them; what is said here is what the target protocol asks for."""

    path: Annotated[str, "the path of the downstream that they POST to"] = "/effects"
    key: Annotated[str, "where the job's key is in the call: `body.NAME`, `body.NAME.NAME` or `header.NAME`"] = (
        "body.key"
    )
    answer: Annotated[str, "the body of the answer to a call, where they look at it"] = ""
    sql: Annotated[
        str, "a query that lists them instead: a row for each, its key and its time in seconds since the epoch"
    ] = ""

    def problems(self) -> Iterator[tuple[str, str, str]]:
        """What is wrong: the key it stands under, a sentence, a remedy."""
        if not self.path.startswith("/"):
            yield "path", f"expected a path, got `{self.path}`", "begin it with `/`"
        if not re.fullmatch(PLACE, self.key):
            message = f"expected `body.NAME` or `header.NAME`, got `{self.key}`"
            yield "key", message, "for example `body.order_id`, or `header.Idempotency-Key`"
