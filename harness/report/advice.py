"""What usually causes a broken claim, and what to change, as HTML for the person who was woken."""

from __future__ import annotations

import re

from harness.report.text import escape

_QUOTED = re.compile("`([^`]+)`")


def advice(usually: str, here: str = "", *, folded: bool = False) -> str:
    """What breaks the claim in this job system, and in any; nothing where neither is known. It is folded where nothing
    broken was seen, and what would break the claim is not what has happened."""
    told = _told("In this system", here) + _told("In general" if here.strip() else "", usually)
    if folded and told:
        return f"<details><summary>What would break it, and what to change then</summary>{told}</details>"
    return f'<div class="advice"><h4>What usually causes it, and what to change</h4>{told}</div>' if told else ""


def _told(where: str, text: str) -> str:
    """The text's paragraphs, the first of them after where it holds."""
    paragraphs = [_quoted(" ".join(part.split())) for part in text.split("\n\n") if part.strip()]
    lead = f"<b>{where}:</b> " if where else ""
    return "".join(f"<p>{'' if n else lead}{part}</p>" for n, part in enumerate(paragraphs))


def _quoted(text: str) -> str:
    return _QUOTED.sub(r"<code>\1</code>", escape(text))
