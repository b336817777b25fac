"""A run that was cut short is judged from what it left."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from harness import result, unfinished
from harness.cli import main as cli
from harness.history.events import Ack, Offer, Phase, Run

ROOT = Path(__file__).parents[3]
SECOND = 10**9


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What a run that was killed after three seconds left."""
    events = (
        Run(t=5 * SECOND, id="r", scenario="worker-kill", target="memory", seed=1),
        Phase(t=6 * SECOND, name="load", until=12 * SECOND),
        Offer(t=7 * SECOND, key="a", intended=7 * SECOND),
        Ack(t=8 * SECOND, key="a"),
    )
    (tmp_path / "events").mkdir()
    (tmp_path / "events" / "harness.jsonl").write_bytes(
        b"".join(msgspec.json.encode(event) + b"\n" for event in events)
    )
    scenario = (ROOT / "scenarios" / "worker-kill.yaml").read_text().replace("target: celery", "target: memory")
    (tmp_path / "scenario.yaml").write_text(scenario)
    target = {"name": "memory", "reports": ["attempts"], "folder": str(ROOT / "targets" / "memory")}
    (tmp_path / "target.json").write_bytes(msgspec.json.encode(target))
    return tmp_path


def test_a_killed_run_gets_its_report_when_asked(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["report", str(folder)]) == 0
    assert capsys.readouterr().out == f"{folder / 'report.html'}\n"
    found = result.load(str(folder / "result.json"))
    assert (found.scenario, found.target, found.value, found.seconds) == ("worker-kill", "memory", "INCONCLUSIVE", 3.0)
    assert found.notes == (unfinished.NOTE,)
    assert found.command == f"harness run {folder / 'scenario.yaml'}"
    assert "it was interrupted or killed" in (folder / "report.html").read_text()


def test_a_folder_that_holds_no_history_is_nothing_to_judge(folder: Path) -> None:
    assert unfinished.recorded(str(folder))
    (folder / "events" / "harness.jsonl").write_bytes(b"")
    assert not unfinished.recorded(str(folder))
    assert not unfinished.recorded(str(folder / "nowhere"))
