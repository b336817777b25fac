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
        import asyncio

        reader, writer = await asyncio.open_connection(host, port)
        try:
            body = b"\x00\x03\x00\x00user\x00harness\x00database\x00harness\x00\x00"
            writer.write((len(body) + 4).to_bytes(4, "big") + body)
            await _until_ready(reader)
            query = b"SELECT pg_postmaster_start_time()::text || '|' || current_setting('server_version')\x00"
            writer.write(b"Q" + (len(query) + 4).to_bytes(4, "big") + query)
            row = (await _until_ready(reader)).decode()
        except asyncio.IncompleteReadError as error:
            raise ConnectionError("postgres closed the connection") from error
        finally:
            writer.close()
        started, _, version = row.partition("|")
        return {"id": started, "version": version}

    def wipe(self, folder: str) -> None:
        """Lose its data."""
        import shutil

        shutil.rmtree(folder)
        os.mkdir(folder)
        self.prepare(folder)


async def _until_ready(reader: object) -> bytes:
    """Read messages up to ReadyForQuery; returns the first column of a row, if there was one."""
    import asyncio

    assert isinstance(reader, asyncio.StreamReader)
    row = b""
    while True:
        kind = await reader.readexactly(1)
        body = await reader.readexactly(int.from_bytes(await reader.readexactly(4), "big") - 4)
        if kind == b"D":
            row = body[6:]
        elif kind == b"E":
            raise ConnectionError(body.replace(b"\x00", b" ").decode(errors="replace"))
        elif kind == b"Z":
            return row


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
