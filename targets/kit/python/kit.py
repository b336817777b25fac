"""What a target written in Python is made with: its knobs, its attempt lines, its call to the downstream."""

import itertools
import json
import os
import select
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from types import SimpleNamespace
from urllib.parse import quote, urlsplit

CAREFUL = {"classify": True, "honour_retry_after": True, "record": "current", "publish": "confirmed"}
"""Knobs of every handler, as they are for a target that has none of the name."""


def knobs() -> SimpleNamespace:
    """Every knob of target.yaml as an attribute; durations are seconds."""
    return SimpleNamespace(**CAREFUL | json.loads(os.environ["HARNESS_KNOBS"]))


def concurrency() -> int:
    """How many jobs this worker may run at once: HARNESS_CONCURRENCY, else the knob `concurrency`."""
    return int(os.environ.get("HARNESS_CONCURRENCY") or knobs().concurrency)


class Run:
    """One call of the handler; set `note` to say more about how it ended."""

    def __init__(self) -> None:
        self.note = ""

    def dedup(self) -> None:
        """An earlier run had done the work: this one does nothing."""
        self.note = "dedup"


class Attempts:
    """Appends what this worker does to its event file; safe across threads and forks, silent without HARNESS_EVENTS."""

    def __init__(self) -> None:
        self._folder = os.environ.get("HARNESS_EVENTS", "")
        self._worker = os.environ.get("HARNESS_WORKER", "worker")
        self._count = itertools.count(1)
        self._pid = self._fd = -1
        self._born = 0

    def ready(self) -> None:
        """This worker consumes from now on."""
        if self._folder:
            self._write("ready", "")

    @contextmanager
    def run(
        self, key: str, attempt: int, *, last: bool = False, hopeless: tuple[type[BaseException], ...] = ()
    ) -> Iterator[Run]:
        """Write `start`, then `finish`: done, or after an exception failed, or dead if there is no other attempt: this
        was the last, or the error is a `hopeless` one."""
        run = Run()
        if not self._folder:
            yield run
            return
        head = self._start(key, attempt)
        try:
            yield run
        except BaseException as error:  # some systems interrupt a job with what is no Exception
            dead = last or isinstance(error, hopeless)
            self._finish(head, "dead" if dead else "failed", run.note or type(error).__name__)
            raise
        self._finish(head, "done", run.note)

    def _start(self, key: str, attempt: int) -> str:
        self._open()
        # The pid alone would repeat in a container, so the file's birth is part of a run's name.
        head = f',"key":{json.dumps(key)},"run":"{self._pid}.{self._born:x}.{next(self._count)}"'
        self._write("start", f'{head},"attempt":{attempt}')
        return head

    def _finish(self, head: str, outcome: str, note: str) -> None:
        tail = f',"note":{json.dumps(note)}' if note else ""
        self._write("finish", f'{head},"outcome":"{outcome}"{tail}')

    def _write(self, event: str, fields: str) -> None:
        self._open()
        line = f'{{"e":"{event}","t":{time.time_ns()},"worker":"{self._worker}","pid":{self._pid}{fields}}}\n'.encode()
        if os.write(self._fd, line) != len(line):
            raise OSError(f"only part of a line was written to {self._folder}: is the disk full?")

    def _open(self) -> None:
        pid = os.getpid()
        if pid == self._pid:
            return
        name = os.path.join(self._folder, f"{self._worker}.{pid}.jsonl")
        self._fd = os.open(name, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        self._born = time.time_ns()
        self._pid = pid


class DownstreamFailed(Exception):
    """The effect was not confirmed. `status` is None when no answer came: then it may have happened all the same."""

    def __init__(self, status: int | None, retry_after: float | None = None, why: str = "") -> None:
        super().__init__(status, retry_after, why)
        self.status = status
        self.retry_after = retry_after
        self.why = why

    def __str__(self) -> str:
        return self.why or f"the downstream answered {self.status}"


class Downstream:
    """The downstream of HARNESS_DOWNSTREAM, over one kept connection per thread of each process."""

    def __init__(self, timeout: float) -> None:
        url = urlsplit(os.environ["HARNESS_DOWNSTREAM"])
        self._host, self._port = url.hostname or "127.0.0.1", url.port or 80
        self._path = url.path.rstrip("/")
        self._timeout = timeout
        self._mine = threading.local()

    def effect(self, key: str, *, idempotency_key: str | None = None, version: int | None = None) -> None:
        """Ask for the side effect once, never twice; raises DownstreamFailed unless it was confirmed."""
        headers = {"Content-Type": "application/json"}
        if idempotency_key is not None:
            headers["Idempotency-Key"] = idempotency_key
        body = {"key": key} if version is None else {"key": key, "version": version}
        self._ask("POST", "/effects", json.dumps(body).encode(), headers)

    def version(self, key: str) -> int:
        """The version that the record has now."""
        return int(json.loads(self._ask("GET", f"/records/{quote(key, safe='')}"))["version"])

    def effects(self, key: str) -> int:
        """How many effects there have been of this key."""
        return int(json.loads(self._ask("GET", f"/effects/{quote(key, safe='')}"))["effects"])

    def _ask(self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> bytes:
        connection = self._connection()
        try:
            connection.request(method, self._path + path, body, headers or {})
            answer = connection.getresponse()
            content = answer.read()
        except (OSError, HTTPException) as error:
            connection.close()
            raise DownstreamFailed(None, why=f"{type(error).__name__}: {error}") from error
        if answer.status != 200:
            raise DownstreamFailed(answer.status, _seconds(answer.headers.get("Retry-After")))
        return content

    def _connection(self) -> HTTPConnection:
        """The connection of this thread, closed first if the other side has closed it, so that it is opened afresh."""
        if getattr(self._mine, "pid", None) != os.getpid():
            self._mine.pid = os.getpid()
            self._mine.connection = HTTPConnection(self._host, self._port, timeout=self._timeout)
        connection: HTTPConnection = self._mine.connection
        if connection.sock is not None and _readable(connection.sock):
            connection.close()
        return connection


def _readable(sock: socket.socket) -> bool:
    """Between requests only an end of file, an error or an answer nobody asked for can be read."""
    poll = select.poll()
    poll.register(sock, select.POLLIN)
    return bool(poll.poll(0))


def _seconds(header: str | None) -> float | None:
    return float(header) if header and header.strip().isdigit() else None
