"""Proofs as plain text: targets across; variants, or failure modes, down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from harness.modes import MODES
from harness.proof import Mark, Proven, worst


def by_variant(proven: Sequence[Proven]) -> list[str]:
    """A row for each variant of each scenario."""
    marks: dict[tuple[str, str], list[Mark]] = {}
    for one in proven:
        marks.setdefault((f"{one.scenario} {one.variant}", one.target), []).append(one.mark)
    rows = sorted({row for row, _ in marks})
    return _laid_out({row: row for row in rows}, _names(proven), {place: worst(some) for place, some in marks.items()})


def by_mode(proven: Sequence[Proven]) -> list[str]:
    """A row for each failure mode that some scenario shows."""
    marks = modes(proven)
    rows = {mode.id: f"{mode.id:<4} {mode.says}" for mode in MODES if any(mode.id == row for row, _ in marks)}
    return _laid_out(rows, _names(proven), marks)


def modes(proven: Sequence[Proven]) -> dict[tuple[str, str], Mark]:
    """Failure mode and target -> the worst mark of all variants that belong to it; `caught` where a broken one was
    caught and every mended one held."""
    marks: dict[tuple[str, str], list[Mark]] = {}
    for one in proven:
        for mode in one.modes:
            marks.setdefault((mode, one.target), []).append(one.mark)
    return {place: worst(some) for place, some in marks.items()}


def _names(proven: Sequence[Proven]) -> list[str]:
    return sorted({one.target for one in proven})


def _laid_out(rows: Mapping[str, str], names: Sequence[str], marks: Mapping[tuple[str, str], Mark]) -> list[str]:
    width = max(map(len, rows.values()), default=0)
    columns = {name: max(len(name), 6) for name in names}
    lines = [" " * width + "  " + "  ".join(f"{name:{columns[name]}}" for name in names)]
    for row, title in rows.items():
        cells = (f"{marks.get((row, name), ''):{columns[name]}}" for name in names)
        lines.append(f"{title:{width}}  " + "  ".join(cells))
    return [line.rstrip() for line in lines]
