"""A relay between clients and a broker, which holds, changes or cuts what passes."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable

__all__ = ["Relay"]

PUBLISH = b"\xaa\xa5\x06"
INVALID = b"\xaa\xa5\x0c"
CHUNK_BYTES = 1 << 16


class Relay:
    """Listens at `endpoint`, and connects each client to the broker.

    `open_gate` lets PUBLISHes pass, which wait until then with all that follows them. `edit` is given what the broker
    sends. With `cuts` or `mutes`, so many connections are closed, or bring nothing more, after their first INVALID.
    """

    def __init__(self, broker: str, *, gate: bool = False, cuts: int = 0, mutes: int = 0) -> None:
        host, _, port = broker.removeprefix("tcp://").rpartition(":")
        self._broker = (host, int(port))
        self._gate = threading.Event()
        if not gate:
            self._gate.set()
        self._cuts, self._mutes = cuts, mutes
        self.edit: Callable[[bytes], bytes] = lambda data: data
        self.connections = 0
        self.answered = b""  # what the broker has sent, over all connections
        self._sockets: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.endpoint = f"tcp://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def open_gate(self) -> None:
        self._gate.set()

    def close(self) -> None:
        self._gate.set()
        self._listener.close()
        for each in self._sockets:
            _end(each)

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            broker = socket.create_connection(self._broker)
            self._sockets += [client, broker]
            threading.Thread(target=self._upstream, args=(client, broker), daemon=True).start()
            threading.Thread(target=self._downstream, args=(broker, client), daemon=True).start()

    def _upstream(self, client: socket.socket, broker: socket.socket) -> None:
        while data := _read(client):
            before, _, _ = data.partition(PUBLISH)
            _write(broker, before)
            if len(before) < len(data):
                self._gate.wait()
                _write(broker, data[len(before) :])
        _end(broker)

    def _downstream(self, broker: socket.socket, client: socket.socket) -> None:
        is_mute = False
        while data := _read(broker):
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


def _read(source: socket.socket) -> bytes:
    try:
        return source.recv(CHUNK_BYTES)
    except OSError:
        return b""


def _write(target: socket.socket, data: bytes) -> None:
    try:
        target.sendall(data)
    except OSError:
        _end(target)


def _end(connection: socket.socket) -> None:
    """Close it, and wake the thread that reads from it."""
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()
