"""Load: one thread with a publisher, many subscribers, and a relay in each link between two nodes.

A node answers PING after it has handled earlier input of that connection, and in order with its own output.
:meth:`Net.settle` relies on that instead of sleeping: after two consecutive answers the node has completed all work
that was requested before the first PING, because it reads the second PING in a later iteration of its loop.
"""

from __future__ import annotations

import selectors
import socket
import time
from collections import Counter
from collections.abc import Callable, Iterable

from trees import wire

__all__ = ["End", "LinkTally", "Net", "Publisher", "Relay", "Subscriber", "TreeError"]

PATIENCE = 60.0


class TreeError(AssertionError):
    """The tree violated a requirement."""


class Net:
    """The event loop of the load."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()

    def watch(self, sock: socket.socket, heard: Callable[[], None]) -> None:
        self._selector.register(sock, selectors.EVENT_READ, heard)

    def drop(self, sock: socket.socket) -> None:
        """Stop watching a socket, and close it; further calls have no effect."""
        if sock.fileno() >= 0:
            self._selector.unregister(sock)
            sock.close()

    def step(self, timeout: float = 0.0) -> None:
        """Handle the sockets that have input, once each. Waits at most `timeout` seconds for input."""
        for key, _ in self._selector.select(timeout):
            if key.fileobj.fileno() >= 0:  # type: ignore[union-attr]
                key.data()

    def until(self, condition: Callable[[], bool], what: str) -> None:
        limit = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > limit:
                raise TreeError(f"timeout after {PATIENCE:g} s: {what}")
            self.step(0.05)

    def settle(self, ends: Iterable[End], times: int = 1) -> None:
        """Wait until each node at `ends` answers `times` PINGs in a row. Raises TreeError if one takes a minute."""
        ends = list(ends)
        for _ in range(times):
            for end in ends:
                end.ping()
            self.until(lambda: not any(end.awaited for end in ends), "an answer to PING")

    def close(self) -> None:
        self._selector.close()


class End:
    """One end of a connection: that of the load; a node has the other."""

    def __init__(
        self, net: Net, sock: socket.socket, heard: Callable[[wire.Frame], None], lost: Callable[[], None]
    ) -> None:
        self._net = net
        self._heard = heard
        self._lost = lost
        self._reader = wire.Reader()
        self.sock = sock
        self.ready = False
        """Whether the node's READY has arrived."""
        self.awaited = 0
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.settimeout(PATIENCE)
        net.watch(sock, self._read)

    @property
    def open(self) -> bool:
        return self.sock.fileno() >= 0

    def send(self, data: bytes) -> None:
        """Send `data`; if that fails, the connection is closed and `lost` is called."""
        try:
            self.sock.sendall(data)
        except OSError:
            self.end()

    def ping(self) -> None:
        self.awaited += 1
        self.send(wire.ping())

    def end(self) -> None:
        if self.open:
            self._net.drop(self.sock)
            self._lost()

    def _read(self) -> None:
        try:
            data = self.sock.recv(1 << 18)
        except OSError:
            data = b""
        if not data:
            self.end()
            return
        for frame in self._reader.feed(data):
            if frame.is_pong:
                self.awaited -= 1
                continue
            self.ready = self.ready or frame.is_ready
            self._heard(frame)


class LinkTally:
    """Traffic of one link, over all its connections."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.asked: Counter[bytes] = Counter()
        """Topics, with the number of their subscriptions on the present connection."""
        self.wishes = 0
        self.wish_bytes = 0
        self.messages: list[bytes] = []
        """First frames of the messages since the list was cleared."""
        self.kept: set[bytes] = set()
        """Topics that must be covered by a subscription at every instant."""
        self._seen: set[bytes] = set()

    def up(self, frame: wire.Frame) -> None:
        """Count a frame from below. Raises TreeError if it cancels what was not subscribed, or what `kept` needs."""
        wished = wire.wish(frame)
        if wished is None:
            return
        more, topic = wished
        self.wishes += 1
        self.wish_bytes += len(frame.encoded)
        self.asked[topic] += 1 if more else -1
        if self.asked[topic] < 0:
            raise TreeError(f"{self.name}: {topic!r} is cancelled without a subscription")
        self.asked += Counter()  # removes zeros
        if not more:
            self._check_kept()

    def _check_kept(self) -> None:
        for topic in self.kept:
            if not any(topic[:length] in self.asked for length in range(len(topic) + 1)):
                raise TreeError(
                    f"{self.name}: {topic!r} must stay covered, but its subscription was cancelled"
                )

    def down(self, frame: wire.Frame) -> None:
        """Record a frame from above, if it is a message's first. Raises TreeError if it was received before."""
        if not frame.first:
            return
        if frame.body in self._seen:
            raise TreeError(f"{self.name}: {frame.body!r} was received twice")
        self._seen.add(frame.body)
        self.messages.append(frame.body)


