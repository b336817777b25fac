"""A file that is there whole or not at all, also when two processes write it at once."""

from __future__ import annotations

import os
import secrets


def write(path: str, content: bytes) -> None:
    """Put the content in the place of whatever stood there."""
    part = f"{path}.{secrets.token_hex(4)}.part"
    try:
        with open(part, "wb") as file:
            file.write(content)
        os.replace(part, path)
    except BaseException:
        if os.path.exists(part):
            os.remove(part)
        raise
