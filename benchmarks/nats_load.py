"""Load for JetStream of nats-server in its text protocol: file storage, one push consumer per subscriber, no acks."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from marked_load import BODY, Sink, connect
from processes import free_port, listening
from zmtp_load import exactly

__all__ = ["jetstream"]


class _JetStream:
    def __init__(self, port: int, pid: int) -> None:
        self.pid = pid
        self._port = port
        self._consumers = 0
        self._control = self._connect()
        self._control.sendall(b"SUB _INBOX.bench 1\r\n")
        self._request("STREAM.CREATE.bench", {
            "name": "bench", "subjects": ["bench.>"], "storage": "file", "retention": "limits", "num_replicas": 1,
            "no_ack": True,
        })  # fmt: skip

    def subscriber(self, topic: str) -> Sink:
        self._consumers += 1
        subject = f"deliver.{self._consumers}"
        sock = self._connect()
        sock.sendall(f"SUB {subject} 1\r\nPING\r\n".encode())
        _line(sock, b"PONG")
        self._request("CONSUMER.CREATE.bench", {"stream_name": "bench", "config": {
            "deliver_subject": subject, "filter_subject": f"bench.{topic}.>", "ack_policy": "none",
            "deliver_policy": "new", "replay_policy": "instant",
        }})  # fmt: skip
        return Sink(sock)

    def publisher(self) -> socket.socket:
        return self._connect()

    def publication(self, key: str) -> bytes:
        return f"PUB bench.{key.replace('/', '.')} {len(BODY)}\r\n".encode() + BODY + b"\r\n"

    def _connect(self) -> socket.socket:
        sock = connect(self._port)
        _line(sock, b"INFO ")
        sock.sendall(b'CONNECT {"verbose":false,"pedantic":false,"echo":true}\r\nPING\r\n')
        _line(sock, b"PONG")
        return sock

    def _request(self, call: str, argument: object) -> None:
        """Call JetStream's API. Raises RuntimeError if it refuses."""
        body = json.dumps(argument).encode()
        self._control.sendall(b"PUB $JS.API.%b _INBOX.bench %d\r\n%b\r\n" % (call.encode(), len(body), body))
        head = _line(self._control, b"MSG _INBOX.bench ")
        reply = exactly(self._control, int(head.split()[-1]) + 2)
        if "error" in json.loads(reply):
            raise RuntimeError(f"JetStream refuses {call}: {reply.decode()}")


def _line(sock: socket.socket, start: bytes) -> bytes:
    """Read only the next line; answers PING. Raises ConnectionError if the line does not begin with `start`."""
    line = b""
    while not line.endswith(b"\r\n"):
        more = sock.recv(1)
        if not more:
            raise ConnectionError(f"nats-server closed the connection after {line!r}")
        line += more
    if line == b"PING\r\n":  # sent once, some seconds after a client has connected
        sock.sendall(b"PONG\r\n")
        return _line(sock, start)
    if not line.startswith(start):
        raise ConnectionError(f"expected {start!r} of nats-server, got {line!r}")
    return line


@contextmanager
def jetstream(_subscribers: int) -> Iterator[_JetStream]:
    with TemporaryDirectory(prefix="zeps-bench-") as folder:
        port = free_port()
        config = Path(folder) / "nats.conf"
        config.write_text(
            f'host: 127.0.0.1\nport: {port}\njetstream {{ store_dir: "{folder}/data", max_file_store: 8GB }}\n'
            'max_pending: 1GB\nwrite_deadline: "60s"\nping_interval: "1h"\n'  # a sink does not answer PING
        )
        with listening(["nats-server", "--config", str(config)], port) as pid:
            yield _JetStream(port, pid)
