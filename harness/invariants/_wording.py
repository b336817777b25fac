"""Numbers as the sentences of findings say them."""

from __future__ import annotations


def counted(count: int, noun: str) -> str:
    """`1 acked job`, `2,000 acked jobs`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def seconds(nanoseconds: float) -> str:
    """`4.2 s`, `12 ms`."""
    return f"{nanoseconds / 1e6:.3g} ms" if abs(nanoseconds) < 1e9 else f"{nanoseconds / 1e9:,.1f} s"


def listed(items: list[str], most: int = 3) -> str:
    """The first few, and how many more there are."""
    more = f" and {len(items) - most} more" if len(items) > most else ""
    return ", ".join(items[:most]) + more