class Relay:
    """Relays a link: the node below connects to it, and it connects to the node above."""

    def __init__(self, net: Net, name: str, above: Callable[[], str | None]) -> None:
        self.tally = LinkTally(name)
        self._net = net
        self._above = above
        self._server = socket.create_server(("127.0.0.1", 0))
        self.endpoint = f"tcp://127.0.0.1:{self._server.getsockname()[1]}"
        self.up: End | None = None
        """The relay's end of the connection to the node above."""
        self.down: End | None = None
        """The relay's end of the connection to the node below."""
        net.watch(self._server, self._accept)

    @property
    def open(self) -> bool:
        return bool(self.up and self.down and self.up.ready and self.down.ready)

    def _accept(self) -> None:
        below, _ = self._server.accept()
        endpoint = self._above()
        try:
            if endpoint is None:
                raise ConnectionRefusedError
            above = _connect(endpoint)
        except OSError:
            below.close()
            return
        self.cut()
        self.tally.asked.clear()
        self.up = End(self._net, above, self._from_above, self.cut)
        self.down = End(self._net, below, self._from_below, self.cut)

    def _from_above(self, frame: wire.Frame) -> None:
        self.tally.down(frame)
        if self.down:
            self.down.send(frame.encoded)

    def _from_below(self, frame: wire.Frame) -> None:
        self.tally.up(frame)
        if self.up:
            self.up.send(frame.encoded)

    def cut(self) -> None:
        """End both connections."""
        ends, self.up, self.down = (self.up, self.down), None, None
        for end in ends:
            if end:
                end.end()

    def close(self) -> None:
        self.cut()
        self._net.drop(self._server)


class Publisher:
    """A PUB that listens for the tree's root, and counts subscriptions as ZMTP-S-11 requires."""

    def __init__(self, net: Net) -> None:
        self.tally = LinkTally("the publisher")
        self._net = net
        self._server = socket.create_server(("127.0.0.1", 0))
        self.endpoint = f"tcp://127.0.0.1:{self._server.getsockname()[1]}"
        self.down: End | None = None
        net.watch(self._server, self._accept)

    @property
    def open(self) -> bool:
        return self.down is not None and self.down.ready

    def publish(self, first: bytes, *others: bytes) -> None:
        """Send the message (first frame, further frames) if a subscription of the connected root matches."""
        if self.down and any(first.startswith(topic) for topic in self.tally.asked):
            self.tally.down(wire.Frame(b"", first, False, True))
            self.down.send(wire.message(first, *others))

    def _accept(self) -> None:
        link, _ = self._server.accept()
        self.tally.asked.clear()
        self.down = End(self._net, link, self.tally.up, self._lost)
        self.down.send(wire.GREETING + wire.ready(b"PUB"))

    def _lost(self) -> None:
        self.down = None

    def close(self) -> None:
        if self.down:
            self.down.end()
        self._net.drop(self._server)


class Subscriber:
    """A SUB. It keeps its subscriptions while it is not connected, and sends them when it connects again."""

    def __init__(self, net: Net, name: str, *, as_messages: bool) -> None:
        self._net = net
        self._as_messages = as_messages
        self.name = name
        self.wants: Counter[bytes] = Counter()
        self.end: End | None = None
        self.messages: list[bytes] = []
        self._seen: set[bytes] = set()

    def selects(self, first: bytes) -> bool:
        return any(first.startswith(topic) for topic in self.wants)

    def connect(self, endpoint: str) -> None:
        self.end = End(self._net, _connect(endpoint), self._hear, self._lost)
        wishes = [
            wire.subscribe(topic, as_message=self._as_messages)
            for topic, count in self.wants.items()
            for _ in range(count)
        ]
        self.end.send(wire.GREETING + wire.ready(b"SUB") + b"".join(wishes))

    def disconnect(self) -> None:
        if self.end:
            self.end.end()

    def subscribe(self, topic: bytes) -> None:
        self.wants[topic] += 1
        if self.end:
            self.end.send(wire.subscribe(topic, as_message=self._as_messages))

    def cancel(self, topic: bytes) -> None:
        self.wants[topic] -= 1
        self.wants += Counter()
        if self.end:
            self.end.send(wire.cancel(topic, as_message=self._as_messages))

    def _hear(self, frame: wire.Frame) -> None:
        if not frame.first or not frame.body:  # the greeting is not a message
            return
        if frame.body in self._seen:
            raise TreeError(f"{self.name}: {frame.body!r} was received twice")
        self._seen.add(frame.body)
        self.messages.append(frame.body)

    def _lost(self) -> None:
        self.end = None


def _connect(endpoint: str) -> socket.socket:
    host, _, port = endpoint.removeprefix("tcp://").rpartition(":")
    return socket.create_connection((host, int(port)), PATIENCE)
