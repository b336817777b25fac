"""Debian: packages of exact versions, unpacked into the cache without root; a command names their programs."""

from __future__ import annotations

import glob
import os
import shutil
import subprocess

import msgspec

from harness import cache
from harness.progress import note
from harness.target import Target
from harness.toolchains import Installed, digest

TOOLS = ("apt-get", "apt-cache", "dpkg-deb")
LIBRARIES = ("lib/*-linux-*", "usr/lib/*-linux-*")
RUBY = (
    "usr/share/rubygems-integration/*/gems/*/lib",
    "usr/lib/ruby/vendor_ruby",
    "usr/lib/*/ruby/vendor_ruby/[0-9]*",
    "usr/lib/ruby/[0-9]*",
    "usr/lib/*/ruby/[0-9]*",
)


def lacks() -> str:
    """apt and dpkg must be on PATH; whether they have the pinned versions is seen when these are fetched."""
    absent = [program for program in TOOLS if not shutil.which(program)]
    return f"{', '.join(absent)} not on PATH: run it on Debian 12, or in a container of it" if absent else ""


def install(target: Target, file: str) -> Installed:
    """The packages of these pins: their programs by name, their libraries by LD_LIBRARY_PATH and RUBYLIB."""
    if reason := lacks():
        raise cache.SetUpFailed(f"target {target.name}: {reason}")
    folder = cache.made(
        f"{target.name}-debian-{digest(file)}",
        lambda folder: _unpack(folder, file),
        says=f"unpacking {target.name}'s Debian packages (once)",
    )
    return Installed(words=_programs(folder), env=_variables(folder))


def pins(file: str) -> dict[str, str]:
    """Package -> version, from lines `name=version`; `#` begins a comment. Raises `SetUpFailed` at any other line."""
    with open(file, encoding="utf-8") as text:
        lines = [line.partition("#")[0].strip() for line in text]
    pairs = [line.partition("=") for line in lines if line]
    for name, _, version in pairs:
        if not name or not version or " " in name + version:
            raise cache.SetUpFailed(f"{file}: expected `name=version`, got `{name}`")
    return {name: version for name, _, version in pairs}


class Apt(msgspec.Struct, frozen=True):
    """apt with nothing of the machine's but its sources, and its package lists unless it has fetched its own."""

    folder: str
    own_lists: bool = False

    def command(self, program: str, *words: str) -> list[str]:
        """An apt program that writes nowhere but into the folder, and does not change user to do so."""
        options = [f"Dir::Cache={self.folder}/cache", "APT::Sandbox::User=root"]
        if self.own_lists:
            options.append(f"Dir::State::Lists={self.folder}/lists")
        return [program, "-qq", *(word for option in options for word in ("-o", option)), *words]

    def download(self, wanted: dict[str, str]) -> None:
        """Put a .deb of each pin into `debs`."""
        debs = os.path.join(self.folder, "debs")
        os.makedirs(debs, exist_ok=True)
        os.makedirs(os.path.join(self.folder, "cache", "archives", "partial"), exist_ok=True)
        exact = [f"{name}={version}" for name, version in wanted.items()]
        cache.command(self.command("apt-get", "download", *exact), what="downloading packages", cwd=debs)

    def updated(self) -> Apt:
        """The same with package lists that have just been fetched."""
        fresh = msgspec.structs.replace(self, own_lists=True)
        os.makedirs(os.path.join(self.folder, "lists", "partial"), exist_ok=True)
        cache.command(fresh.command("apt-get", "update"), what="fetching Debian's package lists")
        return fresh

    def offers(self, names: list[str]) -> dict[str, list[str]]:
        """Package -> the versions that the archive has, newest first."""
        argv = self.command("apt-cache", "madison", *names)
        found = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
        versions: dict[str, list[str]] = {name: [] for name in names}
        for line in found.stdout.splitlines():
            name, version, _source = (part.strip() for part in line.split("|"))
            versions.setdefault(name, []).append(version)
        return versions


def renewal(file: str, wanted: dict[str, str], offers: dict[str, list[str]]) -> str:
    """Which pins the archive no longer has, and what to write in their place; empty when it has them all."""
    gone = {name: version for name, version in wanted.items() if version not in offers[name]}
    if not gone:
        return ""
    lines = [f"  {name}={version} is gone; there is {_said(name, offers[name])}" for name, version in gone.items()]
    why = "Debian drops a version from its archive when a point release or a security fix replaces it"
    how = f"write the versions above into {file} and run the tests of its target"
    return "\n".join([f"{why}:", *lines, f"to renew the pins, {how}"])


def _said(name: str, versions: list[str]) -> str:
    return f"{name}={versions[0]}" if versions else "none: is this the release that the pins are for?"


def _unpack(folder: str, file: str) -> None:
    wanted = pins(file)
    apt = Apt(os.path.join(folder, ".apt"))
    _download(apt, file, wanted)
    for package in sorted(glob.glob(os.path.join(apt.folder, "debs", "*.deb"))):
        cache.command(["dpkg-deb", "-x", package, folder], what=f"unpacking {os.path.basename(package)}")
    shutil.rmtree(apt.folder)


def _download(apt: Apt, file: str, wanted: dict[str, str]) -> None:
    """From the machine's package lists; if these are absent or older than the archive, from fresh ones."""
    try:
        apt.download(wanted)
        return
    except cache.SetUpFailed:
        note("the machine's package lists do not lead to every pinned package: fetching fresh ones")
    fresh = apt.updated()
    try:
        fresh.download(wanted)
    except cache.SetUpFailed as error:
        raise cache.SetUpFailed(renewal(file, wanted, fresh.offers(list(wanted))) or str(error)) from error


def _programs(folder: str) -> dict[str, str]:
    """Those that are not scripts: a script begins with the path of an interpreter that this machine may not have."""
    paths = glob.glob(os.path.join(folder, "usr", "bin", "*"))
    return {os.path.basename(path): path for path in sorted(paths) if not _is_script(path)}


def _is_script(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(2) == b"#!"


def _variables(folder: str) -> dict[str, str]:
    found = {"LD_LIBRARY_PATH": _folders(folder, LIBRARIES), "RUBYLIB": _folders(folder, RUBY)}
    return {name: os.pathsep.join(paths) for name, paths in found.items() if paths}


def _folders(folder: str, patterns: tuple[str, ...]) -> list[str]:
    return [path for pattern in patterns for path in sorted(glob.glob(os.path.join(folder, pattern)))]
