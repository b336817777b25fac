"""The plugin's options."""

from __future__ import annotations

import os

import pytest


def add(parser: pytest.Parser) -> None:
    """What `harness run` and `harness suite` have, with `--harness-` before it."""
    group = parser.getgroup("harness", "scenarios of job systems (harness)")
    lists = {
        "target": "run scenarios against these targets instead of their own, or `all`",
        "variant": "run these variants, or `all`, each against what it must come to; `default` is the scenario itself",
    }
    for name, means in lists.items():
        group.addoption(f"--harness-{name}", type=_names, default=(), metavar="NAME,...", help=means)
    group.addoption(
        "--harness-set", type=_assignment, action="append", default=[], metavar="KNOB=VALUE", help="set one knob"
    )
    group.addoption("--harness-quick", action="store_true", help="at the time scale that each scenario has for CI")
    group.addoption("--harness-seed", type=int, metavar="N", help="decide everything random by this number")
    group.addoption("--harness-targets", metavar="DIR", help="look for targets in this folder first")
    group.addoption(
        "--harness-reports", default="reports", metavar="DIR", help="where runs are kept (default: reports)"
    )
    means = "collect scenarios as tests: `true`, or the files and folders in which to look for them"
    parser.addini("harness_scenarios", means, type="args", default=[])


def reports(config: pytest.Config) -> str:
    """Where runs are kept, whatever folder a test has gone to."""
    return os.path.join(config.invocation_params.dir, config.getoption("harness_reports"))


def _names(text: str) -> tuple[str, ...]:
    from harness.cli.options import names

    return names(text)


def _assignment(text: str) -> tuple[str, str]:
    from harness.cli.options import assignment

    return assignment(text)
