"""Load for Redis Streams in RESP: pipelined XADD, and a blocking XREAD per subscriber. Each topic is its own stream."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory

from marked_load import BODY, MARK, Sink, after_mark, connect
from processes import free_port, listening

__all__ = ["redis_streams"]

_COUNT = 1000  # entries in one reply
_FEW = 10  # subscribers
_HEAD = re.compile(
    rb"\*1\r\n\*2\r\n\$\d+\r\n[^\r]*\r\n\*(\d+)\r\n"
)  # one stream, its name, number of entries
_PAIR = b"\r\n*2\r\n$"  # begins an entry (its id and its fields), and within it the field and its value


def _command(*words: bytes) -> bytes:
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%b\r\n" % (len(word), word) for word in words)


class _Reader(Sink):
    """Requests the entries after the last one of a reply when the reply is complete."""

    def __init__(self, sock: socket.socket, topic: str, linger: float) -> None:
        super().__init__(sock)
        self.linger = linger
        self._topic = topic.encode()
        self._reply = bytearray()
        self._entries = 0
        self._ask(b"$")

    def _ask(self, last: bytes) -> None:
        self.sock.sendall(
            _command(b"XREAD", b"COUNT", b"%d" % _COUNT, b"BLOCK", b"0", b"STREAMS", self._topic, last)
        )

    def took(self, chunk: memoryview, messages: int) -> None:
        self._reply += chunk
        self._entries += messages
        mark = self._reply.rfind(MARK)
        if mark < 0 or len(self._reply) < mark + after_mark() + 2:
            return
        head = _HEAD.match(self._reply)
        if head is None:
            raise ConnectionError(f"unexpected answer of Redis: {bytes(self._reply[:80])!r}")
        if self._entries < int(head[1]):
            return
        fields = self._reply.rindex(_PAIR, 0, mark)
        entry = self._reply.rindex(_PAIR, 0, fields) + len(_PAIR)
        last = bytes(self._reply[entry:fields]).split(b"\r\n")[1]
        self._reply.clear()
        self._entries = 0
        self._ask(last)


class _Redis:
    def __init__(self, port: int, pid: int, subscribers: int) -> None:
        self.pid = pid
        self._port = port
        # The best value for Redis: replies get longer, and the load, which requests each of them, is less
        # busy.
        self._linger = 0.001 if subscribers <= _FEW else 0.003

    def subscriber(self, topic: str) -> Sink:
        return _Reader(connect(self._port), topic, self._linger)

    def publisher(self) -> socket.socket:
        sock = connect(self._port)
        sock.sendall(_command(b"PING"))
        if sock.recv(64) != b"+PONG\r\n":
            raise ConnectionError("Redis does not answer PING")
        sock.settimeout(None)
        return sock

    def publication(self, key: str) -> bytes:
        return _command(b"XADD", key.partition("/")[0].encode(), b"*", key.encode(), BODY)


@contextmanager
def redis_streams(subscribers: int, sync: str = "everysec") -> Iterator[_Redis]:
    with TemporaryDirectory(prefix="zeps-bench-") as folder:
        port = free_port()
        command = [
            "redis-server", "--bind", "127.0.0.1", "--port", str(port), "--dir", folder, "--daemonize", "no",
            "--save", "", "--appendonly", "yes", "--appendfsync", sync, "--auto-aof-rewrite-percentage", "0",
            "--logfile", f"{folder}/log",
        ]  # fmt: skip
        with listening(command, port) as pid:
            yield _Redis(port, pid, subscribers)
