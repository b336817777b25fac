"""Calls of programs that do not know the target protocol."""

import pytest

from harness.downstream.answer import as_given
from harness.downstream.call import Call, read_call
from harness.downstream.foreign import reading
from harness.downstream.request import BadRequest, Request


def post(path: bytes, body: bytes, **headers: bytes) -> Request:
    named = {name.replace("_", "-").encode(): value for name, value in headers.items()}
    return Request(b"POST", path, b"HTTP/1.1", named, body)


@pytest.mark.parametrize(
    ("key", "request_", "call"),
    [
        ("body.order_id", post(b"/pay", b'{"order_id": "o-1", "cents": 5}'), Call("o-1")),
        ("body.order.id", post(b"/pay?x=1", b'{"order": {"id": 17}}', idempotency_key=b"k"), Call("17", b"k")),
        ("header.Idempotency-Key", post(b"/pay", b"not json", idempotency_key=b"o-1"), Call("o-1", b"o-1")),
    ],
)
def test_the_key_is_found_where_the_program_puts_it(key: str, request_: Request, call: Call) -> None:
    assert reading("/pay", key)(request_) == call


@pytest.mark.parametrize(
    ("key", "request_", "says"),
    [
        ("body.id", post(b"/effects", b'{"id": "a"}'), "POST /pay"),
        ("body.id", post(b"/pay", b"id=a"), "JSON with the job's key as id"),
        ("body.id", post(b"/pay", b'["a"]'), "as id in the body"),
        ("body.id", post(b"/pay", b'{"id": true}'), "as id in the body"),
        ("body.id", post(b"/pay", b'{"id": ""}'), "as id in the body"),
        ("header.X-Order", post(b"/pay", b"{}"), "the header X-Order"),
    ],
)
def test_a_call_without_a_key_is_told_what_was_expected(key: str, request_: Request, says: str) -> None:
    with pytest.raises(BadRequest) as caught:
        reading("/pay", key)(request_)
    assert says in caught.value.says


def test_the_protocols_own_call_is_read_the_fast_way() -> None:
    assert reading("/effects", "body.key") is read_call


def test_an_answer_is_given_as_the_program_expects_it() -> None:
    head, _, body = as_given('{"paid": "ä"}').partition(b"\r\n\r\n")
    assert body.decode() == '{"paid": "ä"}'
    assert f"Content-Length: {len(body)}".encode() in head
