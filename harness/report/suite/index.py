"""The index of a folder of reports: every run in it on one page, newest first, that needs no server."""

from __future__ import annotations

import base64
import hashlib
import os
import shlex
from collections.abc import Collection, Iterable
from string import Template
from urllib.parse import quote

import msgspec

from harness.report.text import SYMBOLS, escape, lasting
from harness.suite.journal import Ended

FILE, RESULT, REPORT = "index.html", "result.json", "report.html"


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """What the page says of a run; of a result only this is read."""

    run: str = ""
    scenario: str = ""
    target: str = ""
    preset: str = ""
    seconds: float = 0.0
    value: str = "ERROR"
    says: str = ""
    started: str = ""
    command: str = ""
    has_page: bool = False


def write(reports: str, journal: Iterable[Ended] = ()) -> str:
    """Write the page into the folder, whole or not at all; gives its path."""
    expected = {ended.run for ended in journal if ended.run and ended.mark == "pass" and ended.value == "FAIL"}
    path = os.path.join(reports, FILE)
    with open(f"{path}.part", "w", encoding="utf-8") as file:
        file.write(render(found(reports), expected))
    os.replace(f"{path}.part", path)
    return path


def found(reports: str) -> list[Row]:
    """Every run of the folder, newest first; one that was cut off has no result, and is there all the same."""
    with os.scandir(reports) as entries:
        names = [entry.name for entry in entries if entry.is_dir() and not entry.is_symlink()]
    runs = [name for name in names if os.path.isdir(os.path.join(reports, name, "events"))]
    return [_row(reports, name) for name in sorted(runs, reverse=True)]


def _row(reports: str, name: str) -> Row:
    try:
        with open(os.path.join(reports, name, RESULT), "rb") as file:
            read = msgspec.json.decode(file.read(), type=Row)
    except FileNotFoundError:
        return Row(run=name, scenario=name, says="The run did not come to a result; its logs are in its folder.")
    except msgspec.DecodeError as error:
        return Row(run=name, scenario=name, says=f"{RESULT} cannot be read: {error}")
    return msgspec.structs.replace(read, run=name, has_page=os.path.exists(os.path.join(reports, name, REPORT)))


def render(rows: Iterable[Row], expected: Collection[str] = ()) -> str:
    """The page; a failure that its scenario's variant foretold says so."""
    drawn = [_drawn(row, row.run in expected) for row in rows]
    script = _file("index.js")
    hashed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return Template(_file("index.html")).substitute(
        style=_file("../page.css"), script=script, hash=hashed, count=len(drawn), rows="\n".join(drawn)
    )


def _drawn(row: Row, foretold: bool) -> str:
    link = quote(os.fsencode(f"{row.run}/{REPORT if row.has_page else ''}"))
    target = f"{row.target} ({row.preset})" if row.preset else row.target
    note = ' <span class="claim">as expected</span>' if foretold else ""
    name = f"{row.scenario} {_variant(row)}".strip()
    return (
        f"<tr><td>{_badge(row.value)}{note}</td>"
        f'<td data-label="Scenario"><a href="{escape(link)}">{escape(name)}</a></td>'
        f'<td data-label="Target">{escape(target)}</td><td data-label="Reason">{escape(row.says)}</td>'
        f'<td class="num" data-label="Took">{lasting(row.seconds) if row.seconds else ""}</td>'
        f'<td data-label="Began">{escape(row.started[:19].replace("T", " "))}</td></tr>'
    )


def _badge(value: str) -> str:
    symbol = next((sign for known, sign in SYMBOLS.items() if known == value), "")
    kind = value.split()[0].lower() if symbol else "fail"
    return f'<span class="badge {kind}"><span aria-hidden="true">{symbol or "!"}</span> {escape(value)}</span>'


def _variant(row: Row) -> str:
    """The variant, from the command that the run was made with."""
    try:
        words = shlex.split(row.command)
    except ValueError:
        return ""
    return words[words.index("--variant") + 1] if "--variant" in words[:-1] else ""


def _file(name: str) -> str:
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        return file.read()
