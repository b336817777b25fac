"""One control connection: the harness commands, the provider obeys."""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any

from msgspec import DecodeError, Struct
from msgspec.json import Decoder, Encoder

from harness.downstream.provider import Provider
from harness.downstream.record import Effect
from harness.downstream.watch import Watch
from harness.downstream.wire import (
    MAX_LINE,
    AnyCommand,
    Behave,
    BehaveWell,
    ChangeRecords,
    Count,
    Held,
    Release,
    SetWatch,
    Unwatch,
)


class Refused(Exception):
    """A command that cannot be obeyed, and why."""


class _Numbered(Struct):
    id: int | None = None


_command: Decoder[AnyCommand] = Decoder(AnyCommand)
_numbered = Decoder(_Numbered)


class Control(asyncio.Protocol):
    """Obeys commands in order. Watches belong to the connection that set them and end with it."""

    def __init__(self, provider: Provider, workers: Sequence[str]) -> None:
        self._provider = provider
        self._workers = workers
        self._watches: dict[int, Watch] = {}
        self._buffer = bytearray()
        self._encode = Encoder().encode
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        *lines, rest = self._buffer.split(b"\n")
        self._buffer = rest
        for line in lines:
            self._obey(line)
        if len(rest) > MAX_LINE:
            self._say(id=None, error=f"a command must not be longer than {MAX_LINE} bytes")
            self._transport.close()

    def connection_lost(self, error: Exception | None) -> None:
        for watch in self._watches.values():
            self._provider.watches.end(watch)
        self._watches.clear()

    def _obey(self, line: bytearray) -> None:
        try:
            command = _command.decode(line)
        except (DecodeError, UnicodeDecodeError) as error:
            self._say(id=_number(line), error=f"not a command: {error}")
            return
        try:
            self._say(id=command.id, ok=self._do(command))
        except Refused as error:
            self._say(id=command.id, error=str(error))

    def _do(self, command: AnyCommand) -> object:
        match command:
            case Behave():
                self._provider.behave(command.behaviour)
            case BehaveWell():
                self._provider.behave(None)
            case Count():
                return self._provider.counts()
            case ChangeRecords():
                self._provider.change(command.keys)
            case SetWatch():
                self._watch(command)
            case Unwatch():
                self._provider.watches.end(self._take(command.watch))
            case Release():
                return {"caller_gone": self._release(command.watch)}
        return {}

    def _watch(self, command: SetWatch) -> None:
        if command.worker is not None and command.worker not in self._workers:
            raise Refused(f"no worker is called {command.worker}; there are {', '.join(self._workers)}")
        if command.id in self._watches:
            raise Refused(f"watch {command.id} has been set already")
        watch = Watch(command.nth, command.worker, partial(self._tell, command.id))
        self._watches[command.id] = watch
        self._provider.watches.add(watch)

    def _release(self, number: int) -> bool:
        if number in self._watches and self._watches[number].caller is None:
            raise Refused(f"watch {number} holds nothing yet")
        return self._provider.watches.end(self._take(number))

    def _take(self, number: int) -> Watch:
        watch = self._watches.pop(number, None)
        if watch is None:
            raise Refused(f"there is no watch {number}: it was never set, or has ended")
        return watch

    def _tell(self, number: int, effect: Effect) -> None:
        self._say(held=Held(effect.key, effect.worker, effect.t, number))

    def _say(self, **message: Any) -> None:
        self._transport.write(self._encode(message) + b"\n")


def _number(line: bytearray) -> int | None:
    try:
        return _numbered.decode(line).id
    except (DecodeError, UnicodeDecodeError):
        return None
