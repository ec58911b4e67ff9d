"""Connections of publish-subscribe: whole messages, kept as the octets that they came in.

A message goes on as it came, frame by frame and octet by octet, so what is found is its octets and its first frame,
which is all that a device looks at.
"""

from __future__ import annotations

import socket
from collections.abc import Sequence
from typing import Any, NamedTuple

from zeps_broker.io.zmtp.connection import COMMAND, MORE, BrokenError, Connection, Limits
from zeps_broker.io.zmtp.frames import cut_whole, join
from zeps_wire.errors import DecodeError
from zeps_wire.zmtp import Cancel, Cancellation, Message, Subscribe, Subscription, decode
from zeps_wire.zmtp_subscriber import ClientMachine

__all__ = ["PublishingConnection", "SubscribingConnection", "Wish"]

Whole = tuple[bytes, bytes]
"""The body of a message's first frame, and all of the message's octets on the wire."""


class Wish(NamedTuple):
    """A subscriber subscribes (`more`) or cancels."""

    more: bool
    topic: bytes


class _MessageConnection(Connection):
    """Finds :data:`Whole` messages."""

    __slots__ = ("_first", "_parts", "_parts_octets")

    def __init__(self, link: socket.socket, name: str, limits: Limits) -> None:
        self._first = b""
        self._parts: list[bytes] = []  # of a message that is not whole yet, as they came
        self._parts_octets = 0
        super().__init__(link, name, limits)

    def _fast(self, data: bytes, at: int, found: list[Any]) -> int:
        return at if self._parts else cut_whole(data, at, found, self.limits.command)

    def _arrived(self, data: bytes, at: int, start: int, stop: int, flags: int, found: list[Any]) -> None:
        if not self._parts:
            self._first = data[start:stop]
            self._parts_octets = 0
        self._parts.append(data[at:stop])
        self._parts_octets += stop - at
        if self._parts_octets > self.limits.frame:
            raise BrokenError(f"a message of more than {self.limits.frame} octets")
        if not flags & MORE:
            found.append((self._first, b"".join(self._parts)))
            self._parts.clear()


class PublishingConnection(_MessageConnection):
    """A subscriber's connection to our XPUB. Finds :class:`Wish`; other messages are discarded (ZMTP-P-7)."""

    TYPE = b"XPUB"
    PEERS = frozenset({b"SUB", b"XSUB"})

    __slots__ = ()

    def feed(self, data: bytes) -> list[Any]:
        return [wish for item in super().feed(data) if (wish := _wish_in(item)) is not None]

    def _check_size(self, flags: int, size: int) -> None:
        """A topic may be as long in a command as in a message of version 3.0."""
        if not (flags & COMMAND and self.open and size <= self.limits.frame):
            super()._check_size(flags, size)

    def _receive(self, message: Message, found: list[Any]) -> None:
        super()._receive(message, found)
        if isinstance(message, Subscribe | Cancel):
            found.append(Wish(isinstance(message, Subscribe), message.topic))


class SubscribingConnection(_MessageConnection):
    """Our XSUB's connection to a publisher."""

    TYPE = b"XSUB"
    PEERS = frozenset({b"PUB", b"XPUB"})

    __slots__ = ()

    _machine: ClientMachine

    def _new_machine(self) -> ClientMachine:
        return ClientMachine(self)

    def ask(self, steps: Sequence[tuple[bool, bytes]]) -> int:
        """Subscribe (True) and cancel (False), in the publisher's dialect; how many of the steps were taken.

        OSError if the connection is lost.
        """
        machine = self._machine
        for number, (more, topic) in enumerate(steps):
            if self.outbox_octets >= self.limits.queue:
                self.refused = True
                return number
            (machine.subscribe if more else machine.unsubscribe)(topic)
        return len(steps)

    def _framed(self, message: Message) -> bytes:
        if isinstance(message, Subscription | Cancellation):
            return bytes(join([message.encode()]))
        return super()._framed(message)


def _wish_in(item: Wish | Whole) -> Wish | None:
    """What a subscriber's message asks for in the form of version 3.0; None if it asks for nothing.

    A message of several frames is none that asks, however short they are (ZMTP-S-16 leaves it open).
    """
    if isinstance(item, Wish):
        return item
    first, octets = item
    if first[:1] not in (b"\0", b"\1") or octets[0] & MORE:
        return None
    try:
        message = decode(first)
    except DecodeError:
        return None
    if isinstance(message, Subscription | Cancellation):
        return Wish(isinstance(message, Subscription), message.topic)
    return None
