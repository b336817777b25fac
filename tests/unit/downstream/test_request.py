"""Requests are cut out of a stream however it is split, and bad ones are refused."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.downstream.call import Call, read_call
from harness.downstream.request import MAX_BODY, MAX_HEAD, BadRequest, Request, Requests

ONE = b'POST /effects HTTP/1.1\r\nHost: x\r\nContent-Length: 13\r\nIdempotency-Key: k1\r\n\r\n{"key":"j-1"}'
TWO = b'POST /effects HTTP/1.1\r\ncontent-length:13\r\n\r\n{"key":"j-2"}'


def take_all(requests: Requests) -> list[Request]:
    return list(iter(requests.take, None))


def refused(data: bytes) -> tuple[int, str]:
    requests = Requests()
    requests.feed(data)
    with pytest.raises(BadRequest) as caught:
        read_call(taken) if (taken := requests.take()) else None
    return caught.value.status, caught.value.says


@given(st.lists(st.integers(min_value=0, max_value=len(ONE + TWO + ONE)), max_size=12))
def test_any_split_of_pipelined_requests_gives_the_same_calls(cuts: list[int]) -> None:
    stream = ONE + TWO + ONE
    edges = [0, *sorted(cuts), len(stream)]
    requests, calls = Requests(), []
    for begin, end in pairwise(edges):
        requests.feed(stream[begin:end])
        calls += [read_call(request) for request in take_all(requests)]
    assert calls == [Call("j-1", b"k1"), Call("j-2"), Call("j-1", b"k1")]
    assert len(requests) == 0


def test_a_request_is_not_taken_before_its_last_byte() -> None:
    requests = Requests()
    for at in range(len(ONE) - 1):
        requests.feed(ONE[at : at + 1])
        assert requests.take() is None
    requests.feed(ONE[-1:])
    assert requests.take() is not None


def test_a_head_that_never_ends_is_refused() -> None:
    requests = Requests()
    requests.feed(b"POST /effects HTTP/1.1\r\nX: " + b"a" * (MAX_HEAD - 30))
    assert requests.take() is None
    requests.feed(b"a" * 30)
    with pytest.raises(BadRequest) as caught:
        requests.take()
    assert caught.value.status == 431


@pytest.mark.parametrize(
    ("data", "status", "says"),
    [
        (b"hello\r\n\r\n", 400, "POST /effects HTTP/1.1"),
        (b"\x16\x03\x01\x02\r\n\r\n", 400, "request line"),
        (b"POST /effects HTTP/1.1\r\nnonsense\r\n\r\n", 400, "nonsense"),
        (b"POST /effects HTTP/1.1\r\n\r\n", 411, "Content-Length"),
        (b"POST /effects HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 411, "chunked"),
        (b"POST /effects HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400, "whole number"),
        (b"POST /effects HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % (MAX_BODY + 1), 413, str(MAX_BODY)),
        (b"POST /effects HTTP/1.1\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n", 413, str(MAX_BODY)),
        (b"POST /pay HTTP/1.1\r\nContent-Length: 0\r\n\r\n", 404, "/pay"),
        (b"GET /effects HTTP/1.1\r\n\r\n", 405, "GET"),
        (b"POST /effects HTTP/1.1\r\nContent-Length: 0\r\n\r\n", 400, '{"key": "job-000001"}'),
        (b"POST /effects HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}", 400, "key"),
        (b'POST /effects HTTP/1.1\r\nContent-Length: 9\r\n\r\n{"key":1}', 400, "key"),
        (b'POST /effects HTTP/1.1\r\nContent-Length: 10\r\n\r\n{"key":""}', 400, "key"),
        (b'POST /effects HTTP/1.1\r\nContent-Length: 11\r\n\r\n{"key":"\xff"}', 400, "body"),
    ],
)
def test_a_bad_request_is_told_what_was_expected(data: bytes, status: int, says: str) -> None:
    got, message = refused(data)
    assert got == status
    assert says in message


@given(st.binary(max_size=300))
def test_no_bytes_do_worse_than_a_bad_request(data: bytes) -> None:
    requests = Requests()
    requests.feed(data + b"\r\n\r\n")
    try:
        for request in iter(requests.take, None):
            read_call(request)
    except BadRequest as error:
        assert 400 <= error.status < 500


@pytest.mark.parametrize(
    ("version", "header", "keeps"),
    [(b"1.1", b"", True), (b"1.1", b"Connection: Close\r\n", False), (b"1.0", b"", False)],
)
def test_a_connection_is_kept_as_http_says(version: bytes, header: bytes, keeps: bool) -> None:
    requests = Requests()
    requests.feed(b"GET / HTTP/" + version + b"\r\n" + header + b"\r\n")
    request = requests.take()
    assert request is not None
    assert request.keeps_alive is keeps
