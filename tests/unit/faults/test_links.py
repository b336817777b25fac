"""Whether somebody uses a link, as the kernel tells it."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from harness.fault import Missed
from harness.faults import _toxic
from harness.faults.slow_link import SlowLink
from harness.links import Link

Pairs = frozenset[tuple[str, str]]
NONE: Pairs = frozenset()
OLD: Pairs = frozenset({("0100007F:1", "0100007F:9")})
NEW: Pairs = frozenset({("0100007F:2", "0100007F:9")})


def used(*closed: Pairs, connections: Sequence[int] = (0,)) -> bool:
    """Whether a link counts as used on which this is seen, look by look; the last look repeats."""
    seen, there = list(closed), list(connections)
    link: Any = SimpleNamespace(
        closed=lambda: seen.pop(0) if len(seen) > 1 else seen[0],
        connections=lambda: there.pop(0) if len(there) > 1 else there[0],
    )
    system: Any = SimpleNamespace(links_to=lambda _: [link])
    try:
        return asyncio.run(_toxic.used(system, "downstream")) == [link]
    except Missed:
        return False


def test_a_connection_that_was_made_and_closed_between_two_looks_is_use(monkeypatch: pytest.MonkeyPatch) -> None:
    assert used(OLD, OLD, OLD | NEW)
    assert used(NONE, connections=(0, 0, 1))
    monkeypatch.setattr(_toxic, "PATIENCE", 0.05)
    assert not used(OLD), "closed long ago"
    assert not used(OLD, NONE)


@pytest.mark.parametrize(("latency", "told"), [(0.0, 1), (0.0009, 1), (0.001, 0), (0.2, 0)])
def test_a_slow_link_that_adds_nothing_is_refused(latency: float, told: int) -> None:
    target: Any = SimpleNamespace(name="small", needs=("redis",))
    problems = list(SlowLink(link="redis", latency=latency).problems(target))
    assert problems == ["a link that is slow adds at least 1ms"] * told
    assert not list(SlowLink(link="redis", latency=latency, jitter=0.1).problems(target))


def test_the_kernel_remembers_a_connection_that_was_closed() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        link = Link(None, "worker-1:downstream", f"127.0.0.1:{server.getsockname()[1]}")  # type: ignore[arg-type]
        with socket.create_connection(server.getsockname()) as client:
            accepted, _ = server.accept()
            assert (link.connections(), link.closed()) == (1, NONE)
            client.close()
        assert accepted.recv(1) == b""
        accepted.close()
        assert (link.connections(), len(link.closed())) == (0, 1)
