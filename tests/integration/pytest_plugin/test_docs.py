"""What docs/pytest.md shows works."""

from __future__ import annotations

import re
import shlex

import pytest

from tests.integration.conftest import ROOT
from tests.integration.pytest_plugin.conftest import Project

PAGE = (ROOT / "docs" / "pytest.md").read_text()
COMMANDS = sorted(
    {" ".join(shlex.split(line, comments=True)) for line in re.findall(r"^(?:\$ )?(pytest .*)", PAGE, re.M)}
)


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_that_is_shown_collects_scenarios(line: str, project: Project) -> None:
    for name in ("scenarios", "targets"):
        (project.path / name).symlink_to(ROOT / name)
    ended = project.pytest(*shlex.split(line)[1:], "--collect-only", "-q")
    assert ended.ret == 0, ended.outlines
    assert any(".yaml::" in found for found in ended.outlines)


def test_the_tests_that_are_shown_pass(project: Project) -> None:
    name, body = re.findall(r"^`([\w.]+)`\n\n```python\n(.*?)^```", PAGE, re.M | re.S)[0]
    (project.path / name).write_text(body)
    ended = project.pytest(name)
    ended.assert_outcomes(passed=2)


def test_the_page_names_every_option_and_method(project: Project) -> None:
    from harness.pytest_plugin.running_stack import RunningStack

    shown = project.pytest("--help").stdout.str()
    assert set(re.findall(r"`(--harness-\w+)", PAGE)) == set(re.findall(r"^  (--harness-\w+)", shown, re.M))
    methods = {name for name in vars(RunningStack) if not name.startswith("_")}
    assert methods <= set(re.findall(r"^\| `(\w+)\(", PAGE, re.M))
