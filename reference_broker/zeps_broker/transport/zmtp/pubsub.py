"""Connections of publish-subscribe sockets: whole messages, kept and forwarded in their encoded form."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from typing import Any, ClassVar

from zeps_broker.topics.subscriptions import Filter, SubscriptionChange
from zeps_broker.transport.zmtp.connection import (
    COMMAND,
    MORE,
    BrokenError,
    Connection,
    Limits,
    property_of,
)
from zeps_broker.transport.zmtp.frames import cut_whole, join
from zeps_wire import zmtp
from zeps_wire.errors import DecodeError
from zeps_wire.zmtp import Message, Ready
from zeps_wire.zmtp_subscriber import ClientMachine

__all__ = ["PART_OVERHEAD_BYTES", "MessageConnection", "PublishingConnection", "SubscribingConnection"]

Whole = tuple[bytes, bytes]
"""The body of a message's first frame, and the encoded bytes of the whole message: all of its frames with headers."""

PART_OVERHEAD_BYTES = 64
"""Bytes that each part of a message counts towards `Limits.frame` in addition to its encoded bytes: a receiver that
splits the message needs an object per part, however short it is."""

_FORMS = 4
"""One-frame messages whose first byte is less than this are subscriptions and cancellations (ZMTP-S-1, ZMTP-E-2)."""
_MESSAGES = zmtp.Subscription | zmtp.Cancellation | zmtp.SubscriptionX | zmtp.CancellationX
"""The forms of version 3.0, which are messages; later versions have commands (ZMTP-S-1)."""
_PROPERTY = b"X-Filters"
_STEPS_BYTES = 64 << 10
"""Bytes of subscriptions and cancellations that are queued for a publisher as one buffer; the last may exceed it."""


class MessageConnection(Connection):
    """A connection that yields :data:`Whole` messages."""

    __slots__ = ("_cost_bytes", "_first", "_partial", "over_limit")

    def __init__(self, link: socket.socket, name: str, limits: Limits) -> None:
        self.over_limit = False
        """True if the connection is broken because the peer exceeded a limit on messages or topics."""
        self._partial = bytearray()  # encoded bytes of an incomplete message
        self._first = slice(0)  # the body of its first frame
        self._cost_bytes = 0  # their number, with the overhead of each part
        super().__init__(link, name, limits)

    def exceed(self, reason: str) -> None:
        """Marks the connection as broken because the peer exceeded a limit; its owner closes it."""
        self.over_limit = True
        self.broken = reason

    @property
    def partial_bytes(self) -> int:
        return super().partial_bytes + self._cost_bytes

    def end(self) -> None:
        super().end()
        self._partial.clear()
        self._cost_bytes = 0

    def _fast(self, data: bytes, at: int, items: list[Any], most: int) -> int:
        return at if self._partial else cut_whole(data, at, items, self.limits.command, most)

    def _check_size(self, flags: int, size: int) -> None:
        if flags & COMMAND or not self.open:
            super()._check_size(flags, size)
        elif self._cost_bytes + size > self.limits.frame:
            self.over_limit = True
            raise BrokenError(
                f"a message of more than {self.limits.frame} bytes, with {PART_OVERHEAD_BYTES} for each earlier part"
            )

    def _arrived(self, data: bytes, at: int, start: int, stop: int, flags: int, items: list[Any]) -> None:
        if not self._partial:
            if not flags & MORE:
                items.append((data[start:stop], data[at:stop]))
                return
            self._first = slice(start - at, stop - at)
        self._partial += data[at:stop]
        self._cost_bytes += stop - at + PART_OVERHEAD_BYTES
        if not flags & MORE:
            whole = bytes(self._partial)
            items.append((whole[self._first], whole))
            self._partial = bytearray()
            self._cost_bytes = 0


