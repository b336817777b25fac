"""The closed model: Locust users, ours or those of a user's own file, who wait for each answer before they go on."""

import sys
from collections.abc import Iterator

import gevent
from locust import User, constant, task
from locust.env import Environment
from locust.exception import StopUser
from locust.runners import STATE_CLEANUP, Runner
from locust.util.load_locustfile import load_locustfile

from harness import clock
from harness.load.arrivals import Crowd
from harness.load.offers import Job
from harness.load.producer import Producer

GRACE = 5.0
"""Seconds beyond the time of an answer that users have to stop in."""


def part_of(users: int, part: int, parts: int) -> int:
    """How many of the users process `part` of `parts` runs."""
    return users // parts + (part < users % parts)


def thinkers(crowd: Crowd, producer: Producer, keys: Iterator[str]) -> list[type[User]]:
    """Users who think, offer one job, wait for the answer, and think again."""

    class Thinker(User):
        wait_time = constant(crowd.think)

        def on_start(self) -> None:
            gevent.sleep(crowd.think)

        @task
        def offer_one(self) -> None:
            # One who wakes in the moment in which waiting users are killed would die with his offer under way.
            if self.environment.runner.state == STATE_CLEANUP:
                raise StopUser
            producer.offer([Job(next(keys))])

    return [Thinker]


def of_file(path: str) -> list[type[User]]:
    """The users that a Locust file describes."""
    users, _ = load_locustfile(path)
    if not users:
        raise ValueError(f"{path}: no Locust user class is in it")
    return list(users.values())


def run(crowd: Crowd, count: int, environment: Environment, zero: int) -> None:
    """Have `count` users at it from the crowd's start to its end; what they are about at the end they may finish."""
    start = zero + round(crowd.start * clock.SECOND)
    gevent.sleep(max(start - clock.now(), 0) / clock.SECOND)
    runner = environment.create_local_runner()
    try:
        runner.start(count, spawn_rate=count)
        gevent.sleep(max(start + crowd.seconds * clock.SECOND - clock.now(), 0) / clock.SECOND)
    finally:
        _send_home(runner, environment)


def _send_home(runner: Runner, environment: Environment) -> None:
    """Stop the users; one whose own code swallows that goes on, but nobody waits for him."""
    patience = (environment.stop_timeout or 0.0) + GRACE
    try:
        with gevent.Timeout(patience, TimeoutError(f"a user did not stop within {patience:g} s")):
            runner.quit()
    except TimeoutError as error:
        print(f"{error}: does its code catch GreenletExit?", file=sys.stderr, flush=True)
