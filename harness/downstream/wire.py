"""What the harness and the downstream say to each other: JSON lines over the control connection."""

from typing import Annotated

from msgspec import Meta, Struct

from harness.downstream.behaviour import Behaviour

MAX_LINE = 64 * 1024
MANY = 500
"""The most keys in one command, so that its line stays short."""


class Command(Struct, frozen=True, tag_field="do", forbid_unknown_fields=True):
    """A request; its answer carries the same id."""

    id: int


class Behave(Command, frozen=True, tag="behave"):
    """Misbehave so, from now on."""

    behaviour: Behaviour


class BehaveWell(Command, frozen=True, tag="behave_well"):
    """End the present behaviour."""


class Count(Command, frozen=True, tag="counts"):
    """Say what has happened so far."""


class SetWatch(Command, frozen=True, tag="watch"):
    """Withhold the answer to the nth effect from now on. The command's id is the watch's number."""

    nth: Annotated[int, Meta(ge=1)]
    worker: str | None = None


class Unwatch(Command, frozen=True, tag="unwatch"):
    """End a watch; if it holds a caller, let go of it."""

    watch: int


class Release(Command, frozen=True, tag="release"):
    """End a watch that holds a caller, and say whether the caller had gone."""

    watch: int


class ChangeRecords(Command, frozen=True, tag="change"):
    """Give the records that these jobs act on their next version."""

    keys: list[str]


AnyCommand = Behave | BehaveWell | Count | SetWatch | Unwatch | Release | ChangeRecords


class Counts(Struct, frozen=True):
    """Calls taken and how they ended; `misbehaved` is how many met the behaviour now in force."""

    calls: int
    effects: int
    replays: int
    refusals: int
    misbehaved: int


class Held(Struct, frozen=True):
    """An effect that is committed and recorded, and whose answer is withheld; `t` is that of its event line."""

    key: str
    worker: str
    t: int
    watch: int
