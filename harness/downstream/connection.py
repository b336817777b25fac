"""One connection of a worker: requests in, answers out."""

import asyncio
import select
import socket
import struct

from harness.downstream import answer
from harness.downstream.call import Read, read_call
from harness.downstream.provider import Provider
from harness.downstream.question import read_question
from harness.downstream.request import MAX_BODY, MAX_HEAD, BadRequest, Request, Requests

GOODBYE = 1.0
_NO_LINGER = struct.pack("ii", 1, 0)


class Connection(asyncio.Protocol):
    """Gives the provider one call at a time, in order; a caller in the sense of `caller.Caller`."""

    def __init__(self, worker: str, provider: Provider, read: Read = read_call) -> None:
        self.worker = worker
        self._read = read
        self._provider = provider
        self._requests = Requests()
        self._waiting = False
        self._advancing = False
        self._keeps_alive = True
        self._deaf = False
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        if self._deaf:
            return
        self._requests.feed(data)
        if not self._waiting:
            self._advance()
        elif len(self._requests) > MAX_HEAD + MAX_BODY:
            self._transport.abort()

    def pause_writing(self) -> None:
        self._transport.pause_reading()

    def resume_writing(self) -> None:
        self._transport.resume_reading()

    def answer(self, answer: bytes) -> None:
        """Answer the call, and take the next one that has arrived."""
        self._transport.write(answer)
        self._waiting = False
        if not self._keeps_alive:
            self._say_goodbye()
        elif not self._advancing:
            self._advance()

    def drop(self) -> None:
        """Close the connection without a byte of an answer."""
        self._transport.close()

    def reset(self) -> None:
        """Close the connection with an RST, as a crashed server would."""
        self._transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
        self._transport.abort()

    def gone(self) -> bool:
        """Whether the other side has closed. The kernel is asked: it may know before the event loop does."""
        if self._transport.is_closing():
            return True
        poll = select.poll()
        poll.register(self._transport.get_extra_info("socket"), select.POLLRDHUP)
        return bool(poll.poll(0))

    def _advance(self) -> None:
        self._advancing = True
        try:
            while not self._waiting and not self._deaf and (request := self._requests.take()) is not None:
                self._call(request)
        except BadRequest as error:
            self._keeps_alive = False
            self.answer(answer.bad(error.status, error.says))
        finally:
            self._advancing = False

    def _call(self, request: Request) -> None:
        question = read_question(request)
        call = None if question else self._read(request)
        self._waiting = True
        self._keeps_alive = request.keeps_alive
        if question:
            self._provider.question(self, question)
        elif call:
            self._provider.call(self, call)

    def _say_goodbye(self) -> None:
        # Closing with bytes unread sends an RST, which can destroy the answer on its way: end our side, await theirs.
        self._deaf = True
        if self._transport.can_write_eof() and not self._transport.is_closing():
            self._transport.write_eof()
            asyncio.get_running_loop().call_later(GOODBYE, self._transport.abort)
