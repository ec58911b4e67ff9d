"""Plain TCP connections for attackers: many at once, in one thread, with prepared byte strings.

Answers are not checked: an attacker counts its output, the broker's refusals, and connections that the broker closed.
"""

from __future__ import annotations

import contextlib
import random
import re
import select
import socket
import struct
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from zeps_wire import zeps

GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32)
"""The greeting of ZMTP 3.0 with the mechanism NULL."""

_MIB = 1 << 20
_READ_BYTES = 256 << 10
_POLL_SECONDS = 0.1
_PAUSE_SECONDS = 0.02
_preloaded: set[str] = set()
"""Streams that :meth:`Attempt.preload` has filled."""
_INVALID = re.compile(re.escape(zeps.INVALID_HEAD) + rb".([a-z][a-z-]*) ", re.DOTALL)


def frame(body: bytes, flags: int = 0) -> bytes:
    """A ZMTP frame: `flags` may be MORE (1) or COMMAND (4)."""
    return head(len(body), flags) + body


def head(size: int, flags: int = 0) -> bytes:
    """Returns the bytes before the body of a frame of `size` bytes."""
    return bytes((flags, size)) if size < 256 else struct.pack(">BQ", flags | 2, size)


def frames(*messages: zeps.Message) -> bytes:
    """Encodes ZEPS commands, each as a message of one frame."""
    return b"".join(frame(message.encode()) for message in messages)


def commands(stream: str) -> tuple[zeps.Message, ...]:
    """One of each kind of message."""
    return (
        *(
            zeps.Attach(stream),
            zeps.AttachOk(),
            zeps.Subscribe("key", 7),
            zeps.SubscribeOk(),
            zeps.Credit(1000),
        ),
        *(zeps.Publish("fuzz", b"body"), zeps.Deliver(1, "key", b"body"), zeps.Ping(), zeps.PingOk()),
        *(zeps.Detach(), zeps.DetachOk(), zeps.Invalid("reason")),
    )


def opening(*messages: zeps.Message, socket_type: bytes = b"DEALER") -> bytes:
    """Greeting, READY and then `messages`, without waiting for an answer."""
    name = b"\x0bSocket-Type" + struct.pack(">I", len(socket_type)) + socket_type
    return GREETING + frame(b"\x05READY" + name, flags=4) + frames(*messages)


@dataclass
class Tally:
    """Actions of an attacker, and the broker's reactions."""

    connections: int = 0
    sent_bytes: int = 0
    received_bytes: int = 0
    closed: int = 0
    """Connections that the broker closed or reset."""
    failed: int = 0
    """Connections that could not be established."""
    refusals: Counter[str] = field(default_factory=Counter)
    """INVALIDs by code. An INVALID split between two reads is not counted."""

    def add(self, other: Tally) -> None:
        self.connections += other.connections
        self.sent_bytes += other.sent_bytes
        self.received_bytes += other.received_bytes
        self.closed += other.closed
        self.failed += other.failed
        self.refusals += other.refusals


class Link:
    """One connection. Its remaining output is `payload`, from `offset` on, and then `rounds` - 1 times again."""

    def __init__(self, link: socket.socket, tally: Tally) -> None:
        self.socket = link
        self.tally = tally
        self.closed = False
        self.received_bytes = 0
        self.ping_oks = 0
        self.payload = memoryview(b"")
        self.offset = 0
        self.rounds = 0

    def begin(self, payload: bytes | memoryview, rounds: int) -> None:
        """Sends `payload` this many times from now on. A payload already begun must have been sent completely."""
        self.payload, self.offset, self.rounds = memoryview(payload), 0, rounds if payload else 0

    def write(self, count_max: int = _MIB) -> None:
        """Sends as much as the socket takes, at most `count_max` bytes."""
        try:
            count = self.socket.send(self.payload[self.offset : self.offset + count_max])
        except BlockingIOError:
            return
        except OSError:
            self.read_rest()
            return
        self.tally.sent_bytes += count
        self.offset += count
        if self.offset == len(self.payload):
            self.offset = 0
            self.rounds -= 1

    def read(self, buffer: bytearray) -> None:
        """Reads once; counts refusals and PING-OKs in the input."""
        try:
            count = self.socket.recv_into(buffer)
        except BlockingIOError:
            return
        except OSError:
            count = 0
        if not count:
            self.lose()
            return
        self.received_bytes += count
        self.tally.received_bytes += count
        self.ping_oks += buffer.count(zeps.PING_OK_HEAD, 0, count)
        if buffer.find(zeps.INVALID_HEAD, 0, count) >= 0:
            codes = _INVALID.findall(buffer, 0, count)
            self.tally.refusals.update(code.decode() for code in codes)

    def read_rest(self) -> None:
        """Reads what arrived before the broker closed the connection, such as its refusal; then ends the connection."""
        buffer = bytearray(_READ_BYTES)
        received = -1
        while not self.closed and self.received_bytes != received:
            received = self.received_bytes
            self.read(buffer)
        self.lose()

    def lose(self) -> None:
        """Handles the end of a connection that the broker has closed."""
        if not self.closed:
            self.tally.closed += 1
            self.close()

    def close(self, reset: bool = False) -> None:
        """Closes normally, or with RST."""
        if reset and not self.closed:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.closed = True
        self.socket.close()


