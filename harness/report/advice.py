"""What usually causes a broken claim, and what to change: an invariant's own words, for the person who was woken."""

from __future__ import annotations

import re
from inspect import cleandoc

from harness import variants
from harness.report.text import escape
from harness.verdict import Verdict

_QUOTED = re.compile("`([^`]+)`")


def advice(text: str, *, folded: bool = False) -> str:
    """The text as HTML under its heading, a paragraph for each of its own; nothing where it is empty. It is folded
    where nothing broken was seen, and what would break the claim is not what has happened."""
    paragraphs = [" ".join(part.split()) for part in text.split("\n\n") if part.strip()]
    told = "".join(f"<p>{_quoted(part)}</p>" for part in paragraphs)
    if folded and told:
        return f"<details><summary>What would break it, and what to change then</summary>{told}</details>"
    return f'<div class="advice"><h4>What usually causes it, and what to change</h4>{told}</div>' if told else ""


def usual(verdict: Verdict) -> str:
    """What the invariant's documentation says after its claim; empty for one that is not of this harness."""
    if verdict.value not in ("FAIL", "INCONCLUSIVE") or verdict.invariant not in variants.names("invariants"):
        return ""
    doc = variants.variant("invariants", verdict.invariant).__doc__ or ""
    return cleandoc(doc).partition("\n\n")[2]


def _quoted(text: str) -> str:
    return _QUOTED.sub(r"<code>\1</code>", escape(text))
