"""`harness history` and `harness open`, on folders of every kind."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from harness.cell import Cell
from harness.cli import main as cli
from harness.suite.journal import Ended, Journal
from tests.unit.archive.folders import begun, run

HOSTILE = "\x1b[31m</td>\u202e"


@pytest.fixture
def reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Runs of two scenarios; those of `kill` on memory are flaky."""
    monkeypatch.chdir(tmp_path)
    there = tmp_path / "reports"
    run(there, "20261118T100000-kill-memory-0000aa", started="2026-11-18T10:00:00+0000")
    run(there, "20261118T110000-kill-memory-0000ab", started="2026-11-18T11:00:00+0000", value="FAIL", seed=2)
    run(there, "20261118T120000-freeze-rq-0000ac", started="2026-11-18T12:00:00+0000", scenario="freeze", target="rq")
    begun(there, "20261118T130000-kill-memory-0000ad")
    return there


def test_the_table_has_every_run_with_its_figures(reports: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["history"]) == 0
    lines = [line.split("  ") for line in capsys.readouterr().out.splitlines()]
    assert [[cell.strip() for cell in line if cell.strip()] for line in lines] == [
        [
            *("verdict", "began", "scenario", "target", "seed"),
            *("jobs/s", "p95", "recovery", "drain", "doubled", "lost"),
        ],
        ["interrupted", "2026-11-18 13:00:00", "kill", "memory", "3"],
        ["PASS", "2026-11-18 12:00:00", "freeze", "rq", "1", "20", "50 ms", "2 s", "0"],
        ["FAIL", "flaky", "2026-11-18 11:00:00", "kill", "memory", "2", "20", "50 ms", "2 s", "0"],
        ["PASS", "flaky", "2026-11-18 10:00:00", "kill", "memory", "1", "20", "50 ms", "2 s", "0"],
    ]


def test_a_failure_that_had_to_be_is_marked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(tmp_path, "a", value="FAIL")
    with Journal(str(tmp_path)) as journal:
        journal.write(Ended(Cell("kill.yaml", "memory"), "d", 1, "pass", 0, "", run="a", value="FAIL"))
    cli.main(["history", "--reports", str(tmp_path)])
    assert capsys.readouterr().out.splitlines()[1].startswith("FAIL     expected  2026-11-18 10:00:00  kill")
    cli.main(["history", "--reports", str(tmp_path), "--json"])
    assert json.loads(capsys.readouterr().out)[0]["expected"] is True


@pytest.mark.parametrize(
    ("words", "ends"),
    [
        (["--scenario", "freeze"], ["ac"]),
        (["--target", "memory,rq", "--verdict", "pass"], ["ac", "aa"]),
        (["--verdict", "flaky"], ["ab", "aa"]),
        (["--verdict", "Interrupted,FAIL"], ["ad", "ab"]),
        (["--last", "2"], ["ad", "ac"]),
        (["--target", "celery"], []),
    ],
)
def test_runs_are_chosen(reports: Path, words: list[str], ends: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["history", "--json", *words]) == 0
    assert [one["run"][-2:] for one in json.loads(capsys.readouterr().out)] == ends
    assert cli.main(["history", *words]) == 0
    shown = capsys.readouterr().out
    assert len([line for line in shown.splitlines() if "2026-11" in line]) == len(ends)


def test_what_is_left_out_is_said(reports: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cli.main(["history", "--target", "memory", "--last", "1"])
    assert capsys.readouterr().out.endswith("\n2 older runs: --last 3 shows all; 1 run not asked for\n")
    cli.main(["history", "--target", "celery"])
    assert capsys.readouterr().out == "none of the 4 runs in reports is like that\n"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["history", "--verdict", "flakey"], "--verdict: no run can come to `flakey`; did you mean `flaky`?"),
        (["history", "--reports", "none"], "none: no such folder; `harness run` makes it"),
        (["history", "--last", "0"], "expected 1 or more"),
        (["history", "--target", ","], "expected names with commas"),
        (["open", "--reports", "none"], "none: no such folder"),
        (["open", "nothing"], "no run with a report is called `nothing`; `harness history` lists the runs"),
        (["open", "reports/20261118T130000-kill-memory-0000ad"], "there is no report.html"),
    ],
)
def test_what_cannot_be_is_refused_with_a_remedy(
    reports: Path, words: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(words) == 2
    assert says in capsys.readouterr().err


def test_an_empty_folder_has_no_runs_and_no_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkdir("reports")
    assert (cli.main(["history"]), cli.main(["open"])) == (0, 2)
    said = capsys.readouterr()
    assert said.out == "none of the 0 runs in reports is like that\n"
    assert "there is no report yet" in said.err


def test_names_do_nothing_to_a_terminal_and_json_can_hold_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(tmp_path, os.fsdecode(b"\xff"), scenario=HOSTILE, target=HOSTILE, preset=HOSTILE)
    begun(tmp_path, os.fsdecode(b"\xfe\x1b"))
    (tmp_path / os.fsdecode(b"\xfe\x1b") / "events" / "harness.jsonl").unlink()
    cli.main(["history", "--reports", str(tmp_path)])
    cli.main(["history", "--reports", str(tmp_path), "--json"])
    shown = capsys.readouterr().out
    assert not any(ord(sign) < 32 and sign != "\n" for sign in shown)
    assert "\u202e" not in shown.partition("[\n")[0]


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ([], "reports/20261118T120000-freeze-rq-0000ac/report.html"),
        (["0000ab"], "reports/20261118T110000-kill-memory-0000ab/report.html"),
        (["kill"], "reports/20261118T110000-kill-memory-0000ab/report.html"),
        (["reports/20261118T100000-kill-memory-0000aa"], "reports/20261118T100000-kill-memory-0000aa/report.html"),
        (["reports/20261118T100000-kill-memory-0000aa/report.html"],) * 2,
        (["--index"], "reports/index.html"),
    ],
)
def test_the_report_that_is_meant_is_printed_and_no_browser_started_without_a_terminal(
    reports: Path,
    words: list[str],
    page: str | list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setenv("BROWSER", "false")
    monkeypatch.setattr("webbrowser.open", lambda url: pytest.fail("nobody can see it"))
    assert cli.main(["open", *words]) == 0
    assert capsys.readouterr().out == f"{page if isinstance(page, str) else page[0]}\n"
    assert Path(page if isinstance(page, str) else page[0]).is_file()


@pytest.mark.parametrize(
    ("display", "words", "opened"), [(":0", [], 1), (":0", ["--print"], 0), ("", [], 0)], ids=["seen", "asked", "blind"]
)
def test_on_a_terminal_with_a_display_the_browser_gets_the_page(
    reports: Path, display: str, words: list[str], opened: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DISPLAY", display)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setattr("webbrowser.open", seen.append)
    assert cli.main(["open", *words]) == 0
    page = reports / "20261118T120000-freeze-rq-0000ac" / "report.html"
    assert seen == [page.as_uri()] * opened
