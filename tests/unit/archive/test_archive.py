"""Whatever a folder of reports holds is told, and read once."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from harness import folder as folders
from harness import stopped
from harness.archive import archive, reading
from harness.archive.past import Past, flaky
from harness.stopped import Stopped
from tests.unit.archive.folders import begun, run


def told(reports: Path) -> list[tuple[str, str]]:
    return [(past.run, past.value) for past in archive.runs(str(reports))]


def test_a_judged_run_is_told_with_its_settings_and_figures(tmp_path: Path) -> None:
    command = "harness run s.yaml --target memory --variant broken --set ack=early --quick --seed 4 --time-scale 2"
    run(tmp_path, "20261118T100000-kill-memory-0000aa", command=command, preset="p", knobs={"ack": "early"})
    (past,) = archive.runs(str(tmp_path))
    assert past == Past(
        run="20261118T100000-kill-memory-0000aa",
        value="PASS",
        says="All held.",
        scenario="kill",
        target="memory",
        variant="broken",
        preset="p",
        settings="ack=early quick time-scale=2",
        seed=1,
        started="2026-11-18T10:00:00+0000",
        when=1794996000.0,
        seconds=2.0,
        measured={"throughput": 20.0, "latency.p95": 0.05, "recovery": 2.0, "lost": 0.0},
        fingerprint="f",
        alike=past.alike,
        has_page=True,
    )


def test_runs_are_newest_first_by_when_they_began_and_not_by_their_names(tmp_path: Path) -> None:
    run(tmp_path, "b", started="2026-11-18T10:00:00+0000")
    run(tmp_path, "a", started="2026-11-18T10:00:00-0500")
    run(tmp_path, "c", started="2026-11-18T10:00:00+0500")
    assert [name for name, _ in told(tmp_path)] == ["a", "b", "c"]


def test_what_has_no_result_says_as_well_as_it_can_what_it_was(tmp_path: Path) -> None:
    begun(tmp_path, "20261118T100000-kill-memory-0000aa")
    stopped.keep(folders.Folder(str(begun(tmp_path, "b"))), Stopped("ERROR", "no broker"))
    stopped.keep(folders.Folder(str(begun(tmp_path, "c"))), Stopped("interrupted", "by a person"))
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "x.png").write_text("x")
    (tmp_path / "notes.txt").write_text("x")
    found = {past.run: (past.value, past.scenario, past.target, past.seed) for past in archive.runs(str(tmp_path))}
    assert found == {
        "20261118T100000-kill-memory-0000aa": ("interrupted", "kill", "memory", 3),
        "b": ("ERROR", "kill", "memory", 3),
        "c": ("interrupted", "kill", "memory", 3),
        "photos": ("no result", "photos", "", None),
    }


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[1]",
        '{"version": 1}',
        '{"version": 99, "scenario": "s", "target": "t", "value": "PASS"}',
        '{"version": 1, "scenario": "s", "target": "t", "value": "<b>"}',
        '{"version": 1, "scenario": "s", "target": "t", "value": "PASS", "measurements": 3}',
        '{"a": ' + "[" * 100_000,
        "\xff",
    ],
)
def test_a_result_that_cannot_be_read_is_no_result_and_no_crash(tmp_path: Path, text: str) -> None:
    (run(tmp_path, "a") / "result.json").write_text(text, encoding="latin-1")
    assert told(tmp_path) == [("a", "no result")]


def test_times_commands_and_figures_that_make_no_sense_do_no_harm(tmp_path: Path) -> None:
    run(tmp_path, "a", started="yesterday", command="harness run 'unclosed", measurements={"drain": 1e308})
    run(tmp_path, "b", started="0001-01-01T00:00:00", command="harness run s.yaml --variant")
    assert sorted(told(tmp_path)) == [("a", "PASS"), ("b", "PASS")]


def test_what_is_no_plain_file_is_not_waited_for(tmp_path: Path) -> None:
    folder = run(tmp_path, "pipe")
    (folder / "result.json").unlink()
    os.mkfifo(folder / "result.json")
    folder = begun(tmp_path, "pipes")
    (folder / "events" / "harness.jsonl").unlink()
    os.mkfifo(folder / "events" / "harness.jsonl")
    (run(tmp_path, "folder") / "result.json").unlink()
    (tmp_path / "folder" / "result.json").mkdir()
    assert sorted(told(tmp_path)) == [("folder", "no result"), ("pipe", "no result"), ("pipes", "interrupted")]


def test_a_run_that_goes_on_is_told_from_one_that_was_killed(tmp_path: Path) -> None:
    made = folders.make(str(tmp_path), "kill", "memory")
    assert told(tmp_path) == [(made.id, "running")]
    name = made.id
    del made
    assert told(tmp_path) == [(name, "interrupted")]


def test_runs_of_a_comparison_are_found_and_links_and_hidden_folders_are_not(tmp_path: Path) -> None:
    run(tmp_path / "20261118T100000-compare-kill-memory-0000aa" / "a", "one")
    run(tmp_path / "latest", "copied")
    run(tmp_path / ".hidden", "x")
    (tmp_path / "link").symlink_to("20261118T100000-compare-kill-memory-0000aa")
    assert told(tmp_path) == [("20261118T100000-compare-kill-memory-0000aa/a/one", "PASS")]


def test_a_run_is_read_again_only_when_its_result_has_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = run(tmp_path, "a")
    begun(tmp_path, "b")
    first = archive.runs(str(tmp_path))
    was_read: list[str] = []
    real = reading.read

    def read(reports: str, name: str) -> Past:
        was_read.append(name)
        return real(reports, name)

    monkeypatch.setattr(reading, "read", read)
    assert (archive.runs(str(tmp_path)), was_read) == (first, ["b"])
    result = json.loads((folder / "result.json").read_text())
    (folder / "result.json").write_text(json.dumps(result | {"value": "FAIL", "says": "lost"}))
    assert ("a", "FAIL") in told(tmp_path)
    assert was_read == ["b", "a", "b"]


@pytest.mark.parametrize(
    "kept", [b"", b"{", b'{"edition": 0, "runs": {}}', b'{"edition": 1, "runs": {"a": 1}}', b"\xff"]
)
def test_what_is_kept_may_be_anything_and_is_then_made_anew(tmp_path: Path, kept: bytes) -> None:
    run(tmp_path, "a")
    (tmp_path / archive.KEPT).write_bytes(kept)
    assert told(tmp_path) == [("a", "PASS")]
    assert json.loads((tmp_path / archive.KEPT).read_bytes())["runs"].keys() == {"a"}
    assert sorted(path.name for path in tmp_path.iterdir()) == [archive.KEPT, "a"], "no part of a file is left"


def test_a_folder_whose_name_is_no_text_is_told_too(tmp_path: Path) -> None:
    run(tmp_path, os.fsdecode(b"\xff\xfe"))
    for _ in range(2):
        assert told(tmp_path) == [("\udcff\udcfe", "PASS")]


def test_runs_alike_whose_verdicts_differ_are_flaky_whatever_their_seeds(tmp_path: Path) -> None:
    run(tmp_path, "a", seed=1)
    run(tmp_path, "b", seed=2, value="INCONCLUSIVE")
    run(tmp_path, "c", seed=3)
    assert flaky(archive.runs(str(tmp_path))) == {"a", "b", "c"}


@pytest.mark.parametrize(
    "other",
    [
        {"scenario": "freeze"},
        {"target": "celery"},
        {"preset": "late"},
        {"knobs": {"ack": "early"}},
        {"fingerprint": "g"},
        {"command": "harness run s.yaml --variant broken"},
        {"value": "PASS"},
    ],
)
def test_runs_that_differ_in_more_than_their_verdict_are_not_flaky(tmp_path: Path, other: dict[str, object]) -> None:
    run(tmp_path, "a")
    run(tmp_path, "b", **{"value": "FAIL", **other})
    begun(tmp_path, "c")
    assert flaky(archive.runs(str(tmp_path))) == frozenset()
