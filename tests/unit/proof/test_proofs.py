"""A proof that was interrupted goes on from what it had made."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from harness.cell import Cell
from harness.problems import Problems
from harness.proof import Mark, Proven, Trial
from harness.proofs import Proofs

SCENARIO = "about: a\ntarget: memory\n"


@pytest.fixture
def trials(tmp_path: Path) -> list[Trial]:
    path = tmp_path / "kill.yaml"
    path.write_text(SCENARIO)
    return [Trial(Cell(str(path), "memory", variant=name), ()) for name in ("broken", "fixed")]


def proven(trial: Trial, seed: int | None, mark: Mark = "held") -> Proven:
    return Proven("kill", trial.cell.variant, "memory", mark, "", (), seed=seed)


def seeds(proofs: Proofs, repeat: int, *, random: bool = False) -> list[tuple[str, int | None]]:
    return [(cell.variant, cell.seed) for cell in proofs.cells(repeat, random=random)]


def test_each_trial_once_and_then_all_again_with_another_seed(tmp_path: Path, trials: list[Trial]) -> None:
    with Proofs(str(tmp_path), trials) as proofs:
        assert proofs.begin(anew=True) == []
        assert seeds(proofs, 2) == [("broken", None), ("fixed", None), ("broken", 2), ("fixed", 2)]
        drawn = proofs.cells(2, random=True)
        assert [trial.cell.variant for trial in drawn.values()] == ["broken", "fixed"] * 2
        assert None not in {cell.seed for cell in drawn}


def test_what_was_made_is_not_made_again(tmp_path: Path, trials: list[Trial]) -> None:
    broken, fixed = trials
    made = [proven(broken, None), proven(fixed, 2)]
    with Proofs(str(tmp_path), trials) as proofs:
        proofs.write(broken, made[0])
        proofs.write(fixed, made[1])
    with Proofs(str(tmp_path), trials) as proofs:
        assert proofs.begin(anew=False) == made
        assert seeds(proofs, 2) == [("fixed", None), ("broken", 2)]
        assert [name for name, _ in seeds(proofs, 2, random=True)] == ["broken", "fixed"], "one of each is left"
    with Proofs(str(tmp_path), trials) as proofs:
        assert proofs.begin(anew=True) == []
        assert len(proofs.cells(2, random=False)) == 4


def test_errors_and_runs_of_a_scenario_that_has_changed_since_are_made_again(
    tmp_path: Path, trials: list[Trial]
) -> None:
    broken, fixed = trials
    with Proofs(str(tmp_path), trials) as proofs:
        proofs.write(broken, proven(broken, None, "ERROR"))
        proofs.write(fixed, proven(fixed, None, "WRONG"))
    with Proofs(str(tmp_path), trials) as proofs:
        assert proofs.begin(anew=False) == [proven(fixed, None, "WRONG")]
        assert seeds(proofs, 1) == [("broken", None)]
    Path(fixed.cell.scenario).write_text(SCENARIO + "workers: 2\n")
    with Proofs(str(tmp_path), trials) as proofs:
        assert proofs.begin(anew=False) == []
    quick = [replace(trial, cell=replace(trial.cell, quick=True)) for trial in trials]
    Path(fixed.cell.scenario).write_text(SCENARIO)
    with Proofs(str(tmp_path), quick) as proofs:
        assert proofs.begin(anew=False) == [], "another time scale is another run"


def test_two_proofs_do_not_write_one_folder(tmp_path: Path, trials: list[Trial]) -> None:
    with Proofs(str(tmp_path), trials), pytest.raises(Problems, match="another proof is writing here"):
        Proofs(str(tmp_path), trials).__enter__()
