"""The Debian toolchain, with stand-ins for apt and dpkg that know one package."""

import os
from pathlib import Path

import pytest

from harness.cache import SetUpFailed
from harness.target import Target
from harness.toolchains import debian

APT_GET = """
echo "apt-get $*" >> {calls}
case "$*" in
  *update*) {update} ;;
  *download*hello=2.1*) touch hello_2.1_all.deb ;;
  *) echo "E: Version was not found" ; exit 100 ;;
esac
"""
APT_CACHE = 'echo "hello | 2.1 | somewhere Packages"'
DPKG_DEB = """
mkdir -p $3/usr/bin $3/usr/lib/x86_64-linux-gnu $3/usr/lib/ruby/vendor_ruby
printf '\\177ELF' > $3/usr/bin/hello
printf '#!/usr/bin/hello' > $3/usr/bin/greet
"""


class Machine:
    """Programs on PATH, and what was asked of them."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.calls = folder, folder / "calls"
        self.programs = folder / "programs"
        self.programs.mkdir()
        self.calls.touch()

    def has(self, **programs: str) -> None:
        for name, script in programs.items():
            program = self.programs / name.replace("_", "-")
            program.write_text(f"#!/bin/sh\n{script}\n")
            program.chmod(0o755)

    def has_debian(self, update: str = "true") -> None:
        self.has(
            apt_get=APT_GET.format(calls=self.calls, update=update),
            apt_cache=APT_CACHE,
            dpkg_deb=DPKG_DEB,
        )

    def asked(self) -> list[str]:
        """The verb of each call of apt-get."""
        lines = self.calls.read_text().splitlines()
        return [verb for line in lines for verb in ("update", "download") if f" {verb}" in line]

    def pins(self, text: str) -> str:
        file = self.folder / "debian.txt"
        file.write_text(text)
        return str(file)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    made = Machine(tmp_path)
    monkeypatch.setenv("HARNESS_CACHE", str(tmp_path / "cache"))
    return made


@pytest.fixture
def on_path(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> Machine:
    machine.has_debian()
    monkeypatch.setenv("PATH", f"{machine.programs}{os.pathsep}{os.environ['PATH']}")
    return machine


TARGET = Target(about="", producer=("hello",), worker=("hello",), name="small")


def test_packages_are_unpacked_once_and_their_programs_are_words(on_path: Machine) -> None:
    file = on_path.pins("hello=2.1\n")
    installed = debian.install(TARGET, file)
    folder = os.path.dirname(os.path.dirname(os.path.dirname(installed.words["hello"])))
    assert installed.words == {"hello": f"{folder}/usr/bin/hello"}
    assert installed.env == {
        "LD_LIBRARY_PATH": f"{folder}/usr/lib/x86_64-linux-gnu",
        "RUBYLIB": f"{folder}/usr/lib/ruby/vendor_ruby",
    }
    assert debian.install(TARGET, file) == installed
    assert on_path.asked() == ["download"]


def test_nothing_but_what_was_unpacked_is_left(on_path: Machine) -> None:
    installed = debian.install(TARGET, on_path.pins("hello=2.1\n"))
    folder = Path(installed.words["hello"]).parents[2]
    assert sorted(path.name for path in folder.iterdir()) == [".made", "usr"]


def test_a_pin_that_has_gone_is_named_with_its_successor(on_path: Machine) -> None:
    file = on_path.pins("hello=2.0\n")
    with pytest.raises(SetUpFailed) as failure:
        debian.install(TARGET, file)
    assert "hello=2.0 is gone; there is hello=2.1" in str(failure.value)
    assert f"to renew the pins, write the versions above into {file}" in str(failure.value)
    assert on_path.asked() == ["download", "update", "download"]


def test_lists_of_its_own_are_fetched_into_the_cache(on_path: Machine) -> None:
    with pytest.raises(SetUpFailed):
        debian.install(TARGET, on_path.pins("hello=2.0\n"))
    first, *later = on_path.calls.read_text().splitlines()
    assert "Dir::State::Lists" not in first
    assert all(f"Dir::State::Lists={on_path.folder}/cache/" in line for line in later)


def test_a_failure_of_the_network_is_not_called_a_lost_pin(on_path: Machine) -> None:
    on_path.has_debian(update='echo "E: Could not resolve the host"; exit 100')
    with pytest.raises(SetUpFailed, match="Could not resolve the host") as failure:
        debian.install(TARGET, on_path.pins("hello=2.0\n"))
    assert "renew" not in str(failure.value)


def test_a_package_that_the_release_never_had_is_said_to_be_of_another() -> None:
    said = debian.renewal("debian.txt", {"hello": "2.0", "bye": "1"}, {"hello": ["2.0"], "bye": []})
    assert "bye=1 is gone; there is none: is this the release that the pins are for?" in said
    assert "hello" not in said


def test_no_pin_has_gone_when_the_archive_has_them_all() -> None:
    assert debian.renewal("debian.txt", {"hello": "2.0"}, {"hello": ["2.1", "2.0"]}) == ""


def test_pins_have_comments_epochs_and_tildes(machine: Machine) -> None:
    file = machine.pins("# a release\n\nruby=1:3.1  # an epoch\nlibssl3=3.0.22-1~deb12u2\n")
    assert debian.pins(file) == {"ruby": "1:3.1", "libssl3": "3.0.22-1~deb12u2"}


@pytest.mark.parametrize("line", ["hello", "hello=", "=2.1", "hello =2.1", "hello>=2 .1"])
def test_a_line_that_is_no_pin_is_refused(machine: Machine, line: str) -> None:
    with pytest.raises(SetUpFailed, match="expected `name=version`"):
        debian.pins(machine.pins(line))


def test_without_apt_it_says_how_to_get_it(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(machine.programs))
    assert debian.lacks().startswith("apt-get, apt-cache, dpkg-deb not on PATH: run it on Debian 12")
    with pytest.raises(SetUpFailed, match="target small: apt-get"):
        debian.install(TARGET, machine.pins("hello=2.1\n"))
    machine.has_debian()
    assert debian.lacks() == ""
