"""Enqueues over the application's own HTTP endpoint: one request for each job, as its users send them."""

import json
import socket
import threading
from collections.abc import Callable
from http.client import HTTPConnection, HTTPException
from typing import Any
from urllib.parse import urlsplit

from serve import acked, rejected, unknown

Job = dict[str, Any]


class Refused(Exception):
    """The application answered, and did not take the job."""


def forward(url: str, body: Callable[[Job], Any], timeout: float = 5.0) -> Callable[[list[Job]], list[dict[str, str]]]:
    """The `enqueue` of a producer that POSTs what `body` makes of a job to `url`, as JSON.

    Any 2xx is `acked`, 4xx and 503 are `rejected`: the application has said that it did not take the job. So is a job
    that nobody was there to take. Another status, a timeout and a connection that breaks after the request was sent
    leave it `unknown`.
    """
    place = urlsplit(url)
    local = threading.local()

    def post(content: bytes) -> int:
        connection: HTTPConnection | None = getattr(local, "connection", None)
        if connection is None:
            connection = local.connection = HTTPConnection(place.hostname or "", place.port, timeout=timeout)
        if connection.sock is None:
            connection.connect()
            connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.request("POST", place.path, content, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        answer.read()
        return answer.status

    def enqueue_one(job: Job) -> dict[str, str]:
        try:
            return _outcome(job, post(json.dumps(body(job)).encode()))
        except ConnectionRefusedError as error:
            return rejected(job, error)
        except (OSError, HTTPException) as error:
            local.connection.close()
            return unknown(job, error)

    return lambda jobs: [enqueue_one(job) for job in jobs]


def _outcome(job: Job, status: int) -> dict[str, str]:
    if 200 <= status < 300:
        return acked(job)
    refused = Refused(f"the application answered {status}")
    return rejected(job, refused) if 400 <= status < 500 or status == 503 else unknown(job, refused)
