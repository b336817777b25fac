"""How the downstream can be told to misbehave."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

How = Literal["503", "429", "hang", "reset", "slow", "commit_then_timeout"]
Share = Annotated[float, Meta(ge=0, le=1)]
Seconds = Annotated[float, Meta(ge=0)]


class Behaviour(Struct, frozen=True, forbid_unknown_fields=True):
    """One way to misbehave, towards every call or a share of them.

    `503` and `429` answer so and do nothing; `429` asks the caller to wait `retry_after` seconds (sent as whole
    seconds, rounded up: HTTP has no others).
    `hang` never answers and `reset` resets the connection; neither does anything.
    `slow` commits and answers after `delay` seconds, if the caller is still there.
    `commit_then_timeout` commits at once and never answers.
    Which calls make up the share is drawn from `seed`, in the order in which they arrive.
    """

    how: How
    share: Share = 1.0
    retry_after: Seconds = 1.0
    delay: Seconds = 1.0
    seed: int = 0
