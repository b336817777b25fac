"""A file laid over a scenario: its keys go first, and its problems carry its own name and place."""

from pathlib import Path

import pytest

from harness import scenario
from harness.problems import Problems

SCENARIO = """about: x
target: memory
knobs: {lease: 3s, ack: late}
load: [{constant: {rate: 5/s, for: 1s}}]
invariants: [no_lost_jobs]
variants:
  broken: {knobs: {lease: 9s}, workers: 3, fails: [no_lost_jobs]}
"""


def loaded(folder: Path, over: str, **options: str) -> scenario.Scenario:
    (folder / "scenario.yaml").write_text(SCENARIO)
    (folder / "over.yaml").write_text(over)
    return scenario.load(str(folder / "scenario.yaml"), overlay=str(folder / "over.yaml"), **options)[0]  # type: ignore[arg-type]


def test_its_keys_go_before_those_of_the_scenario_and_of_a_variant(tmp_path: Path) -> None:
    found = loaded(tmp_path, "knobs: {lease: 1s}\nhandler: {work: 7ms}\n", variant="broken")
    assert (found.knobs["lease"], found.knobs["ack"], found.workers, found.handler.work) == (1.0, "late", 3, 0.007)


def test_every_problem_has_its_place_in_the_file_where_it_stands(tmp_path: Path) -> None:
    with pytest.raises(Problems) as caught:
        loaded(tmp_path, "knobs: {leas: 1s}\nhandler: {work: fast}\ntarget: celery\n")
    places = [(Path(one.source).name, one.line, one.column) for one in caught.value.found]
    assert places == [("over.yaml", 1, 9), ("over.yaml", 2, 17), ("over.yaml", 3, 1)]
