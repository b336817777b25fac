"""The command explains itself, and ends with the code that says what happened."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from harness.cli import main as cli


def test_help_lists_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--help"]) == 0
    assert "  validate     check scenario files without running them\n" in capsys.readouterr().out


def test_an_unknown_command_is_told_with_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["validat"]) == 2
    assert capsys.readouterr().err == "harness: unknown command `validat`; did you mean `validate`?\n"


@pytest.mark.parametrize("what", ["targets", "faults", "invariants"])
def test_a_list_has_a_line_each(what: str, stand_ins: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["list", what, "--json", "--targets", stand_ins]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {"targets": "small", "faults": "cut", "invariants": "done_within"}[what] in [row["name"] for row in rows]
    assert all(row["about"] for row in rows)


@pytest.mark.parametrize("name", ["kill", "done_within", "store", "small", "poisson"])
def test_every_kind_is_explained(name: str, stand_ins: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", name, "--targets", stand_ins]) == 0
    assert capsys.readouterr().out.startswith(f"{name} (")


def test_a_name_that_is_nothing_is_told_with_the_nearest(stand_ins: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", "kil", "--targets", stand_ins]) == 2
    assert capsys.readouterr().err == "explain kil: nothing has this name; did you mean `kill`?\n"


def test_the_schema_has_every_variant_with_its_meaning(stand_ins: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["schema"]) == 0
    schema = json.loads(capsys.readouterr().out)
    cut = schema["properties"]["faults"]["items"]["anyOf"][0]["properties"]["cut"]
    assert cut["description"] == "A server cannot be reached."
    assert cut["anyOf"][0]["properties"]["server"] == {"description": "which server", "type": "string"}
    assert schema["required"] == ["about", "load", "invariants"]


@pytest.mark.parametrize(("error", "code"), [(KeyboardInterrupt(), 130), (RuntimeError("x"), 4)])
def test_what_goes_wrong_becomes_an_exit_code(error: BaseException, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_args: object) -> int:
        raise error

    module = SimpleNamespace(__doc__="", arguments=lambda parser: None, main=fail)
    monkeypatch.setattr(cli, "import_module", lambda _name: module)
    assert cli.main(["list"]) == code


def test_a_reader_that_goes_away_is_no_traceback(stand_ins: str) -> None:
    root = str(Path(cli.__file__).parents[2])
    reading, writing = os.pipe()
    os.close(reading)
    ended = subprocess.run(
        [sys.executable, "-m", "harness", "schema"],
        stdout=writing,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": root},
        timeout=30,
        check=False,
    )
    os.close(writing)
    assert ended.stderr == b""
