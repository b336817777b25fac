"""The program that offers a load, one process of several: `python -m harness.load.generator`.

It prints `{"ready": true}`, waits for `{"go": <ns since the epoch>}` on stdin, offers its share from that time zero on,
prints `{"finished": {...}}` and exits with 0.
SIGTERM or the end of stdin stop it: what was not sent is dropped, what was not answered is unknown.
"""

# Locust patches the interpreter as it is imported, and must do so before anything else is.
import locust  # isort: skip # noqa: F401

import argparse
import gc
import os
import signal
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import gevent
import msgspec
from gevent import socket
from locust.env import Environment

from harness.load import arrivals, closed_model, locust_posts
from harness.load.arrivals import Arrivals, Crowd
from harness.load.lateness import Lateness, Stopwatch, bottleneck, lateness
from harness.load.offers import Offers
from harness.load.open_model import OpenModel, Share
from harness.load.payload import Payload
from harness.load.producer import Producer


class Finished(msgspec.Struct, frozen=True):
    """What the last line says: jobs counted by what became of them, lateness in seconds, the generator's own part in
    it."""

    offered: int
    acked: int
    rejected: int
    unknown: int
    dropped: int
    lateness: Lateness
    cpu: float
    peak: int
    requests: int
    bottleneck: bool
    why: str


class Generator:
    """Everything one process needs to offer its share of a load."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._part, self._parts = options.share
        self._plan: Arrivals = arrivals.read(options.arrivals)
        self._host: str = options.producer
        self._timeout: float = options.timeout
        self._environment = Environment()
        self._environment.create_local_runner()
        self._offers = Offers(options.events)
        self._producer = Producer(
            address(self._host), self._offers, self._heard, payload=options.payload, timeout=self._timeout
        )
        self._open = OpenModel(
            self._producer, self._offers, batch=options.batch, connections=options.connections, patience=self._timeout
        )
        self._stopwatch = Stopwatch()
        self._keys = (arrivals.key(n) for n in count(len(self._plan.offsets) + self._part, self._parts))

    def warm(self) -> None:
        """Make ready, so that the first job costs no more than the others."""
        if any(crowd.file for crowd in self._plan.crowds):
            locust_posts.record(self._offers)
        self._crowds = [(crowd, self._users(crowd)) for crowd in self._plan.crowds]
        self._producer.warm(seconds=1.0)
        # A collection that walks all of Locust's objects takes tens of milliseconds: keep them out of every later one.
        gc.collect()
        gc.freeze()

    def offer(self, zero: int) -> None:
        """Offer the whole share from time zero on; return when every job has an outcome or was dropped."""
        share = Share(self._plan, self._part, self._parts)
        self._stopwatch = Stopwatch()
        stages = [gevent.spawn(self._open.run, share, zero)] if len(share) else []
        stages += [gevent.spawn(self._run_crowd, crowd, environment, zero) for crowd, environment in self._crowds]
        try:
            gevent.joinall(stages, raise_error=True)
        finally:
            gevent.killall(stages)

    def finished(self) -> Finished:
        """The account of what was offered; an offer that never got an outcome counts as unknown."""
        # Of an open load, what counts is how busy it was while it sent, not while it waited for the last answers.
        effort = self._open.effort or self._stopwatch.read()
        late = lateness(self._offers.lateness)
        blocked, why = bottleneck(late, effort, waited=self._open.waited)
        counts = self._offers.counts
        counts["unknown"] = counts["offered"] - counts["acked"] - counts["rejected"]
        requests = self._environment.stats.total.num_requests
        return Finished(
            **counts,
            lateness=late,
            cpu=effort.cpu,
            peak=self._open.peak,
            requests=requests,
            bottleneck=blocked,
            why=why,
        )

    def _users(self, crowd: Crowd) -> Environment:
        classes = (
            closed_model.of_file(crowd.file) if crowd.file else closed_model.thinkers(crowd, self._producer, self._keys)
        )
        return Environment(
            user_classes=classes, host=self._host, events=self._environment.events, stop_timeout=self._timeout
        )

    def _run_crowd(self, crowd: Crowd, environment: Environment, zero: int) -> None:
        users = closed_model.part_of(crowd.users, self._part, self._parts)
        if users:
            closed_model.run(crowd, users, environment, zero)

    def _heard(self, milliseconds: float, wrong: str) -> None:
        self._environment.events.request.fire(  # type: ignore[no-untyped-call]
            request_type="POST",
            name="/jobs",
            response_time=milliseconds,
            response_length=0,
            exception=wrong or None,
            context={},
        )


def address(url: str) -> tuple[str, int]:
    """Host and port of `http://HOST:PORT`."""
    host, _, port = url.removeprefix("http://").rstrip("/").rpartition(":")
    return host, int(port)


def share(text: str) -> tuple[int, int]:
    """`0/2` is the first process of two."""
    part, parts = map(int, text.split("/"))
    if not 0 <= part < parts:
        raise ValueError(text)
    return part, parts


def payload(text: str) -> Payload:
    """The fields of each job from JSON."""
    return msgspec.json.decode(text, type=Payload)


def options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="harness.load.generator", description="Offer one process's share of a load.")
    parser.add_argument("--arrivals", type=Path, required=True, help="the file of intended times")
    parser.add_argument("--share", type=share, default=(0, 1), metavar="K/P", help="offer arrivals K, K+P, K+2P, ...")
    parser.add_argument("--producer", required=True, help="http://HOST:PORT")
    parser.add_argument("--events", required=True, help="the file to append events to")
    parser.add_argument("--payload", type=payload, default=Payload(), help="what each job asks of its handler, as JSON")
    parser.add_argument("--timeout", type=float, default=10.0, help="seconds until an answer is given up")
    parser.add_argument("--batch", type=int, default=100, help="jobs that may share a request when late")
    parser.add_argument("--connections", type=int, default=4000, help="requests under way at once")
    return parser.parse_args(arguments)


def lines(fd: int) -> Iterator[bytes]:
    """Whole lines from a pipe, read without holding up other greenlets."""
    buffered = b""
    while True:
        socket.wait_read(fd)
        data = os.read(fd, 65536)
        if not data:
            return
        *whole, buffered = (buffered + data).split(b"\n")
        yield from whole


def say(value: object) -> None:
    os.write(1, msgspec.json.encode(value) + b"\n")


def converse(generator: Generator) -> None:
    """Offer when told to go, until all is done or stdin ends."""
    orders = lines(0)
    zero = next((msgspec.json.decode(line)["go"] for line in orders), None)
    if zero is None:
        return
    offering = gevent.spawn(generator.offer, zero)
    listening = gevent.spawn(lambda: list(orders))
    try:
        gevent.wait([offering, listening], count=1)
    finally:
        offering.kill()
        listening.kill()
    if offering.exception:
        raise offering.exception


def main(arguments: list[str]) -> int:
    generator = Generator(options(arguments))
    generator.warm()
    say({"ready": True})
    conversation = gevent.spawn(converse, generator)
    gevent.signal_handler(signal.SIGTERM, conversation.kill, block=False)
    conversation.join()
    say({"finished": generator.finished()})
    return 0 if conversation.successful() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
