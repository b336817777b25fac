"""Text made fit to be shown: nothing a job key holds may act on a terminal or a page, and figures are short."""

from __future__ import annotations

import html
import re

from harness.verdict import Value

SYMBOLS: dict[Value, str] = {"PASS": "\u2713", "FAIL": "\u2717", "INCONCLUSIVE": "?", "NOT APPLICABLE": "\u2013"}

# Control characters, direction overrides (they reorder what a reader sees), surrogates and non-characters (no XML may
# hold them).
_ACTIVE = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


def visible(text: str) -> str:
    """The text on one line, with every character that would act rather than show written as its escape."""
    return _ACTIVE.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)


def escape(text: object) -> str:
    """The text as HTML that shows it."""
    return html.escape(visible(str(text)))


def clip(text: str, width: int) -> str:
    """The text within a width, its middle left out where it is longer: keys differ at their ends."""
    if len(text) <= width:
        return text
    head = (width - 1) // 2
    return f"{text[:head]}\u2026{text[len(text) - (width - 1 - head) :]}"


def number(value: float) -> str:
    """A figure to about four digits: `1,234`, `12.5`, `0.0042`."""
    if value != value or value in (float("inf"), float("-inf")):
        return {"inf": "\u221e", "-inf": "-\u221e"}.get(str(value), "n/a")
    if value == int(value) or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.4g}" if abs(value) >= 0.001 else f"{value:.2e}"


def lasting(seconds: float) -> str:
    """A length of time with its unit: `250 ms`, `8.4 s`, `2 min 5 s`."""
    if 0 < seconds < 1:
        return f"{seconds * 1000:.3g} ms"
    if seconds < 120:
        return f"{round(seconds, 1):g} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def plural(count: int, noun: str) -> str:
    """`1 job`, `2 jobs`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
