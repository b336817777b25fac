"""A job's id in RQ, which allows letters, digits, `_` and `-` only, from its key, which may be any text."""

import re
from uuid import uuid4

ENCODED = "hex-"
AGAIN = "--"


def id_of(key: str, *, unique: bool) -> str:
    """The key itself where RQ allows it; with a tail that no other has, unless it is to be unique."""
    plain = re.fullmatch(r"[A-Za-z0-9_-]+", key) and not key.startswith(ENCODED) and AGAIN not in key
    name = key if plain else ENCODED + key.encode().hex()
    return name if unique else f"{name}{AGAIN}{uuid4().hex}"


def key_of(id: str) -> str:
    """The key that this id was made from."""
    name = id.rpartition(AGAIN)[0] or id
    return bytes.fromhex(name.removeprefix(ENCODED)).decode() if name.startswith(ENCODED) else name
