"""The frame of a page that is one file and needs neither network nor script."""

from __future__ import annotations

import os
from string import Template

from harness.report.text import escape


def render(*, title: str, kind: str, header: str, body: str, style: str = "") -> str:
    """The whole page; `title` is text, `header` and `body` are HTML, `style` is laid over the page's own."""
    return Template(_file("page.html")).substitute(
        title=escape(title), style=_file("page.css") + style, kind=kind, header=header, body=body
    )


def section(name: str, title: str, content: str) -> str:
    """A part of the page; nothing where there is no content."""
    return f'<section id="{name}"><h2>{title}</h2>\n{content}</section>\n' if content else ""


def command(line: str) -> str:
    """A command line to be copied."""
    return f"<pre><code>{escape(line)}</code></pre>" if line else ""


def _file(name: str) -> str:
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        return file.read()
