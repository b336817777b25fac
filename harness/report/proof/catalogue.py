"""Proofs as the catalogue of failure modes in Markdown: what was run, what it came to, and on which systems."""

from __future__ import annotations

import os
from collections.abc import Sequence

import msgspec

from harness.modes import GROUPS, MODES
from harness.proof import Proven, together
from harness.report.proof.table import modes

BEGIN, END = "<!-- from the proofs -->", "<!-- end -->"


def write(page: str, proven: Sequence[Proven]) -> None:
    """Put the tables between the marks of a page, and what they are made from beside it, as JSON."""
    proven = sorted(map(_kept, together(proven)), key=lambda one: (one.scenario, one.variant, one.target))
    with open(page) as file:
        before, _, rest = file.read().partition(BEGIN)
    after = rest.partition(END)[2]
    with open(page, "w") as file:
        file.write(f"{before}{BEGIN}\n\n{markdown(proven)}\n\n{END}{after}")
    with open(data_of(page), "wb") as data:
        data.write(msgspec.json.format(msgspec.json.encode(proven), indent=1) + b"\n")


def read(page: str) -> list[Proven]:
    """What a page's tables were made from."""
    with open(data_of(page), "rb") as file:
        return msgspec.json.decode(file.read(), type=list[Proven])


def data_of(page: str) -> str:
    """The file beside a page."""
    return f"{os.path.splitext(page)[0]}.json"


def _kept(one: Proven) -> Proven:
    """Without what only the machine that made it can use; what does not apply was not run."""
    runs = 0 if one.mark == "n/a" else one.runs
    return msgspec.structs.replace(one, folder="", seconds=0.0, says="", seed=None, runs=runs)


def markdown(proven: Sequence[Proven]) -> str:
    """How many runs there were, a table of modes by target, and one of every variant with what it came to."""
    made = [one for one in proven if one.mark != "n/a"]
    runs, fewest = sum(one.runs for one in made), min((one.runs for one in made), default=0)
    told = f"{runs:,} runs of {len(made):,} variants on targets, of each at least {fewest:,}; its worst mark is shown."
    return "\n".join([told, "", *_by_mode(proven), "", *_by_variant(proven)])


def _by_mode(proven: Sequence[Proven]) -> list[str]:
    marks, names = modes(proven), sorted({one.target for one in proven})
    lines = [_row("", "what goes wrong", *names), _row("---", "---", *["---"] * len(names))]
    shown = {row for row, _ in marks}
    for mode in (mode for mode in MODES if mode.id in shown):
        cells = [marks.get((mode.id, name), "-") for name in names]
        lines.append(_row(mode.id, mode.says, *cells))
    return lines


def _by_variant(proven: Sequence[Proven]) -> list[str]:
    lines = []
    for group, title in GROUPS.items():
        some = [one for one in proven if any(mode[0] == group for mode in one.modes)]
        lines += [f"## {title}", "", *_of(some), ""] if some else []
    return lines[:-1]


def _of(proven: Sequence[Proven]) -> list[str]:
    lines = [
        _row("row", "scenario", "variant", "what is different", "claims that fail", "as it must be on", "otherwise on"),
        _row(*["---"] * 7),
    ]
    for scenario, variant in dict.fromkeys((one.scenario, one.variant) for one in proven):
        same = [one for one in proven if (one.scenario, one.variant) == (scenario, variant)]
        first = same[0]
        right = sorted({one.target for one in same if one.mark in ("caught", "held")})
        wrong = sorted({f"{one.target} ({one.mark})" for one in same if one.mark in ("WRONG", "ERROR")})
        right = [name for name in right if not any(bad.startswith(f"{name} ") for bad in wrong)]
        fails = ", ".join(f"`{claim}`" for claim in first.fails) or "none"
        rows = ", ".join(first.modes)
        lines.append(
            _row(rows, f"`{scenario}`", f"`{variant}`", first.about, fails, ", ".join(right) or "-", ", ".join(wrong))
        )
    return lines


def _row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
