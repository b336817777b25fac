"""Figures for a wiki: drawn where matplotlib is, refused with the remedy where it is not."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree as xml

import made
import msgspec
import pytest
from test_html import HOSTILE, hostile_history, hostile_result

from harness import result
from harness.cli import main as cli
from harness.report.figures import written

CHARTS = ("jobs", "queue", "oldest", "latency", "runs", "dead", "downstream", "redis")
MORE = ("retry-waves", "processes", "witness-1")


def test_every_chart_and_witness_is_drawn_as_png_and_svg(tmp_path: Path) -> None:
    paths = written.write(made.result(), made.worker_kill(), str(tmp_path))
    names = [f"{name}.{kind}" for name in (*CHARTS, *MORE) for kind in written.FORMATS]
    assert [Path(path).relative_to(tmp_path) for path in paths] == [Path("figures") / name for name in names]
    assert all(Path(path).read_bytes().startswith(b"\x89PNG") for path in paths if path.endswith(".png"))
    assert all(xml.parse(path).getroot().tag.endswith("svg") for path in paths if path.endswith(".svg"))


def test_a_hostile_key_is_text_in_a_figure(tmp_path: Path) -> None:
    hostile = msgspec.structs.replace(hostile_result(), scenario="$x$")
    for path in written.write(hostile, hostile_history(), str(tmp_path)):
        if path.endswith(".svg"):
            tags = {element.tag.rpartition("}")[2] for element in xml.parse(path).iter()}
            assert not {"script", "img"} & tags
            assert HOSTILE not in Path(path).read_text()


def test_without_matplotlib_the_command_names_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    result.save(made.result(), str(tmp_path / "result.json"))
    monkeypatch.setattr(written, "find_spec", lambda name: None)
    assert cli.main(["report", str(tmp_path), "--figures"]) == 2
    assert "pip install 'jobharness[analysis]'" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["result.json"]


def test_a_report_alone_imports_no_matplotlib() -> None:
    report = Path(written.__file__).parents[1]
    importing = [
        path for path in report.rglob("*.py") if re.search("^(from|import) matplotlib", path.read_text(), re.M)
    ]
    assert importing == []
