"""A job's id in RQ, which allows letters, digits, `_` and `-` only, from its key, which may be any text."""

import re

ENCODED = "hex-"


def id_of(key: str) -> str:
    """The key itself where RQ allows it."""
    plain = re.fullmatch(r"[A-Za-z0-9_-]+", key) and not key.startswith(ENCODED)
    return key if plain else ENCODED + key.encode().hex()


def key_of(id: str) -> str:
    """The key that this id was made from."""
    return bytes.fromhex(id.removeprefix(ENCODED)).decode() if id.startswith(ENCODED) else id