class PublishingConnection(MessageConnection):
    """A subscriber's connection to an XPUB. Yields each `SubscriptionChange`, and other messages (:data:`Whole`)."""

    TYPE = b"XPUB"
    PEERS = frozenset({b"SUB", b"XSUB"})
    KINDS: ClassVar[bytes] = b""
    """The kinds of filters that it accepts, one per byte; 255 means any kind (ZMTP-E-3)."""

    __slots__ = ()

    def feed(self, data: bytes = b"") -> list[Any]:
        return [converted for item in super().feed(data) if (converted := _converted(item)) is not None]

    def _check_size(self, flags: int, size: int) -> None:
        """Checks a size: a topic may be as long in a command as in a message of version 3.0. Raises BrokenError."""
        if not (flags & COMMAND and self.open and size <= self.limits.frame):
            super()._check_size(flags, size)

    def _receive(self, message: Message, items: list[Any]) -> None:
        super()._receive(message, items)
        if (change := _change_in(message)) is not None:
            items.append(change)

    def _ready(self) -> Ready:
        return Ready(properties=((b"Socket-Type", self.TYPE), (_PROPERTY, self.KINDS)))


class SubscribingConnection(MessageConnection):
    """An XSUB's connection to a publisher."""

    TYPE = b"XSUB"
    PEERS = frozenset({b"PUB", b"XPUB"})

    __slots__ = ("_steps", "kinds")

    _machine: ClientMachine

    def __init__(self, link: socket.socket, name: str, limits: Limits) -> None:
        self.kinds = b""
        """The kinds of filters that the publisher supports, one per byte; 255 means any kind (ZMTP-E-3)."""
        self._steps: bytearray | None = None  # changes being encoded, to be queued together
        super().__init__(link, name, limits)

    def _new_machine(self) -> ClientMachine:
        return ClientMachine(self)

    def check_peer(self, message: Ready) -> None:
        super().check_peer(message)
        self.kinds = property_of(message, _PROPERTY.lower()) or b""

    def ask(self, steps: Sequence[SubscriptionChange]) -> int:
        """Sends subscriptions (True) and cancellations (False) in the publisher's dialect; returns how many were taken,
        from the first: fewer, with `refused` set, if the queue is full. Raises OSError if the connection is lost.
        """
        taken = 0
        while taken < len(steps):
            before = taken
            self._steps = bytearray()
            try:
                taken = self._ask_some(steps, taken)
            finally:
                encoded, self._steps = bytes(self._steps), None
            if taken == before:
                self.refused = True
                break
            self.write(encoded)
        return taken

    def _ask_some(self, steps: Sequence[SubscriptionChange], start: int) -> int:
        """Encodes changes from `start` on into one buffer of limited size; returns where it stopped."""
        assert self._steps is not None
        machine = self._machine
        most = min(_STEPS_BYTES, self.limits.queue - self.unsent_bytes)
        for number in range(start, len(steps)):
            if len(self._steps) >= most:
                return number
            more, topic = steps[number]
            if isinstance(topic, Filter):
                (machine.subscribe_filter if more else machine.unsubscribe_filter)(topic.kind, topic.content)
            else:
                (machine.subscribe if more else machine.unsubscribe)(topic)
        return len(steps)

    def send(self, message: Message) -> None:
        if self._steps is None:
            super().send(message)
        else:
            self._steps += self._framed(message)

    def _framed(self, message: Message) -> bytes:
        if isinstance(message, _MESSAGES):
            return bytes(join([message.encode()]))
        return super()._framed(message)


def _converted(item: SubscriptionChange | Whole) -> SubscriptionChange | Whole | None:
    """Returns a subscriber's message as a change, in the form of version 3.0, or as a message if it is not a change;
    None for a malformed change, and for a message of several frames that begins as a subscription does (ZMTP-S-16),
    which an upstream publisher might take for one.
    """
    if isinstance(item, SubscriptionChange) or not item[0] or item[0][0] >= _FORMS:
        return item
    first, whole = item
    if whole[0] & MORE:
        return None
    try:
        return _change_in(zmtp.decode(first))
    except DecodeError:
        return None


def _change_in(message: Message) -> SubscriptionChange | None:
    match message:
        case zmtp.Subscribe(topic=topic) | zmtp.Subscription(topic=topic):
            return SubscriptionChange(True, topic)
        case zmtp.Cancel(topic=topic) | zmtp.Cancellation(topic=topic):
            return SubscriptionChange(False, topic)
        case zmtp.SubscribeX(kind=kind, filter=content) | zmtp.SubscriptionX(kind=kind, filter=content):
            return SubscriptionChange(True, Filter(kind, content))
        case zmtp.CancelX(kind=kind, filter=content) | zmtp.CancellationX(kind=kind, filter=content):
            return SubscriptionChange(False, Filter(kind, content))
    return None
