"""A new target is written whole, or refused with a better name."""

from pathlib import Path

import pytest

from harness import scenario as scenarios
from harness import target as targets
from harness.cli import main as cli
from harness.cli.new import languages

SCENARIO = """about: Nothing is broken
load:
  - constant: {rate: 1/s, for: 1s}
invariants:
  - no_lost_jobs
"""
STEPS = ("1. Enqueue", "2. Take a job", "3. Run it", "4. Acknowledge", "5. Retry", "6. Dead letter", "7. State")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("language", languages())
def test_it_is_a_target_that_scenarios_accept(language: str, tmp_path: Path) -> None:
    assert cli.main(["new", "target", "billing", "--language", language]) == 0
    Path("s.yaml").write_text(SCENARIO)
    _, target = scenarios.load("s.yaml", target="billing")
    assert (target.name, target.folder) == ("billing", str(tmp_path / "targets" / "billing"))


@pytest.mark.parametrize("language", languages())
def test_every_step_to_replace_is_numbered_and_nothing_is_left_to_fill_in(language: str) -> None:
    assert cli.main(["new", "target", "billing", "--language", language]) == 0
    texts = [file.read_text() for file in Path("targets/billing").rglob("*") if file.is_file()]
    assert [step for step in STEPS if not any(step in text for text in texts)] == []
    assert not any("{{" in text for text in texts)


def test_every_language_has_the_same_knobs() -> None:
    for language in languages():
        assert cli.main(["new", "target", f"x-{language}", "--language", language]) == 0
    written = [targets.load(f"targets/x-{language}") for language in languages()]
    assert all((one.knobs, one.presets) == (written[0].knobs, written[0].presets) for one in written)


def test_a_go_target_has_its_kit_without_the_kits_tests() -> None:
    assert cli.main(["new", "target", "billing", "--language", "go"]) == 0
    kit = {file.name for file in Path("targets/billing/kit").iterdir()}
    assert {"knobs.go", "attempts.go", "downstream.go", "serve.go"} <= kit
    assert not any(name.endswith("_test.go") or name == "go.mod" for name in kit)


def test_what_was_written_is_said_with_the_next_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["new", "target", "billing", "--language", "python", "--into", "queues"]) == 0
    out = capsys.readouterr().out
    files = sorted(file.name for file in Path("queues/billing").iterdir())
    assert out.startswith("Wrote queues/billing/\n" + "".join(f"  {name}\n" for name in files))
    assert "  harness run scenarios/worker-kill.yaml --target billing --targets queues\n" in out


@pytest.mark.parametrize(("name", "hint"), [
    ("My Queue", "a name has lower-case letters, digits, `-` and `_`, and begins with a letter; try `my-queue`"),
    ("../up", "a name has lower-case letters, digits, `-` and `_`, and begins with a letter; try `up`"),
    ("2fast", "a name has lower-case letters, digits, `-` and `_`, and begins with a letter; try `fast`"),
    ("é", "a name has lower-case letters, digits, `-` and `_`, and begins with a letter; try `my-queue`"),
    ("kit", "this name is taken; try `kit-2`"),
    ("celery", "this name is taken; try `celery-2`"),
])  # fmt: skip
def test_a_name_that_cannot_be_had_is_refused_with_one_that_can(
    name: str, hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["new", "target", name, "--language", "python"]) == 2
    assert capsys.readouterr().err == f"new target {name}: {hint}\n"
    assert not Path("targets").exists()


def test_a_folder_that_exists_is_left_alone(capsys: pytest.CaptureFixture[str]) -> None:
    mine = Path("targets/billing/mine.txt")
    mine.parent.mkdir(parents=True)
    mine.write_text("mine")
    assert cli.main(["new", "target", "billing", "--language", "python"]) == 2
    assert capsys.readouterr().err == "new target billing: targets/billing exists; try `billing-2`\n"
    assert [file.name for file in mine.parent.iterdir()] == ["mine.txt"]
