"""Answers: what a reply does not say for certain is unknown."""

import pytest

from harness.load.answers import outcomes
from harness.load.offers import Job, Outcome

A, B = Job("a"), Job("b")


def test_results_are_taken_by_key_whatever_their_order() -> None:
    body = b'{"results": [{"key": "b", "outcome": "rejected", "why": "full"}, {"key": "a", "outcome": "acked"}]}'
    assert outcomes([A, B], 200, body) == [Outcome("a", "acked"), Outcome("b", "rejected", "full")]


def test_a_job_without_a_result_is_unknown() -> None:
    body = b'{"results": [{"key": "a", "outcome": "acked"}, {"key": "stranger", "outcome": "acked"}]}'
    assert outcomes([A, B], 200, body) == [
        Outcome("a", "acked"),
        Outcome("b", "unknown", "HTTP 200, but no result for this key"),
    ]


def test_results_count_whatever_the_status() -> None:
    assert outcomes([A], 503, b'{"results": [{"key": "a", "outcome": "rejected"}]}') == [Outcome("a", "rejected")]


@pytest.mark.parametrize(
    "body", [b"", b"oops", b"{}", b'{"results": [{"key": "a", "outcome": "perhaps"}]}', b"\xff", b'{"results": null}']
)
@pytest.mark.parametrize("status", [200, 500])
def test_a_reply_that_cannot_be_read_makes_every_job_unknown(status: int, body: bytes) -> None:
    found = outcomes([A, B], status, body)
    assert [(each.key, each.outcome) for each in found] == [("a", "unknown"), ("b", "unknown")]
    assert all(each.why.startswith(f"HTTP {status} without results: ") for each in found)
