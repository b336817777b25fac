"""What decides a run has one fingerprint; a change of any of it has another."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from harness import fingerprint, scenario

ROOT = Path(__file__).parents[3]
SCENARIO = """about: x
target: small
load: [{constant: {rate: 5/s, for: 10s}}]
invariants: [no_lost_jobs]
quick: 0.5
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "targets" / "memory", tmp_path / "small", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "s.yaml").write_text(SCENARIO)
    return tmp_path


def of(place: Path, *, quick: bool = False, **options: object) -> str:
    found, target = scenario.load(str(place / "s.yaml"), targets=str(place), quick=quick, **options)  # type: ignore[arg-type]
    return fingerprint.of(found, target)


def test_the_seed_the_words_and_what_a_program_leaves_behind_change_nothing(place: Path) -> None:
    before = of(place)
    (place / "s.yaml").write_text(SCENARIO.replace("about: x", "about: y"))
    (place / "small" / "state.db").write_text("x")
    (place / "small" / "__pycache__").mkdir()
    (place / "small" / "__pycache__" / "worker.py").write_text("x")
    assert of(place, seed=7) == before


def test_every_change_to_the_scenario_or_the_programs_is_another(place: Path) -> None:
    found = [of(place), of(place, quick=True), of(place, knobs={"ack": "early"})]
    (place / "s.yaml").write_text(SCENARIO.replace("5/s", "6/s"))
    found.append(of(place))
    with (place / "small" / "worker.py").open("a") as file:
        file.write("# changed\n")
    found.append(of(place))
    (place / "small" / "worker.py").rename(place / "small" / "labourer.py")
    found.append(of(place))
    assert len(set(found)) == len(found)
