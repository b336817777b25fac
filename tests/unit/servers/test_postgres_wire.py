"""One question to PostgreSQL: what it answers is read, whatever comes before, and its refusals are told apart."""

import asyncio

import pytest

from harness.servers._postgres_wire import QueryRefused, Row, rows

READY = b"Z\x00\x00\x00\x05I"
WELCOME = b"R\x00\x00\x00\x08\x00\x00\x00\x00" + b"S\x00\x00\x00\x08a\x00b\x00" + READY


def message(kind: bytes, body: bytes) -> bytes:
    return kind + (len(body) + 4).to_bytes(4, "big") + body


def data_row(*columns: bytes | None) -> bytes:
    cells = [b"\xff" * 4 if cell is None else len(cell).to_bytes(4, "big") + cell for cell in columns]
    return message(b"D", len(columns).to_bytes(2, "big") + b"".join(cells))


def refusal(code: bytes, says: bytes) -> bytes:
    return message(b"E", b"SERROR\0C" + code + b"\0M" + says + b"\0\0")


def asked(*answers: bytes) -> tuple[list[Row], list[bytes]]:
    """What a server that gives these answers, one to each message, is understood to say; and what it was told."""
    heard: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for turn, answer in enumerate(answers):
            if turn:
                await reader.readexactly(1)
            heard.append(await reader.readexactly(int.from_bytes(await reader.readexactly(4), "big") - 4))
            writer.write(answer)
        writer.close()

    async def ask() -> list[Row]:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        async with server:
            return await rows(*server.sockets[0].getsockname(), "SELECT 1")

    return asyncio.run(ask()), heard


def test_rows_are_text_and_null_is_none() -> None:
    answer = message(b"T", b"\0\0") + data_row("ä".encode(), None) + data_row(b"", b"2.5") + message(b"C", b"x\0")
    found, heard = asked(WELCOME, answer + READY)
    assert found == [("ä", None), ("", "2.5")]
    assert heard[1] == b"SELECT 1\0"
    assert b"default_transaction_read_only\0on\0" in heard[0]


def test_a_bad_query_is_refused_with_the_servers_words() -> None:
    with pytest.raises(QueryRefused, match=r'postgres: relation "charges" does not exist'):
        asked(WELCOME, refusal(b"42P01", b'relation "charges" does not exist') + READY)


def test_a_server_that_starts_up_is_not_there_yet() -> None:
    with pytest.raises(ConnectionError, match="starting up"):
        asked(refusal(b"57P03", b"the database system is starting up"))


def test_a_server_that_hangs_up_is_gone() -> None:
    with pytest.raises(ConnectionError, match="closed"):
        asked(WELCOME, READY[:3])
