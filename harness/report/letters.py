"""Dead letters as a person reads them."""

from __future__ import annotations

import json
import time

from harness.history.events import Letter

HEAD = ("key", "died", "attempts", "error", "message", "id")
WIDE = 48


def table(letters: list[Letter]) -> list[str]:
    """A row for each, oldest first."""
    if not letters:
        return ["no dead letters"]
    rows = [HEAD, *(_row(letter) for letter in letters)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    return ["  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def whole(letter: Letter) -> list[str]:
    """Everything that is kept of one."""
    payload = "not kept" if letter.payload is None else json.dumps(letter.payload, ensure_ascii=False)
    attempts = "not kept" if letter.attempts is None else str(letter.attempts)
    return [
        f"key       {letter.key}",
        f"id        {letter.id}",
        f"died      {_when(letter.died)}",
        f"attempts  {attempts}",
        f"error     {letter.error or 'not kept'}",
        f"message   {letter.message or 'not kept'}",
        f"payload   {payload}",
    ]


def _row(letter: Letter) -> tuple[str, ...]:
    attempts = "?" if letter.attempts is None else str(letter.attempts)
    message = " ".join((letter.message or "?").split())
    return letter.key, _when(letter.died), attempts, letter.error or "?", message[:WIDE], letter.id


def _when(died: float | None) -> str:
    return "?" if died is None else time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(died))
