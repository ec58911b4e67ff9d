"""Load of `broker_peers.py`, the same for every protocol: messages are counted by a mark in their bodies.

A body is a timestamp (STAMP: monotonic nanoseconds, 8 bytes), MARK, and zeros. A sink reads whole buffers and counts
the marks in them, for any protocol. Subclasses send the answers that a protocol requires of a subscriber.
"""

from __future__ import annotations

import select
import selectors
import socket
import struct
import time
from collections.abc import Sequence

__all__ = ["BODY", "Sink", "after_mark", "connect", "drain", "pace"]

MARK = bytes(range(0x80, 0xA0))  # does not occur in keys or protocol headers
STAMP = struct.Struct("<Q")
BODY = bytes(STAMP.size) + MARK + bytes(250 - STAMP.size - len(MARK))
_CARRY = STAMP.size + len(MARK) - 1  # maximum bytes of a body that were read, but not counted yet
_BUFFER = bytearray(1 << 20)
_VIEW = memoryview(_BUFFER)


def after_mark() -> int:
    """Number of bytes from the beginning of a body's mark to the body's end."""
    return len(BODY) - STAMP.size


def connect(port: int) -> socket.socket:
    """Connect to `port` on loopback; reads time out after ten seconds."""
    sock = socket.create_connection(("127.0.0.1", port), timeout=10)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
    return sock


class Sink:
    """A subscriber after its handshake: counts received messages, or measures their latency."""

    def __init__(self, sock: socket.socket) -> None:
        sock.settimeout(None)
        self.sock = sock
        self.count = 0
        self.linger = 0.0
        """Seconds for which `drain` lets messages accumulate, for brokers that write them one by one."""
        self._carry = bytes(_CARRY)

    def read(self, latencies: list[int] | None = None) -> None:
        """Read once, without a timeout, count the messages and call `took`. Adds the age of each message in nanoseconds
        to `latencies`, if given. Raises ConnectionError if the peer has closed the connection.
        """
        _VIEW[:_CARRY] = self._carry
        size = self.sock.recv_into(_VIEW[_CARRY:])
        now = time.monotonic_ns()
        if not size:
            raise ConnectionError("the peer closed a subscriber's connection")
        end = _CARRY + size
        messages = _BUFFER.count(MARK, STAMP.size, end)
        self.count += messages
        self._carry = bytes(_VIEW[end - _CARRY : end])
        if latencies is not None:
            place = STAMP.size
            for _ in range(messages):
                place = _BUFFER.index(MARK, place, end) + 1
                latencies.append(now - STAMP.unpack_from(_BUFFER, place - 1 - STAMP.size)[0])
        self.took(_VIEW[_CARRY:end], messages)

    def took(self, chunk: memoryview, messages: int) -> None:
        """Send the protocol's answer, here none, to `chunk`, in which `messages` more messages were counted."""


def drain(sinks: Sequence[Sink], source: socket.socket, messages: int, timeout: float = 60.0) -> None:
    """Read until each sink has received `messages` more; answers to the publisher are discarded. Raises TimeoutError if
    no data arrives for `timeout` seconds, and ConnectionError if a sink receives too many.
    """
    with selectors.DefaultSelector() as selector:
        selector.register(source, selectors.EVENT_READ)
        goal = {sink: sink.count + messages for sink in sinks}
        for sink in sinks:
            selector.register(sink.sock, selectors.EVENT_READ, sink)
        linger = max(sink.linger for sink in sinks)
        waiting = len(sinks)
        while waiting:
            ready = selector.select(timeout)
            if linger:
                time.sleep(linger)
            if not ready:
                missing = [goal[sink] - sink.count for sink in sinks]
                raise TimeoutError(
                    f"no data arrived for {timeout} s; missing messages by subscriber: {missing}"
                )
            for key, _ in ready:
                if key.data is None:
                    source.recv_into(_VIEW)
                    continue
                key.data.read()
                if key.data.count >= goal[key.data]:
                    waiting -= 1
                    selector.unregister(key.data.sock)
        if any(sink.count != goal[sink] for sink in sinks):
            raise ConnectionError("a subscriber received too many messages")


def pace(
    sinks: Sequence[Sink], source: socket.socket, message: bytes, rate: float, messages: int
) -> list[int]:
    """Send `message` `messages` times at `rate` per second. Returns the latencies of all deliveries in nanoseconds.
    Polls without sleeping. Raises TimeoutError if the messages need more than a minute longer than `rate` allows.
    """
    stamp = message.index(MARK) - STAMP.size
    head, tail = message[:stamp], message[stamp + STAMP.size :]
    by_number = {sink.sock.fileno(): sink for sink in sinks}
    latencies: list[int] = []
    poll = select.epoll()
    for number in (*by_number, source.fileno()):
        poll.register(number, select.EPOLLIN)
    start = time.monotonic()
    sent = 0
    while len(latencies) < messages * len(sinks):
        passed = time.monotonic() - start
        if sent < messages and passed * rate >= sent:
            source.sendall(head + STAMP.pack(time.monotonic_ns()) + tail)
            sent += 1
        for number, _ in poll.poll(0):
            if number in by_number:
                by_number[number].read(latencies)
            else:
                source.recv_into(_VIEW)
        if passed > messages / rate + 60:
            raise TimeoutError(f"only {len(latencies)} of {messages * len(sinks)} messages arrived in time")
    poll.close()
    return latencies
