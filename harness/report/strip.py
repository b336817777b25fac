"""A job's lanes as HTML: bars and marks over a common scale, with the faults across them."""

from __future__ import annotations

from harness.report import marks
from harness.report.lanes import Bar, Lane, Mark, Strip
from harness.report.text import clip, escape, visible

MOST_LANES = 12
APART = 0.17
"""The least share of the width between two labels of the scale."""
LETTER = 0.007
"""The share of the width that a letter takes, about."""
_GLYPHS = {
    "offer": "\u25b7",
    "ack": "\u25b6",
    "reject": "\u00d7",
    "unknown": "?",
    "drop": "\u00d7",
    "effect": "\u25c6",
    "again": "\u25c6",
    "replay": "\u25c7",
    "refuse": "\u2298",
    "change": "\u0394",
    "revive": "\u21ba",
    "death": "\u2716",
    "done": "\u2713",
    "failed": "!",
    "dead": "\u2020",
}
_WORDS = {
    "offer": "offered",
    "ack": "acked",
    "reject": "rejected",
    "unknown": "outcome unknown",
    "drop": "dropped",
    "effect": "side effect",
    "again": "side effect, again",
    "replay": "replay",
    "refuse": "refused",
    "change": "record changed",
    "revive": "dead letter acted on",
    "death": "process died",
    "done": "done",
    "failed": "failed",
    "dead": "given up",
}


def render(strip: Strip) -> str:
    """The strip, with what it shows in words for who cannot see it."""
    shown = strip.lanes[:MOST_LANES]
    lanes = "".join(_lane(strip, lane) for lane in shown)
    return (
        f'<div class="strip" role="img" aria-label="{escape(described(strip))}">'
        f'<div class="cuts">{"".join(_cut(strip, n) for n in range(len(strip.faults)))}</div>'
        f'<div class="named">{marks.labels(strip.share, strip.faults, ())}</div>{lanes}{_scale(strip)}</div>'
        f"{_legend(strip)}{_left_out(strip, len(strip.lanes) - len(shown))}"
    )


def described(strip: Strip) -> str:
    """Every bar in words; the moments stand in a table beside it."""
    bars = [f"{lane.name}: {bar.says}" for lane in strip.lanes[:MOST_LANES] for bar in lane.bars]
    return clip(f"Timeline of {clip(strip.key, 100)}. {'; '.join(bars)}.", 1500)


def _left_out(strip: Strip, lanes: int) -> str:
    said = [f"{lanes} more processes"] if lanes > 0 else []
    said += [strip.left_out] if strip.left_out else []
    return f'<p class="more">Not drawn: {escape(" and ".join(said))}.</p>' if said else ""


def _cut(strip: Strip, n: int) -> str:
    start, end = marks.inside(strip.share, strip.faults[n])
    return f'<i style="left:{start * 100:.2f}%;width:{(end - start) * 100:.2f}%"></i>'


def _lane(strip: Strip, lane: Lane) -> str:
    drawn = "".join(_bar(strip, bar) for bar in lane.bars)
    drawn += "".join(_mark(strip, lane, mark) for mark in lane.marks)
    return f'<div class="lane"><span class="who">{escape(lane.name)}</span><div class="track">{drawn}</div></div>'


def _bar(strip: Strip, bar: Bar) -> str:
    start, end = strip.share(bar.start), strip.share(bar.end)
    room = (end - start) / LETTER
    fitting = next((text for text in (bar.label, bar.short) if len(text) < room), "")
    label = f"<span>{escape(fitting)}</span>" if fitting else ""
    return (
        f'<span class="bar {bar.kind}" style="left:{start * 100:.2f}%;width:{(end - start) * 100:.2f}%" '
        f'title="{escape(bar.says)}">{label}</span>'
    )


def _mark(strip: Strip, lane: Lane, mark: Mark) -> str:
    place, says = strip.share(mark.at), mark.says or _WORDS[mark.kind]
    side = "before" if place > 0.65 else "after"
    return (
        f'<span class="mark {mark.kind}" style="left:{place * 100:.2f}%" title="{escape(says)} at {mark.at:.3f} s">'
        f"{_GLYPHS[mark.kind]}{_label(strip, lane, mark, side)}</span>"
    )


def _label(strip: Strip, lane: Lane, mark: Mark, side: str) -> str:
    """What is written beside a mark; its last word alone where the next mark leaves no room for more."""
    if not mark.label:
        return ""
    places = (strip.share(other.at) for other in lane.marks if other is not mark)
    alone = all(abs(place - strip.share(mark.at)) > len(mark.label) * LETTER + 0.03 for place in places)
    text = mark.label if alone else mark.label.rpartition(" ")[2]
    return f'<small class="{side}">{escape(clip(visible(text), 16))}</small>'


def _scale(strip: Strip) -> str:
    """Moments with room between them: first those where something was broken, then the others in order."""
    struck = [span.start for span in strip.faults if strip.stops[0] <= span.start <= strip.stops[-1]]
    shown: list[float] = []
    for at in (strip.stops[0], strip.stops[-1], *struck, *strip.stops):
        if all(abs(strip.share(at) - strip.share(other)) >= APART for other in shown):
            shown.append(at)
    labels = "".join(f'<span class="x" style="left:{strip.share(at) * 100:.2f}%">{at:.3f} s</span>' for at in shown)
    return f'<div class="lane scale"><span class="who"></span><div class="track">{labels}</div></div>'


def _legend(strip: Strip) -> str:
    kinds = dict.fromkeys(mark.kind for lane in strip.lanes for mark in lane.marks)
    told = [f'<span><b class="mark-key {kind}">{_GLYPHS[kind]}</b> {_WORDS[kind]}</span>' for kind in kinds]
    return f'<p class="legend">{" ".join(told)} <span class="quiet">Long waits are drawn shorter.</span></p>'
