"""The stacks of one test: started when it asks, stopped when it is over, however it ends."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any, Self

import pytest

from harness import binaries, toolchains
from harness import folder as folders
from harness.pytest_plugin import options, spoken
from harness.pytest_plugin.life import Life
from harness.pytest_plugin.plainly import plainly
from harness.pytest_plugin.running_stack import RunningStack


class Stacks:
    """Called, it starts a stack."""

    def __init__(self, request: pytest.FixtureRequest) -> None:
        self._config, self._id = request.config, request.node.nodeid
        self._name = re.sub(r"[^\w.-]+", "-", request.node.name).strip("-")
        self._started = ExitStack()

    @plainly
    def __call__(
        self,
        target: str,
        *,
        workers: int = 2,
        preset: str = "",
        knobs: Mapping[str, Any] | None = None,
        work: str | float = "50ms",
    ) -> RunningStack:
        """A running stack of this target; raises `Problems` for what does not fit, StackFailed if it does not start."""
        option = self._config.option
        found = spoken.found(target, option.harness_targets)
        scenario = spoken.scenario(
            self._name,
            found,
            workers=workers,
            preset=preset,
            knobs=knobs or {},
            work=spoken.seconds(work),
            seed=option.harness_seed,
        )
        toolchains.install(found)
        binaries.toxiproxy_server()
        folder = folders.make(options.reports(self._config), self._name, found.name)
        folder.save("target.json", {"name": found.name, "reports": found.reports, "folder": found.folder})
        return self._begun(Life(scenario, found, folder))

    def _begun(self, life: Life) -> RunningStack:
        with ExitStack() as unless_it_starts:
            unless_it_starts.callback(life.end)
            life.begin()
            stack = RunningStack(life, shlex.join(["pytest", self._id]))
            unless_it_starts.pop_all()
        return self._started.enter_context(stack)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *why: Any) -> bool | None:
        return self._started.__exit__(*why)
