"""The producer as a generator sees it: jobs go in over HTTP, an outcome for each comes out."""

from collections.abc import Callable, Sequence

import gevent
import msgspec
from gevent import socket
from geventhttpclient.response import HTTPParseError, HTTPResponse

from harness import clock
from harness.load import answers
from harness.load.offers import Job, Offers, Outcome
from harness.load.payload import Payload

_encode = msgspec.json.Encoder().encode

Heard = Callable[[float, str], None]
"""Told of each request: milliseconds from the first job's intended time to the answer, and what went wrong, if
anything."""


class Connection:
    """One keep-alive connection, spoken to directly and never retried: a POST that is sent twice enqueues twice."""

    def __init__(self, address: tuple[str, int]) -> None:
        self._socket = socket.create_connection(address)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.reusable = False

    def exchange(self, request: bytes) -> tuple[int, bytes]:
        """Send one request and return its answer's status and body; OSError or HTTPParseError when there is none."""
        self.reusable = False
        self._socket.sendall(request)
        answer = HTTPResponse("POST")
        while not answer.message_complete:
            data = self._socket.recv(65536)
            answer.feed(data)
            if not data and not answer.message_complete:
                raise ConnectionResetError("the connection was closed before the answer")
        self.reusable = not answer.should_close()
        return answer.status_code, bytes(answer._body_buffer)

    def is_stale(self) -> bool:
        """Whether the other side has closed it (or spoken out of turn) while it was idle."""
        self._socket.settimeout(0.0)
        try:
            self._socket.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return False
        except OSError:
            return True
        finally:
            self._socket.settimeout(None)
        return True

    def close(self) -> None:
        self._socket.close()


class Producer:
    """Offers jobs and records what became of them; as many requests may be under way as there are callers."""

    def __init__(
        self, address: tuple[str, int], offers: Offers, heard: Heard, *, payload: Payload, timeout: float
    ) -> None:
        self._address = address
        self._offers = offers
        self._heard = heard
        self._payload = payload
        self._timeout = timeout
        self._idle: list[Connection] = []

    def offer(self, jobs: Sequence[Job]) -> None:
        """Send the jobs in one request, and record their offers before it and their outcomes after it.

        Killed while it waits, it records them as unknown and dies: a user who outlived his kill would go on for ever.
        """
        request = self._request(jobs)
        sent = clock.now()
        self._offers.offer(jobs, self._payload.delay)
        try:
            outcomes = self._post(jobs, request)
        except gevent.GreenletExit:
            self._offers.settle(answers.unknown(jobs, "the generator was stopped before the answer"))
            raise
        self._offers.settle(outcomes)
        waited = clock.now() - (jobs[0].intended or sent)
        self._heard(waited / 1e6, next((f"{o.outcome}: {o.why}" for o in outcomes if o.outcome != "acked"), ""))

    def warm(self, seconds: float) -> None:
        """Ask for its health once, so that the first job finds code and connection warm; no answer is no matter."""
        connection = None
        try:
            with gevent.Timeout(seconds, TimeoutError("no answer")):
                connection = Connection(self._address)
                connection.exchange(
                    b"GET /health HTTP/1.1\r\nHost: %s:%d\r\n\r\n" % (self._address[0].encode(), self._address[1])
                )
        except (OSError, HTTPParseError):
            pass
        finally:
            self._keep(connection)

    def _post(self, jobs: Sequence[Job], request: bytes) -> list[Outcome]:
        connection = None
        try:
            with gevent.Timeout(self._timeout, TimeoutError(f"no answer within {self._timeout:g} s")):
                connection = self._connection()
                return answers.outcomes(jobs, *connection.exchange(request))
        except (OSError, HTTPParseError) as error:
            why = f"{type(error).__name__}: {error}"
            return answers.unknown(jobs, why) if connection else answers.rejected(jobs, f"could not connect: {why}")
        finally:
            self._keep(connection)

    def _connection(self) -> Connection:
        while self._idle:
            connection = self._idle.pop()
            if not connection.is_stale():
                return connection
            connection.close()
        return Connection(self._address)

    def _keep(self, connection: Connection | None) -> None:
        if connection and connection.reusable:
            self._idle.append(connection)
        elif connection:
            connection.close()

    def _request(self, jobs: Sequence[Job]) -> bytes:
        body = _encode({"jobs": [self._payload.of(job.key) for job in jobs]})
        head = "POST /jobs HTTP/1.1\r\nHost: %s:%d\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
        return (head % (*self._address, len(body))).encode() + body
