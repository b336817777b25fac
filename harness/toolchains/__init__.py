"""What targets are built with, one file each: installs a target's pinned dependencies once, by the hash of its pins.

A module here has `lacks() -> str`, which is empty when the toolchain is on this machine and else says in one line how
to get it, and `install(target, file) -> Installed`, which raises `cache.SetUpFailed`.
"""

from __future__ import annotations

import hashlib
import os
import sys
from importlib import import_module

import msgspec

from harness.cache import SetUpFailed
from harness.target import Target


class Installed(msgspec.Struct, frozen=True):
    """What a set-up yields: the programs that words of the target's commands stand for, and variables for them."""

    words: dict[str, str] = {}
    env: dict[str, str] = {}

    def argv(self, command: tuple[str, ...]) -> tuple[str, ...]:
        """The command with its first part, such as `python` or `built/worker`, made a program of this machine."""
        return (self.words.get(command[0], command[0]), *command[1:])


def install(target: Target) -> Installed:
    """Everything that the target's `setup` names, installed if it was not yet; raises `SetUpFailed`."""
    if reason := lacks(target):
        raise SetUpFailed(f"target {target.name} is not available here: {reason}")
    words = {"python": sys.executable}
    env: dict[str, str] = {}
    for name, file in target.setup.items():
        done: Installed = import_module(f"harness.toolchains.{name}").install(target, os.path.join(target.folder, file))
        words |= done.words
        env |= done.env
    return Installed(words, env)


def lacks(target: Target) -> str:
    """Why the target is not to be had on this machine, and how to get it; empty when nothing is in the way."""
    reasons = [str(import_module(f"harness.toolchains.{name}").lacks()) for name in target.setup]
    return "; ".join(filter(None, reasons))


def digest(*parts: str) -> str:
    """A short name for what these texts and files make; a file is named by its path and read."""
    content = hashlib.sha256()
    for part in parts:
        if os.path.isfile(part):
            with open(part, "rb") as file:
                content.update(file.read())
        content.update(os.path.basename(part).encode())
    return content.hexdigest()[:16]
