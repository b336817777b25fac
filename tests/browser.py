"""A real browser for tests: headless Chromium, spoken to over a pipe, so that nothing has to be installed for it.

Run as a module it takes a picture of a page: `python -m tests.browser PAGE PICTURE [WIDTH] [dark]`.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-headless-shell", "chromium-browser", "google-chrome")
OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)
PATIENCE = 60.0
PLACED = """import fcntl, os, sys
ours = [fcntl.fcntl(int(word), fcntl.F_DUPFD, 10) for word in sys.argv[1:3]]
for place, pipe in zip((3, 4), ours):
    os.dup2(pipe, place)
os.execv(sys.argv[3], sys.argv[3:])
"""
"""The browser reads commands from descriptor 3 and writes answers to 4: puts the pipes there and becomes it."""


def program() -> str | None:
    """The browser to use: `HARNESS_CHROMIUM`, or one that is on PATH."""
    return os.environ.get("HARNESS_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


class Tab:
    """One page. What went wrong in it (`errors`) and what it asked of the network (`requests`) is kept."""

    def __init__(self, browser: Browser, session: str) -> None:
        self._browser, self._session = browser, session
        self.errors: list[str] = []
        self.requests: list[str] = []

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """A command of the DevTools protocol, and its answer."""
        return self._browser.call(method, self._session, **params)

    def open(self, path: Path, *, width: int, dark: bool = False, script: bool = True) -> None:
        """Show a file at a width, and wait until it is loaded."""
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setScriptExecutionDisabled", value=not script)
        self.resize(width, 900)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Page.navigate", url=path.resolve().as_uri())
        self._browser.until("Page.loadEventFired", self._session)

    def resize(self, width: int, height: int) -> None:
        """Make the page so many CSS pixels large."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def evaluate(self, expression: str) -> Any:
        """The value of an expression in the page; raises where the page does."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise AssertionError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def picture(self) -> bytes:
        """The whole page as a PNG."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        self.resize(int(size["width"]), min(int(size["height"]), 12_000))
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def heard(self, message: dict[str, Any]) -> None:
        """Keep what the page said of itself."""
        params = message["params"]
        if message["method"] == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(params["exceptionDetails"]))
        elif message["method"] == "Log.entryAdded":
            self.errors.append(f"{params['entry']['level']}: {params['entry']['text']}")
        elif message["method"] == "Runtime.consoleAPICalled":
            self.errors.append(json.dumps(params["args"]))
        elif message["method"] == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])


class Browser:
    """Commands go into one pipe and answers come out of another, each ended by a NUL."""

    def __init__(self, commands: int, answers: int) -> None:
        self._commands, self._answers, self._buffer = commands, answers, b""
        self._last = 0
        self._tabs: dict[str, Tab] = {}

    def tab(self) -> Tab:
        """A new, empty page."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self._tabs[session] = Tab(self, session)
        return self._tabs[session]

    def call(self, method: str, session: str = "", **params: Any) -> dict[str, Any]:
        self._last += 1
        command = {"id": self._last, "method": method, "params": params} | ({"sessionId": session} if session else {})
        text = json.dumps(command).encode() + b"\0"
        while text:
            text = text[os.write(self._commands, text) :]
        for message in self._messages():
            if message.get("id") == self._last:
                assert "error" not in message, f"{method}: {message['error']}"
                answer: dict[str, Any] = message["result"]
                return answer
        raise AssertionError(f"the browser ended before it answered {method}")

    def until(self, event: str, session: str) -> None:
        """Wait for an event of a tab."""
        if not any(
            message.get("method") == event and message.get("sessionId") == session for message in self._messages()
        ):
            raise AssertionError(f"the browser ended before {event}")

    def _messages(self) -> Iterator[dict[str, Any]]:
        deadline = time.monotonic() + PATIENCE
        while True:
            head, nul, rest = self._buffer.partition(b"\0")
            if nul:
                self._buffer = rest
                message = json.loads(head)
                if "method" in message and message.get("sessionId") in self._tabs:
                    self._tabs[message["sessionId"]].heard(message)
                yield message
                continue
            ready = select.select([self._answers], [], [], max(deadline - time.monotonic(), 0))[0]
            assert ready, f"the browser said nothing for {PATIENCE:g} s"
            piece = os.read(self._answers, 1 << 20)
            if not piece:
                return
            self._buffer += piece


@contextmanager
def browser(executable: str) -> Iterator[Browser]:
    """A browser with a profile of its own; it ends, and its profile goes, with the block."""
    theirs_in, ours_out = os.pipe()
    ours_in, theirs_out = os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        argv = [sys.executable, "-SEc", PLACED, str(theirs_in), str(theirs_out), executable, *OPTIONS]
        process = subprocess.Popen(
            [*argv, f"--user-data-dir={profile}"],
            pass_fds=(theirs_in, theirs_out),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        try:
            running = Browser(ours_out, ours_in)
            yield running
            running.call("Browser.close")
        finally:
            os.close(ours_out)
            os.close(ours_in)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def main(page: str, picture: str, width: str = "1440", scheme: str = "light") -> None:
    """Write a picture of the page."""
    found = program()
    assert found, "no Chromium on PATH"
    with browser(found) as running:
        tab = running.tab()
        tab.open(Path(page), width=int(width), dark=scheme == "dark")
        Path(picture).write_bytes(tab.picture())
        print(tab.errors, tab.evaluate("[document.documentElement.scrollWidth, innerWidth]"))


if __name__ == "__main__":
    main(*sys.argv[1:])
