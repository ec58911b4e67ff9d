"""A relay between clients and a broker that holds, changes or cuts the traffic."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable

__all__ = ["Relay"]

PUBLISH = b"\xaa\xa5\x06"
INVALID = b"\xaa\xa5\x0c"
CHUNK_BYTES = 1 << 16
SLOW_BUFFER_BYTES = 8 << 10


class Relay:
    """Listens at `endpoint`, and connects each client to the broker. With `gate`, PUBLISHes and all frames after them
    wait for `open_gate`. `edit` maps the broker's output to what clients get. `bytes_per_second` limits each direction
    of a connection. After their first INVALID, the first `cuts` connections are closed, or the first `mutes` get no
    more of the broker's output.
    """

    def __init__(
        self,
        broker: str,
        *,
        gate: bool = False,
        cuts: int = 0,
        mutes: int = 0,
        bytes_per_second: int | None = None,
    ) -> None:
        host, _, port = broker.removeprefix("tcp://").rpartition(":")
        self._broker = (host, int(port))
        self._gate = threading.Event()
        if not gate:
            self._gate.set()
        self._cuts, self._mutes = cuts, mutes
        self.edit: Callable[[bytes], bytes] = lambda data: data
        self.connections = 0
        self.answered = b""  # output of the broker, over all connections
        self._rate = bytes_per_second
        self._sockets: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        if bytes_per_second is not None:
            self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SLOW_BUFFER_BYTES)
        self.endpoint = f"tcp://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def open_gate(self) -> None:
        self._gate.set()

    def close(self) -> None:
        self._gate.set()
        self._listener.close()
        for connection in self._sockets:
            _end(connection)

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            broker = self._connect()
            self._sockets += [client, broker]
            threading.Thread(target=self._upstream, args=(client, broker), daemon=True).start()
            threading.Thread(target=self._downstream, args=(broker, client), daemon=True).start()

    def _connect(self) -> socket.socket:
        broker = socket.socket()
        if self._rate is not None:  # otherwise the kernel would take long messages at once
            broker.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SLOW_BUFFER_BYTES)
        broker.connect(self._broker)
        return broker

    def _read(self, source: socket.socket) -> bytes:
        if self._rate is None:
            return _read(source, CHUNK_BYTES)
        data = _read(source, max(self._rate // 20, 1))
        time.sleep(len(data) / self._rate)
        return data

    def _upstream(self, client: socket.socket, broker: socket.socket) -> None:
        while data := self._read(client):
            before, _, _ = data.partition(PUBLISH)
            _write(broker, before)
            if len(before) < len(data):
                self._gate.wait()
                _write(broker, data[len(before) :])
        _end(broker)

    def _downstream(self, broker: socket.socket, client: socket.socket) -> None:
        is_mute = False
        while data := self._read(broker):
            if is_mute:
                continue
            self.answered += data
            _write(client, self.edit(data))
            if INVALID in data and self._cuts:
                self._cuts -= 1
                _end(broker)
            elif INVALID in data and self._mutes:
                self._mutes -= 1
                is_mute = True
        _end(client)


def _read(source: socket.socket, count: int) -> bytes:
    try:
        return source.recv(count)
    except OSError:
        return b""


def _write(target: socket.socket, data: bytes) -> None:
    try:
        target.sendall(data)
    except OSError:
        _end(target)


def _end(connection: socket.socket) -> None:
    """Closes it, and wakes the thread that reads from it."""
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()
