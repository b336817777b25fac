"""A target is read from its folder, found by its name, and refused with the place of each mistake."""

import os
from pathlib import Path

import pytest

from harness import expression, target
from harness.problems import Problems


def test_a_target_is_found_by_name_and_by_path(stand_ins: str) -> None:
    folder = os.path.join(stand_ins, "small")
    assert (target.find("small", stand_ins), target.find(folder)) == (folder, folder)


def test_folders_without_a_description_are_no_targets(tmp_path: Path) -> None:
    for name in ("_draft", "kit", "real"):
        (tmp_path / name).mkdir()
    (tmp_path / "_draft" / "target.yaml").write_text("about: x")
    (tmp_path / "real" / "target.yaml").write_text("about: x")
    found = [folder for folder in target.folders(str(tmp_path)) if folder.startswith(str(tmp_path))]
    assert found == [str(tmp_path / "real")]


def test_every_mistake_in_a_target_is_told(tmp_path: Path, stand_ins: str) -> None:
    (tmp_path / "target.yaml").write_text(
        "about: x\nname: y\nneeds: [stor]\nproducer: [a]\nworker: [b]\nlease: lese + 1\nsweep: 1 - lease\n"
        "knobs:\n  lease: {default: 2, unit: duration}\npresets:\n  p: {about: x, knobs: {leas: 1s}}\n"
    )
    with pytest.raises(Problems) as caught:
        target.load(str(tmp_path))
    assert [line.removeprefix(f"{tmp_path}/target.yaml:") for line in str(caught.value).splitlines()] == [
        "2:1: unknown key `name`; known: abilities, about, backoff, effects, env, extends, hints, knobs, lease, needs, "
        "presets, producer, ready, reports, setup, sweep, window, worker",
        "3:9: unknown server `stor`; did you mean `store`?",
        "6:8: `lese` is not the name of a knob that is a number",
        "7:8: expected knobs, numbers, +, *, / and max()",
        "9:20: expected a duration such as 250ms, 30s, 2m or 1m30s, got `2`; write 2s",
        "11:25: unknown knob `leas`; did you mean `lease`?",
    ]


@pytest.mark.parametrize(
    "text", ["__import__('os')", "a.b", "a[0]", "'x' * 9", "2 ** 9", "-a", "max()", "", "(" * 999, "a\x00", "True"]
)
def test_nothing_but_sums_products_quotients_and_maxima_is_an_expression(text: str) -> None:
    with pytest.raises(expression.Unsuitable):
        expression.evaluate(text, {"a": 1})


def test_what_is_divided_by_nothing_never_comes_and_is_not_waited_for() -> None:
    assert expression.evaluate("3 + 5 * a / 2", {"a": 4}) == 13
    assert expression.evaluate("3 + 5 / a", {"a": 0}) == 3


def test_an_expression_is_worked_out() -> None:
    assert expression.evaluate("max(a * 2, b) + 0.5", {"a": 3, "b": 5.0}) == 6.5
