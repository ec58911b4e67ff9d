"""A ROUTER on plain sockets for brokers to be judged; subclasses handle connections, handshakes and messages."""

from __future__ import annotations

import contextlib
import selectors
import socket
import threading
import time
from typing import Self

from zeps_conformance.wire.endpoint import parse_endpoint
from zeps_conformance.wire.zmtp_engine import Engine, Ready, ReceivedMessage, ZmtpError

__all__ = ["Remote", "RouterServer"]


class Remote:
    """One accepted connection. `outbox` are the bytes to send; `closed` is set when it has ended, on either side."""

    def __init__(self, link: socket.socket) -> None:
        self.link = link
        self.engine = Engine(b"ROUTER", identity=None)
        self.outbox = bytearray()
        self.closed = False
        self.properties: dict[str, bytes] = {}  # properties of its READY, names in lower case

    def send(self, *parts: bytes) -> None:
        """Queues a message of one or more parts; the server's thread sends it as soon as the socket accepts it."""
        self.outbox += self.engine.wire.message(*parts)


class RouterServer:
    """Listens on creation; one thread serves from :meth:`start` to :meth:`stop`, or as a context manager, and calls the
    handlers. `endpoint` is its address, with the port that the system chose for port 0.
    """

    def __init__(self, endpoint: str = "tcp://127.0.0.1:0") -> None:
        self._server = parse_endpoint(endpoint).listen()
        self._server.setblocking(False)
        self.endpoint = endpoint
        if self._server.family != socket.AF_UNIX:
            self.endpoint = "tcp://{}:{}".format(*self._server.getsockname())
        self._selector = selectors.DefaultSelector()
        self._waker, self._wake_reader = socket.socketpair()
        self._stopping = False
        self._thread = threading.Thread(target=self._serve, name=type(self).__name__, daemon=True)

    def opened(self, remote: Remote) -> None:
        """Handles a new connection, before any input: sends the greeting."""
        remote.outbox += remote.engine.opening()

    def ready(self, remote: Remote) -> None:
        """Handles a completed handshake."""

    def advanced(self, remote: Remote, byte_count: int) -> None:
        """Called when `byte_count` bytes have arrived, of any kind, before they are decoded."""

    def received(self, remote: Remote, parts: tuple[bytes, ...]) -> None:
        """Handles a message."""

    def gone(self, remote: Remote) -> None:
        """Handles the end of a connection."""

    def turn(self, now: float) -> None:
        """Runs timers: called after every wait, of at most 50 ms, with the monotonic time in seconds."""

    def pause(self) -> float:
        """Seconds that the next turn may wait for input; at most 0.05."""
        return 0.05

    def start(self) -> Self:
        self._thread.start()
        return self

    def stop(self) -> None:
        """Closes everything and waits for the thread."""
        self._stopping = True
        with contextlib.suppress(OSError):
            self._waker.send(b"x")
        self._thread.join()
        self._waker.close()

    @property
    def serving(self) -> bool:
        """Whether the thread runs: it ends on :meth:`stop`, or by an error of a handler."""
        return self._thread.is_alive()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def hang_up(self, remote: Remote) -> None:
        """Closes a connection, after one attempt to send its outbox, and calls :meth:`gone`."""
        if remote.closed:
            return
        remote.closed = True
        with contextlib.suppress(OSError):
            remote.link.send(remote.outbox)
        with contextlib.suppress(KeyError, ValueError):
            self._selector.unregister(remote.link)
        remote.link.close()
        self.gone(remote)

    def flush(self, remote: Remote) -> None:
        """Sends what the socket accepts, the rest when it is writable. An error closes it as :meth:`hang_up`."""
        if remote.closed:
            return
        try:
            if remote.outbox:
                sent = remote.link.send(memoryview(remote.outbox)[: 1 << 20])
                del remote.outbox[:sent]
        except BlockingIOError:
            pass
        except OSError:
            self.hang_up(remote)
            return
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if remote.outbox else 0)
        if self._selector.get_key(remote.link).events != events:
            self._selector.modify(remote.link, events, remote)

    def remotes(self) -> list[Remote]:
        """Every open connection."""
        return [key.data for key in list(self._selector.get_map().values()) if isinstance(key.data, Remote)]

    def _serve(self) -> None:
        self._selector.register(self._server, selectors.EVENT_READ)
        self._selector.register(self._wake_reader, selectors.EVENT_READ)
        try:
            while not self._stopping:
                for key, events in self._selector.select(self.pause()):
                    if key.fileobj is self._server:
                        self._accept()
                    elif isinstance(key.data, Remote):
                        self._serve_remote(key.data, events)
                self.turn(time.monotonic())
                for remote in self.remotes():
                    if remote.outbox:
                        self.flush(remote)
        finally:
            for remote in self.remotes():
                self.hang_up(remote)
            self._selector.close()
            self._server.close()
            self._wake_reader.close()

    def _accept(self) -> None:
        try:
            link, _ = self._server.accept()
        except OSError:
            return
        link.setblocking(False)
        if link.family != socket.AF_UNIX:
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        remote = Remote(link)
        self._selector.register(link, selectors.EVENT_READ, remote)
        self.opened(remote)
        self.flush(remote)

    def _serve_remote(self, remote: Remote, events: int) -> None:
        if events & selectors.EVENT_READ and not remote.closed:
            try:
                data = remote.link.recv(1 << 18)
                if not data:
                    self.hang_up(remote)
                    return
                self.advanced(remote, len(data))
                arrived = remote.engine.feed(data)
            except BlockingIOError:
                return
            except (OSError, ZmtpError):
                self.hang_up(remote)
                return
            remote.outbox += remote.engine.answers
            remote.engine.answers.clear()
            for event in arrived:
                if remote.closed:
                    return
                if isinstance(event, Ready):
                    remote.properties = event.properties
                    self.ready(remote)
                elif isinstance(event, ReceivedMessage):
                    self.received(remote, event.parts)
        self.flush(remote)
