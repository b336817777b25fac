"""What was asked for: nobody who did not mean it gets a scenario run."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

KEYS = re.compile(rb"^[\"']?(about|load|invariants)[\"']? *:", re.M)
"""The keys that every scenario has; found in the text, so that a file which is no YAML any more is still known."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Files and folders in which scenarios are wanted."""

    files: tuple[Path, ...] = ()
    folders: tuple[Path, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.files or self.folders)

    def for_(self, path: Path) -> bool:
        """Whether this file is wanted: it was named itself, or is a scenario in a folder that was."""
        if path in self.files:
            return True
        return path.name[0] not in "_." and any(map(path.is_relative_to, self.folders)) and is_scenario(path)

    def plain(self) -> dict[str, list[str]]:
        """The same in types that pytest-xdist can send to its workers."""
        return {"files": [str(path) for path in self.files], "folders": [str(path) for path in self.folders]}


def asked(config: pytest.Config) -> Asked:
    """What the command line or the configuration asks for; a worker of pytest-xdist was told by its controller."""
    if worker := getattr(config, "workerinput", None):
        told = worker["harness_asked"]
        return Asked(tuple(map(Path, told["files"])), tuple(map(Path, told["folders"])))
    named = [_absolute(config.invocation_params.dir, arg.split("::")[0]) for arg in _arguments(config)]
    files = tuple(path for path in named if path.suffix == ".yaml")
    return Asked(files, (*filter(holds_scenarios, named), *_configured(config)))


def _arguments(config: pytest.Config) -> Sequence[str]:
    """What the user named; pytest puts `testpaths`, or the folder it was called in, in the same place."""
    return config.args if config.args_source is pytest.Config.ArgsSource.ARGS else ()


def _configured(config: pytest.Config) -> list[Path]:
    """The paths of `harness_scenarios`; `true` is the folder of the configuration file."""
    words: Any = config.getini("harness_scenarios")
    given = ["." if word.lower() == "true" else word for word in words if word.lower() != "false"]
    return [_absolute(config.rootpath, word) for word in given]


def _absolute(folder: Path, path: str) -> Path:
    return Path(os.path.abspath(folder / path))


def holds_scenarios(folder: Path) -> bool:
    """Whether a scenario stands in this folder itself: `pytest tests` means none that lies about below."""
    return folder.is_dir() and any(path.name[0] not in "_." and is_scenario(path) for path in folder.glob("*.yaml"))


def is_scenario(path: Path) -> bool:
    """Whether the file is meant to be a scenario, right or wrong: it has two of the keys that each must have."""
    try:
        return len(set(KEYS.findall(path.read_bytes()))) >= 2
    except OSError:
        return False
