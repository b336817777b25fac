"""Which files are scenarios that someone asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.pytest_plugin.asked import Asked, asked, is_scenario

SCENARIO = "about: x\ntarget: memory\nload: []\ninvariants: []\n"


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    for name in ("steady", "_draft", "deep/deep"):
        path = pytester.path / "scenarios" / f"{name}.yaml"
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(SCENARIO)
    (pytester.path / "scenarios" / "values.yaml").write_text("name: a chart\n")
    pytester.mkdir("tests").joinpath("scenario.yaml.txt").write_text(SCENARIO)
    return pytester


@pytest.mark.parametrize(
    ("ini", "words", "wanted"),
    [
        ("", [], ""),
        ("", ["."], ""),
        ("", ["tests"], ""),
        ("", ["tests", "scenarios"], "deep/deep steady"),
        ("", ["scenarios/deep"], "deep/deep"),
        ("", ["scenarios/steady.yaml::no_lost_jobs"], "steady"),
        ("", ["scenarios/values.yaml", "scenarios/_draft.yaml"], "_draft values"),
        ("harness_scenarios = true", ["tests"], "deep/deep steady"),
        ("harness_scenarios = scenarios/deep", ["."], "deep/deep"),
        ("harness_scenarios = false", [], ""),
        ("testpaths = tests scenarios", [], ""),
    ],
)
def test_nobody_who_did_not_ask_gets_a_scenario(
    project: pytest.Pytester, ini: str, words: list[str], wanted: str
) -> None:
    project.makeini(f"[pytest]\n{ini}\n")
    decided = asked(project.parseconfig(*words))
    files = sorted((project.path / "scenarios").rglob("*.yaml"))
    found = [path.relative_to(project.path / "scenarios").with_suffix("") for path in files if decided.for_(path)]
    assert " ".join(map(str, found)) == wanted
    assert bool(decided) == bool(wanted)


def test_a_worker_of_xdist_is_told_what_its_controller_was_asked_for() -> None:
    decided = Asked((Path("/a/b.yaml"),), (Path("/c"),))
    assert decided.plain() == {"files": ["/a/b.yaml"], "folders": ["/c"]}


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        (SCENARIO, True),
        ("about: [\nload: x\n", True),
        ('"about": x\n"invariant": []\nload : []\n', True),
        ("about: nothing that anybody runs\n", False),
        ("job:\n  about: x\n  load: y\n", False),
        ("", False),
    ],
)
def test_a_scenario_is_known_by_its_keys_even_when_it_is_broken(text: str, is_one: bool, tmp_path: Path) -> None:
    path = tmp_path / "some.yaml"
    path.write_text(text)
    assert is_scenario(path) == is_one
