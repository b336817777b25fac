"""What pytest calls; everything that costs time is imported once a scenario, or a stack, is asked for."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from harness.pytest_plugin.asked import Asked
    from harness.pytest_plugin.runs import Runs
    from harness.pytest_plugin.stacks import Stacks

ASKED = pytest.StashKey["Asked"]()
RUNS = pytest.StashKey["Runs"]()
SESSION = pytest.StashKey[str]()
"""The name that all processes of one session have in common."""


def pytest_addoption(parser: pytest.Parser) -> None:
    from harness.pytest_plugin import options

    options.add(parser)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if file_path.suffix != ".yaml" or not _asked(parent.config).for_(file_path):
        return None
    from harness.pytest_plugin.scenario_file import ScenarioFile

    return ScenarioFile.from_parent(parent, path=file_path)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("harness_variant"):
        from harness.pytest_plugin import scenario_file

        scenario_file.refuse_unknown_variants(config, items)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """A worker of pytest-xdist cannot tell what its user named from what the configuration did."""
    node.config.stash[SESSION] = node.workerinput["testrunuid"]
    node.workerinput["harness_asked"] = _asked(node.config).plain()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Where nobody says otherwise, all claims of a run go to one worker, so that others can make other runs."""
    if config.getoption("dist") != "load" or not _asked(config):
        return None
    from harness.pytest_plugin.scheduling import Scheduling

    return Scheduling(config, log)


def pytest_unconfigure(config: pytest.Config) -> None:
    """The first process of the session removes what its processes shared."""
    if SESSION in config.stash and not hasattr(config, "workerinput"):
        from harness.pytest_plugin.runs import shared

        shared(config.stash[SESSION]).remove()


@pytest.fixture
def harness_stack(request: pytest.FixtureRequest) -> Iterator[Stacks]:
    """Starts a target's stack for this test: `stack = harness_stack("celery", workers=2)`.

    All that was started is stopped when the test is over, however it ends. docs/pytest.md says what a stack can do.
    """
    from harness.pytest_plugin.stacks import Stacks

    with Stacks(request) as stacks:
        yield stacks


def runs(config: pytest.Config) -> Runs:
    """The runs of this session."""
    if RUNS not in config.stash:
        from harness.pytest_plugin import options
        from harness.pytest_plugin.runs import Runs, shared

        config.stash[RUNS] = Runs(shared(_session(config)), options.reports(config))
    return config.stash[RUNS]


def _session(config: pytest.Config) -> str:
    worker = getattr(config, "workerinput", None)
    return config.stash.setdefault(SESSION, worker["testrunuid"] if worker else os.urandom(16).hex())


def _asked(config: pytest.Config) -> Asked:
    if ASKED not in config.stash:
        from harness.pytest_plugin.asked import asked

        config.stash[ASKED] = asked(config)
    return config.stash[ASKED]
