"""The catalogue of failure modes says what was proven, of every variant that there is, on every target."""

from __future__ import annotations

from pathlib import Path

from harness import scenario as scenarios
from harness.modes import MODES
from harness.report.proof import catalogue

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "catalogue.md"
TARGETS = {"asynq", "bullmq", "celery", "dramatiq", "rq", "sidekiq"}


def test_the_page_is_made_from_the_proofs_beside_it() -> None:
    shown = PAGE.read_text().partition(catalogue.BEGIN)[2].partition(catalogue.END)[0]
    assert shown.strip() == catalogue.markdown(catalogue.read(str(PAGE)))


def test_every_variant_was_tried_on_every_target_and_came_to_what_it_must() -> None:
    proven = catalogue.read(str(PAGE))
    found = {(one.scenario, one.variant, one.target): one.fails for one in proven}
    wanted = {
        (path.stem, variant, target): said.fails
        for path in (ROOT / "scenarios").glob("*.yaml")
        for variant, said in scenarios.load(str(path))[0].variants.items()
        for target in TARGETS
    }
    assert found == wanted
    assert {one.mark for one in proven} == {"caught", "held", "n/a"}


def test_every_failure_mode_is_caught_somewhere() -> None:
    proven = catalogue.read(str(PAGE))
    caught = {mode for one in proven if one.mark == "caught" for mode in one.modes}
    assert caught == {mode.id for mode in MODES}
