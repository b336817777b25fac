"""A PostgreSQL server."""

from __future__ import annotations

import os
from typing import Annotated, Literal

import msgspec


class Postgres(msgspec.Struct, frozen=True, kw_only=True):
    """A PostgreSQL server: the application's own database."""

    synchronous_commit: Annotated[Literal["on", "off"], "whether a commit waits for its log to be written"] = "on"

    apart = True
    """It refuses to run as root and leaves shared memory behind: it gets a user and IPC namespace of its own where
    the host allows it."""

    def prepare(self, folder: str) -> None:
        """A copy of the template that initdb made once."""
        import subprocess

        from harness.substrate import keeper

        os.rmdir(folder)
        subprocess.run(["cp", "-r", template(), folder], check=True, preexec_fn=keeper.die_with_parent)
        os.chmod(folder, 0o700)

    def command(self, host: str, port: int, folder: str) -> tuple[str, ...]:
        from harness.binaries import postgres_folder

        settings = {
            "listen_addresses": host,
            "unix_socket_directories": "",
            "fsync": "off",
            "synchronous_commit": self.synchronous_commit,
            "dynamic_shared_memory_type": "mmap",
            "shared_buffers": "16MB",
            "max_connections": "200",
            "logging_collector": "off",
        }
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        return (os.path.join(postgres_folder(), "postgres"), "-D", folder, "-p", str(port), *options)

    def url(self, host: str, port: int) -> str:
        return f"postgresql://harness@{host}:{port}/harness"

    async def identity(self, host: str, port: int) -> dict[str, str]:
        """Who answers there: when its postmaster started. Raises OSError while nobody does."""
        query = "SELECT pg_postmaster_start_time()::text, current_setting('server_version')"
        ((started, version),) = await self.rows(host, port, query)
        return {"id": str(started), "version": str(version)}

    async def rows(self, host: str, port: int, sql: str) -> list[tuple[str | None, ...]]:
        """What a query gives, as text."""
        from harness.servers import _postgres_wire

        return await _postgres_wire.rows(host, port, sql)

    def wipe(self, folder: str) -> None:
        """Lose its data."""
        import shutil

        shutil.rmtree(folder)
        os.mkdir(folder)
        self.prepare(folder)


def template() -> str:
    """A data folder with a database `harness`, made once for this version and user."""
    import hashlib

    from harness import binaries, cache

    folder = binaries.postgres_folder()
    name = hashlib.sha256(os.path.realpath(folder).encode()).hexdigest()[:8]
    made = cache.made(
        f"postgres-template-{name}-{os.getuid()}",
        lambda place: _initdb(folder, os.path.join(place, "data")),
        says="making a PostgreSQL template (once)",
    )
    return os.path.join(made, "data")


def _initdb(binaries: str, data: str) -> None:
    import subprocess

    from harness.cache import SetUpFailed
    from harness.substrate import keeper, namespace

    apart = keeper.enter_namespace if namespace.available() else None
    if apart is None and os.getuid() == 0:
        raise SetUpFailed(
            "PostgreSQL does not run as root, and this host allows no user namespace: run as another user"
        )
    create = [os.path.join(binaries, "postgres"), "--single", "-D", data, "postgres"]
    make = [
        os.path.join(binaries, "initdb"),
        "-D",
        data,
        "-A",
        "trust",
        "-U",
        "harness",
        "--no-sync",
        "--encoding",
        "UTF8",
        "--locale",
        "C",
    ]
    for argv, told in ((make, ""), (create, "CREATE DATABASE harness\n")):
        done = subprocess.run(
            argv, input=told, text=True, preexec_fn=apart, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
        )
        if done.returncode:
            raise SetUpFailed(f"{argv[0]} failed:\n{done.stdout[-2000:]}")
