"""`harness report`, and the result it reads."""

from __future__ import annotations

import argparse
from math import inf
from pathlib import Path

import made
import msgspec
import pytest

from harness import result
from harness.cli import report


def run(folder: Path) -> int:
    parser = argparse.ArgumentParser()
    report.arguments(parser)
    return report.main(parser.parse_args([str(folder)]))


def test_a_result_survives_its_file(tmp_path: Path) -> None:
    saved = msgspec.structs.replace(made.result(), measurements={"recovery": inf, "jobs": 3.0})
    result.save(saved, str(tmp_path / "result.json"))
    assert result.load(str(tmp_path / "result.json")) == saved
    assert [file.name for file in tmp_path.iterdir()] == ["result.json"]


@pytest.mark.parametrize(
    "text", ["", "{}", "[1]", '{"version": 2}', '{"version": 1, "run": 3}', '{"version": 1, "verdicts": null}', "\xff"]
)
def test_what_is_no_result_is_refused(tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "result.json").write_text(text, encoding="latin-1")
    with pytest.raises(result.BadResult):
        result.load(str(tmp_path / "result.json"))
    assert run(tmp_path) == 2
    assert capsys.readouterr().err.startswith("harness report: ")


def test_the_report_is_rendered_again_and_its_path_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result.save(made.result(), str(tmp_path / "result.json"))
    (tmp_path / "events").mkdir()
    (tmp_path / "events" / "load.jsonl").write_text('{"e":"offer","t":1,"key":"a","intended":1}\n')
    assert run(tmp_path) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'report.html'}\n"
    assert (tmp_path / "report.html").read_text().startswith("<!DOCTYPE html>")
    assert (tmp_path / "junit.xml").read_text().startswith("<?xml")


def test_a_folder_without_a_result_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path / "nowhere") == 2
    assert "nowhere: no result.json there" in capsys.readouterr().err
