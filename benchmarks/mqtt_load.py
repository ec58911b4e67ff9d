"""Load for Mosquitto in MQTT 3.1.1: quality of service 0, or 1 with persistent sessions and acknowledgements."""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from marked_load import BODY, Sink, connect
from processes import free_port, listening
from zmtp_load import exactly

__all__ = ["mosquitto"]


def _packet(first: int, content: bytes) -> bytes:
    """A control packet: its first byte, the length of the rest in groups of seven bits, and the rest."""
    length, size = len(content), bytearray()
    while length > 127:
        size.append(length & 127 | 128)
        length >>= 7
    size.append(length)
    return bytes((first, *size)) + content


def _text(text: str) -> bytes:
    return struct.pack(">H", len(text)) + text.encode()


class _Acknowledging(Sink):
    """Answers each PUBLISH with PUBACK. All PUBLISH packets have one size, so their packet identifiers are at fixed
    places.
    """

    def __init__(self, sock: socket.socket, size: int) -> None:
        super().__init__(sock)
        self._size = size
        self._place = size - len(BODY) - 2
        self._partial = b""

    def took(self, chunk: memoryview, messages: int) -> None:
        data = self._partial + chunk
        count = len(data) // self._size
        self._partial = data[count * self._size :]
        if not count:
            return
        data = data[: count * self._size]
        answer = bytearray(b"\x40\x02\x00\x00" * count)
        answer[2::4] = data[self._place :: self._size]
        answer[3::4] = data[self._place + 1 :: self._size]
        self.sock.sendall(answer)


class _Mosquitto:
    def __init__(self, port: int, pid: int, quality: int) -> None:
        self.pid = pid
        self._port = port
        self._quality = quality
        self._clients = 0

    def subscriber(self, topic: str) -> Sink:
        sock = self._connect()
        sock.sendall(_packet(0x82, b"\x00\x01" + _text(f"{topic}/#") + bytes((self._quality,))))
        if exactly(sock, 5) != bytes((0x90, 3, 0, 1, self._quality)):
            raise ConnectionError("Mosquitto refuses the subscription")
        sink = Sink(sock)
        if self._quality:
            sink = _Acknowledging(sock, len(self.publication(f"{topic}/sensor00")))
        sink.linger = 0.001
        return sink

    def publisher(self) -> socket.socket:
        sock = self._connect()
        sock.settimeout(None)
        return sock

    def publication(self, key: str) -> bytes:
        if self._quality:
            return _packet(0x32, _text(key) + b"\x00\x01" + BODY)
        return _packet(0x30, _text(key) + BODY)

    def _connect(self) -> socket.socket:
        self._clients += 1
        sock = connect(self._port)
        clean = 0 if self._quality else 2
        sock.sendall(_packet(0x10, _text("MQTT") + bytes((4, clean, 0, 0)) + _text(f"bench{self._clients}")))
        if exactly(sock, 4) != b"\x20\x02\x00\x00":
            raise ConnectionError("Mosquitto refuses the connection")
        return sock


@contextmanager
def mosquitto(_subscribers: int, quality: int = 0) -> Iterator[_Mosquitto]:
    with TemporaryDirectory(prefix="zeps-bench-") as folder:
        port = free_port()
        config = Path(folder) / "mosquitto.conf"
        config.write_text(
            f"listener {port} 127.0.0.1\nallow_anonymous true\nset_tcp_nodelay true\nlog_type error\n"
            f"persistence true\npersistence_location {folder}/\n"
            "max_queued_messages 0\nmax_inflight_messages 0\n"  # without limits, so that no message is dropped
            + ("user root\n" if os.geteuid() == 0 else "")
        )
        with listening(["mosquitto", "-c", str(config)], port) as pid:
            yield _Mosquitto(port, pid, quality)
