"""The matrix: which cells there are, what each must come to, and who runs it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import toolchains
from harness.cell import Cell
from harness.cli import main as cli
from harness.cli.suite import part
from harness.problems import Problems
from harness.suite.entries import Choice, Entry, entries, shard
from harness.target import Target

SCENARIO = """about: x
target: memory
load: [{constant: {rate: 5/s, for: 1s}}]
invariants: [no_lost_jobs, no_duplicate_effects]
"""
VARIED = f"""{SCENARIO}variants:
  fixed: {{about: a}}
  broken: {{about: b, knobs: {{idempotency: none}}, fails: [no_duplicate_effects]}}
  early: {{about: c, preset: early_ack, fails: [no_lost_jobs]}}
  foreign: {{about: d, preset: nobody_has_this}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> str:
    (tmp_path / "plain.yaml").write_text(SCENARIO)
    (tmp_path / "varied.yaml").write_text(VARIED)
    (tmp_path / "notes.txt").write_text("not a scenario")
    return str(tmp_path)


def told(found: list[Entry]) -> list[tuple[str, tuple[str, ...], str]]:
    return [(entry.cell.name, entry.fails, entry.aside) for entry in found]


def test_each_scenario_of_a_folder_on_its_own_target(folder: str) -> None:
    assert told(entries([folder], Choice())) == [("plain on memory", (), ""), ("varied on memory", (), "")]


def test_every_variant_with_what_must_fail_and_a_scenario_without_any_as_it_is(folder: str) -> None:
    assert told(entries([folder], Choice(variants=("all",)))) == [
        ("plain on memory", (), ""),
        ("varied fixed on memory", (), ""),
        ("varied broken on memory", ("no_duplicate_effects",), ""),
        ("varied early on memory", ("no_lost_jobs",), ""),
        ("varied foreign on memory", (), "n/a"),
    ]


def test_presets_and_a_variant_that_brings_its_own(folder: str) -> None:
    choice = Choice(variants=("fixed", "early"), presets=("default", "lockstep"))
    assert told(entries([f"{folder}/varied.yaml"], choice)) == [
        ("varied fixed on memory", (), ""),
        ("varied fixed on memory (lockstep)", (), ""),
        ("varied early on memory", ("no_lost_jobs",), ""),
        ("varied early on memory (lockstep)", (), "n/a"),
    ]


@pytest.mark.parametrize(
    ("choice", "says"),
    [
        (Choice(targets=("memroy",)), "did you mean `memory`"),
        (Choice(variants=("brokn",)), "did you mean `broken`"),
        (Choice(presets=("early",)), "did you mean `early_ack`"),
        (Choice(required=("celery",)), "nothing in this suite is called `celery`"),
    ],
)
def test_a_name_that_nothing_has_is_refused(folder: str, choice: Choice, says: str) -> None:
    with pytest.raises(Problems, match=says):
        entries([folder], choice)


def test_the_problems_of_all_scenarios_come_at_once(folder: str) -> None:
    for name in ("plain", "varied"):
        Path(folder, f"{name}.yaml").write_text(SCENARIO.replace("no_lost_jobs", "no_lost_job"))
    with pytest.raises(Problems) as raised:
        entries([folder], Choice())
    assert len(raised.value.found) == 2


def test_an_empty_folder_is_no_suite(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["suite", str(tmp_path), "--reports", str(tmp_path / "reports")]) == 2
    assert "no scenario is in this folder" in capsys.readouterr().err


@pytest.fixture
def only_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with no toolchain."""

    def lacks(target: Target) -> str:
        return "" if target.name == "memory" else "rqc not on PATH: install it"

    monkeypatch.setattr(toolchains, "lacks", lacks)


@pytest.mark.usefixtures("only_memory")
def test_a_missing_toolchain_skips_a_target_with_its_reason(folder: str) -> None:
    found = entries([f"{folder}/plain.yaml"], Choice(targets=("memory", "rq"), required=("memory",)))
    assert [(entry.cell.target, entry.aside, entry.reason) for entry in found] == [
        ("memory", "", ""),
        ("rq", "skipped", "rqc not on PATH: install it"),
    ]


@pytest.mark.usefixtures("only_memory")
@pytest.mark.parametrize(
    ("required", "says"),
    [
        ("rq", "harness: required target rq: rqc not on PATH: install it\n"),
        ("memroy", "harness: required target memroy: no such target; did you mean `memory`?\n"),
        ("memory,odd", "harness: required target odd: unknown toolchain `cobol`; known: debian, go, node, python\n"),
    ],
)
def test_a_required_target_that_is_not_to_be_had_is_an_error_in_one_line_and_nothing_is_run(
    required: str, says: str, folder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    odd = Path(folder, "targets", "odd", "target.yaml")
    odd.parent.mkdir(parents=True)
    odd.write_text("about: x\nproducer: [a]\nworker: [b]\nsetup: {cobol: pins.txt}\n")
    words = [folder, "--target", f"memory,{required}", "--require", required, "--targets", f"{folder}/targets"]
    assert cli.main(["suite", *words, "--reports", f"{folder}/reports"]) == 4
    assert capsys.readouterr() == ("", says)
    assert not Path(folder, "reports").exists()


@given(st.integers(0, 40), st.integers(1, 12))
def test_shards_share_no_cell_leave_none_out_and_are_even(size: int, of: int) -> None:
    whole = [Entry(Cell(f"{n}.yaml", "memory"), "d") for n in range(size)]
    parts = [shard(whole, number, of) for number in range(1, of + 1)]
    assert sorted((entry for some in parts for entry in some), key=whole.index) == whole
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


def test_a_changed_scenario_is_another_cell(folder: str) -> None:
    (before,) = entries([f"{folder}/plain.yaml"], Choice())
    Path(folder, "plain.yaml").write_text(SCENARIO + "seed: 2\n")
    (after,) = entries([f"{folder}/plain.yaml"], Choice())
    assert before.cell == after.cell
    assert before.digest != after.digest


@pytest.mark.parametrize("text", ["0/4", "5/4", "1", "a/b", "1/0", "-1/4", ""])
def test_a_shard_that_is_none_is_refused(text: str) -> None:
    assert cli.main(["suite", "--shard", text]) == 2
    assert part("4/4") == (4, 4)