class Attempt:
    """One run of an attack: its endpoint, the time (of ``time.monotonic``) and the number of bytes at which it ends,
    and its connections. It is over when :attr:`running` is false; every method returns soon then.
    """

    def __init__(self, endpoint: str, until: float, rng: random.Random, sent_bytes_max: int) -> None:
        self.endpoint = endpoint
        self.until = until
        self.rng = rng
        self.tally = Tally()
        self._sent_bytes_max = sent_bytes_max
        self._links: list[Link] = []
        self._buffer = bytearray(_READ_BYTES)

    @property
    def running(self) -> bool:
        return time.monotonic() < self.until and self.tally.sent_bytes < self._sent_bytes_max

    def connect(
        self, first: bytes = b"", count: int = 1, receive_buffer_bytes: int | None = None
    ) -> list[Link]:
        """Up to `count` connections that have sent `first`; fewer if the broker refuses or closes some."""
        host, port = self.endpoint.removeprefix("tcp://").rsplit(":", 1)
        links: list[Link] = []
        for _ in range(count):
            plain = socket.socket()
            if receive_buffer_bytes is not None:
                plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer_bytes)
            plain.settimeout(max(self.until - time.monotonic(), 0.01))
            try:
                plain.connect((host, int(port)))
            except OSError:
                self.tally.failed += 1
                plain.close()
                time.sleep(_PAUSE_SECONDS)
                continue
            plain.setblocking(False)
            self.tally.connections += 1
            links.append(Link(plain, self.tally))
        self._links = [link for link in self._links if not link.closed] + links
        self.send(links, first)
        return [link for link in links if not link.closed]

    def send(self, links: Sequence[Link], payload: bytes | memoryview, rounds: int = 1) -> None:
        """Sends `payload` on all of `links` at once, each `rounds` times, and reads meanwhile."""
        for link in links:
            link.begin(payload, rounds)
        self._pump(links, lambda: not any(link.rounds and not link.closed for link in links))

    def flood(self, links: Sequence[Link], payload: bytes) -> None:
        """Sends `payload` on all of `links` repeatedly, until the attempt is over or they are closed."""
        self.send(links, payload, 1 << 62)
        self.pause()

    def watch(self, links: Sequence[Link], deaf: bool = False) -> None:
        """Waits until the broker has closed all of `links`, or the attempt is over. With `deaf` it does not read."""
        self._pump(links, lambda: all(link.closed for link in links), deaf=deaf)

    def read_until(self, links: Sequence[Link], done: Callable[[Link], bool]) -> None:
        """Reads until each of `links` is `done` or closed, or the attempt is over."""
        self._pump(links, lambda: all(link.closed or done(link) for link in links))

    def read_for(self, links: Sequence[Link], seconds: float) -> None:
        """Reads for this many seconds."""
        end = time.monotonic() + seconds
        self._pump(links, lambda: time.monotonic() >= end)

    def preload(self, stream: str, messages: Iterable[zeps.Publish], rounds: int = 1) -> bool:
        """Publishes `messages` this many times, once per process; returns whether the broker has confirmed them."""
        if stream in _preloaded:
            return True
        links = self.connect(opening(zeps.Attach(stream)))
        self.send(links, frames(*messages), rounds)
        self.send(links, frames(zeps.Ping()))
        refusals = self.tally.refusals.total()
        self.read_until(links, lambda link: link.ping_oks > 0 or self.tally.refusals.total() > refusals)
        if any(link.ping_oks for link in links):
            _preloaded.add(stream)
        self.drop(links)
        return stream in _preloaded

    def drop(self, links: Sequence[Link]) -> None:
        """Closes `links`, every second one with RST."""
        for number, link in enumerate(links):
            link.close(reset=bool(number % 2))

    def pause(self) -> None:
        """Waits a moment, so that an attacker whose connections are closed does not spend its time on new ones."""
        if self.running:
            time.sleep(_PAUSE_SECONDS)

    def close(self) -> None:
        for link in self._links:
            with contextlib.suppress(OSError):
                link.close()

    def _pump(self, links: Sequence[Link], done: Callable[[], bool], deaf: bool = False) -> None:
        """Sends and reads on `links` until `done`, all are closed, or the attempt is over."""
        # Half-closed connections are read until the end of the stream; deaf ones are not read at all.
        hung_up = select.POLLHUP | select.POLLERR | (select.POLLRDHUP if deaf else 0)
        poll = select.poll()
        by_descriptor: dict[int, Link] = {}
        interests: dict[int, int] = {}

        def update(descriptor: int, link: Link) -> None:
            interest = (0 if deaf else select.POLLIN) | (select.POLLOUT if link.rounds else 0) | hung_up
            if link.closed:
                poll.unregister(descriptor)
                del by_descriptor[descriptor]
            elif interests.get(descriptor) != interest:
                poll.register(descriptor, interest)
                interests[descriptor] = interest

        for link in links:
            if not link.closed:
                by_descriptor[link.socket.fileno()] = link
        for descriptor, link in list(by_descriptor.items()):
            update(descriptor, link)
        while by_descriptor and self.running and not done():
            for descriptor, events in poll.poll(_POLL_SECONDS * 1000):
                link = by_descriptor[descriptor]
                if events & select.POLLOUT:
                    link.write()
                if not link.closed and events & select.POLLIN:
                    link.read(self._buffer)
                elif not link.closed and events & hung_up:
                    link.lose()
                update(descriptor, link)


def summary(tally: Tally) -> dict[str, Any]:
    """Returns the tally for JSON."""
    return {**vars(tally), "refusals": dict(tally.refusals)}
