"""Every sweep and comparison that the pages and `--help` show could be run: its settings exist."""

from __future__ import annotations

import re
import shlex
from argparse import ArgumentParser
from pathlib import Path

import pytest

from harness.cell import Cell
from harness.cli import compare, sweep
from harness.compare.side import side
from harness.scenario import load
from harness.sweep.axis import axes
from harness.sweep.grid import Grid, checked

ROOT = Path(__file__).parents[3]
TEXTS = [path.read_text() for path in (ROOT / "README.md", *(ROOT / "docs").glob("*.md"))]
TEXTS += [sweep.EXAMPLES, compare.EXAMPLES]
SHOWN = {line.strip() for text in TEXTS for line in re.findall(r"^ *harness (?:sweep|compare) .*$", text, re.M)}


@pytest.mark.parametrize("line", sorted(SHOWN))
def test_what_is_shown_names_settings_that_exist(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    _, command, *words = shlex.split(line, comments=True)
    parser = ArgumentParser()
    {"sweep": sweep, "compare": compare}[command].arguments(parser)
    args = parser.parse_args(words)
    if command == "sweep":
        assert checked(Grid(Cell(args.scenario, args.target or "", knobs=tuple(args.set)), axes(args.vary)))
    elif len(args.what) == 1:
        for option in (args.a, args.b):
            assert load(args.what[0], target=args.target, knobs=dict(side("", option).knobs))


def test_there_are_some_of_each() -> None:
    assert {line.split()[1] for line in SHOWN} == {"sweep", "compare"} and len(SHOWN) >= 10
