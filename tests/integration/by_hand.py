"""The memory target driven by hand over the target protocol, with a downstream that tells what it was asked."""

import http.client
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from harness import target as targets

TARGETS = Path(__file__).parents[2] / "targets"
KNOBS = {
    **targets.load(str(TARGETS / "memory")).with_knobs(),
    "lease": 1.0,
    "backoff": 0.02,
    "backoff_max": 0.1,
    "idempotency": "none",
}
PATIENCE = 10.0


class Downstream:
    """Counts effects by key, and answers the first calls of each key with the statuses it is given."""

    def __init__(self, *first: int) -> None:
        self.first = first
        self.calls: dict[str, int] = {}
        self.headers: dict[str, str | None] = {}
        self.keys: set[str | None] = set()
        self.versions: dict[str, int | None] = {}
        self.record = 1
        self.retry_after = ""
        self.open = threading.Event()
        self.open.set()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                key = body["key"]
                outer.headers[key] = self.headers["Idempotency-Key"]
                outer.keys.add(outer.headers[key])
                outer.versions[key] = body.get("version")
                outer.calls[key] = outer.calls.get(key, 0) + 1
                outer.open.wait(PATIENCE)
                self.send_response(outer.first[outer.calls[key] - 1] if outer.calls[key] <= len(outer.first) else 200)
                if outer.retry_after:
                    self.send_header("Retry-After", outer.retry_after)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def do_GET(self) -> None:
                """Every call counts as an effect here, also one that is answered with an error."""
                _, of, key = self.path.split("/")
                answer = {"version": outer.record} if of == "records" else {"effects": outer.calls.get(unquote(key), 0)}
                content = json.dumps(answer).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            request_queue_size = 128  # a full backlog costs a client a whole second, which is a lease

        self.server = Server(("127.0.0.1", 0), Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    @contextmanager
    def serving(self) -> Iterator["Downstream"]:
        thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield self
        finally:
            self.open.set()
            self.server.shutdown()
            self.server.server_close()
            thread.join(PATIENCE)


class Stack:
    """A producer, workers and a downstream, as the harness would start them."""

    def __init__(self, events: Path, downstream: Downstream, knobs: dict[str, Any]) -> None:
        self.events, self.downstream = events, downstream
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.environment = {
            **os.environ,
            "PYTHONPATH": str(TARGETS / "kit" / "python"),
            "HARNESS_KNOBS": json.dumps({**KNOBS, **knobs}),
            "HARNESS_LISTEN": f"127.0.0.1:{self.port}",
            "HARNESS_PRODUCER": f"http://127.0.0.1:{self.port}",
            "HARNESS_DOWNSTREAM": downstream.url,
            "HARNESS_EVENTS": str(events),
            "HARNESS_CONCURRENCY": "4",
        }
        self.processes: list[subprocess.Popen[bytes]] = []

    def start(self, program: str, **more: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen([sys.executable, program], cwd=TARGETS / "memory", env={**self.environment, **more})
        self.processes.append(process)
        return process

    def start_worker(self, number: int) -> subprocess.Popen[bytes]:
        process = self.start("worker.py", HARNESS_WORKER=f"worker-{number}")
        eventually(lambda: any(e["e"] == "ready" and e["pid"] == process.pid for e in self.lines()))
        return process

    def ask(self, method: str, path: str, body: bytes | None = None) -> tuple[int, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, body)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    def healthy(self) -> bool:
        try:
            return self.ask("GET", "/health")[0] == 200
        except OSError:
            return False

    def enqueue(self, *keys: str, work: float = 0, **fields: Any) -> list[str]:
        body = json.dumps({"jobs": [{"key": key, "work": work, **fields} for key in keys]}).encode()
        return [result["outcome"] for result in self.ask("POST", "/jobs", body)[1]["results"]]

    def letters(self) -> list[dict[str, Any]]:
        answer: list[dict[str, Any]] = self.ask("GET", "/letters")[1]["letters"]
        return answer

    def settle(self, what: str, *ids: str) -> list[str]:
        """Replay or discard dead letters; the outcome of each."""
        answer = self.ask("POST", f"/letters/{what}", json.dumps({"ids": ids}).encode())[1]
        assert [result["id"] for result in answer["results"]] == list(ids)
        return [result["outcome"] for result in answer["results"]]

    def state(self) -> dict[str, int]:
        answer: dict[str, int] = self.ask("GET", "/state")[1]
        return answer

    def lines(self) -> list[dict[str, Any]]:
        whole = (line for file in self.events.glob("*.jsonl") for line in file.read_text().splitlines(keepends=True))
        return sorted((json.loads(line) for line in whole if line.endswith("\n")), key=lambda event: event["t"])

    def ends(self, key: str) -> list[tuple[str, str | None]]:
        """How each run of the job ended; a run that was killed has no end."""
        return [(e["outcome"], e.get("note")) for e in self.lines() if e["e"] == "finish" and e["key"] == key]

    def close(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait(PATIENCE)


def eventually(true: Callable[[], bool]) -> None:
    """Wait until it is true, and fail if it does not become so."""
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline, "it did not become true"
        time.sleep(0.005)
