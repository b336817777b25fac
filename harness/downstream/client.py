"""The harness's side of the control connection to the downstream."""

import asyncio
from itertools import count
from typing import TypeVar

from msgspec import DecodeError, Raw, Struct
from msgspec.json import Decoder, Encoder
from msgspec.json import decode as decode_json

from harness.downstream.behaviour import Behaviour
from harness.downstream.wire import (
    MANY,
    AnyCommand,
    Behave,
    BehaveWell,
    ChangeRecords,
    Count,
    Counts,
    Held,
    Release,
    SetWatch,
    Unwatch,
)

__all__ = ["Behaviour", "Counts", "Downstream", "DownstreamError", "DownstreamLost", "Held", "Watch"]

T = TypeVar("T")


class DownstreamError(Exception):
    """The downstream did not obey; the message says why."""


class DownstreamLost(DownstreamError):
    """The control connection has ended: nothing more can be asked of the downstream."""


class _Message(Struct, frozen=True):
    id: int | None = None
    ok: Raw = Raw()
    error: str | None = None
    held: Held | None = None


class _Released(Struct, frozen=True):
    caller_gone: bool


class Watch:
    """A watch that has been set; `number` is its own."""

    def __init__(self, downstream: "Downstream", number: int, held: "asyncio.Future[Held]") -> None:
        self.number = number
        self._downstream = downstream
        self._held = held

    async def held(self) -> Held:
        """Wait until the effect is committed and its answer withheld. May be cancelled, and asked again."""
        return await asyncio.shield(self._held)

    async def cancel(self) -> None:
        """End the watch. If it holds a caller already, that connection is closed without an answer."""
        await self._downstream._unwatch(self.number)


class Downstream:
    """A running downstream. Every method raises DownstreamLost once the connection has ended, also while it waits."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self._numbers = count(1)
        self._encode = Encoder().encode
        self._answers: dict[int, asyncio.Future[Raw]] = {}
        self._held: dict[int, asyncio.Future[Held]] = {}
        self._lost: DownstreamLost | None = None
        self._listening = asyncio.create_task(self._listen(reader))

    @classmethod
    async def connect(cls, host: str, port: int) -> "Downstream":
        """Connect to the control port of a downstream."""
        return cls(*await asyncio.open_connection(host, port))

    async def behave(self, behaviour: Behaviour) -> None:
        """Misbehave so from now on; a behaviour that was in force before ends."""
        await self._ask(Behave(next(self._numbers), behaviour))

    async def behave_well(self) -> None:
        """End the behaviour in force, and close the connections that it kept waiting."""
        await self._ask(BehaveWell(next(self._numbers)))

    async def counts(self) -> Counts:
        """What has happened so far."""
        return decode_json(await self._ask(Count(next(self._numbers))), type=Counts)

    async def change(self, keys: list[str]) -> None:
        """The records that these jobs act on change."""
        for first in range(0, len(keys), MANY):
            await self._ask(ChangeRecords(next(self._numbers), keys[first : first + MANY]))

    async def watch(self, nth: int, worker: str | None = None) -> Watch:
        """Withhold the answer to the nth effect from now on, of one worker or of all."""
        number = next(self._numbers)
        held: asyncio.Future[Held] = asyncio.get_running_loop().create_future()
        self._held[number] = held
        try:
            await self._ask(SetWatch(number, nth, worker))
        except asyncio.CancelledError:
            self._send(Unwatch(next(self._numbers), number))
            raise
        return Watch(self, number, held)

    async def release(self, held: Held) -> bool:
        """Close the held connection without a byte of an answer; True if the caller had closed it before."""
        released = decode_json(await self._ask(Release(next(self._numbers), held.watch)), type=_Released)
        return released.caller_gone

    async def close(self) -> None:
        """End the connection, and with it its watches; the behaviour in force stays."""
        self._listening.cancel()
        await asyncio.wait([self._listening])
        self._writer.close()

    async def _unwatch(self, number: int) -> None:
        await self._ask(Unwatch(next(self._numbers), number))
        held = self._held.pop(number, None)
        if held is not None:
            _fail(held, DownstreamError(f"watch {number} was cancelled"))

    async def _ask(self, command: AnyCommand) -> Raw:
        if self._lost is not None:
            raise self._lost
        answer: asyncio.Future[Raw] = asyncio.get_running_loop().create_future()
        self._answers[command.id] = answer
        self._send(command)
        try:
            return await answer
        finally:
            self._answers.pop(command.id, None)

    def _send(self, command: AnyCommand) -> None:
        self._writer.write(self._encode(command) + b"\n")

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        message = Decoder(_Message)
        why = "the control connection was closed"
        try:
            while line := await reader.readline():
                self._take(message.decode(line))
            why = "the downstream closed the control connection"
        except (OSError, ValueError, DecodeError) as error:
            why = f"the control connection to the downstream broke: {error}"
        finally:
            self._lose(DownstreamLost(why))

    def _take(self, message: _Message) -> None:
        if message.held is not None:
            held = self._held.pop(message.held.watch, None)
            if held is not None and not held.done():
                held.set_result(message.held)
            return
        answer = self._answers.get(message.id or 0)
        if answer is None or answer.done():
            return
        if message.error is None:
            answer.set_result(message.ok)
        else:
            answer.set_exception(DownstreamError(message.error))

    def _lose(self, lost: DownstreamLost) -> None:
        self._lost = lost
        for answer in self._answers.values():
            _fail(answer, lost)
        for held in self._held.values():
            _fail(held, lost)


def _fail(future: "asyncio.Future[T]", error: DownstreamError) -> None:
    if not future.done():
        future.set_exception(error)
        future.exception()  # marks it as seen: nobody need be waiting
