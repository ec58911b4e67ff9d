"""Null adapters without an implementation of ZeroMQ: they accept every request, and do nothing useful on the wire.
Usage: ``python adapter.py KIND``. They use the standard library only, and share no code with the suite.
"""

from __future__ import annotations

import contextlib
import json
import socket
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any

GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x01NULL" + bytes(16 + 32)
ERROR = b"\x04\x0b\x05ERROR\x04none"


def ready(kind: str) -> bytes:
    """Returns READY of a socket of type `kind`, in its frame. Publishers announce X-Filters without any kind."""
    body = b"\x05READY\x0bSocket-Type" + len(kind).to_bytes(4, "big") + kind.encode()
    if kind in ("PUB", "XPUB"):
        body += b"\x09X-Filters" + bytes(4)
    return bytes((4, len(body))) + body


def shake(link: socket.socket, kind: str) -> None:
    """Sends greeting and READY after the peer's first byte, and reads nothing more."""
    link.recv(1)
    link.sendall(GREETING + ready(kind))


def read_on(link: socket.socket) -> None:
    """Reads and discards all input until the end."""
    while link.recv(1 << 16):
        pass


def close(link: socket.socket, kind: str) -> None:
    """Closes the connection at once."""


def silence(link: socket.socket, kind: str) -> None:
    """Reads everything and sends nothing."""
    read_on(link)


def echo(link: socket.socket, kind: str) -> None:
    """Sends back what it receives."""
    while data := link.recv(1 << 16):
        link.sendall(data)


def accept_everything(link: socket.socket, kind: str) -> None:
    """Sends its half of the handshake, reads everything, and ignores it."""
    shake(link, kind)
    read_on(link)


def close_after_handshake(link: socket.socket, kind: str) -> None:
    """Sends its half of the handshake and closes the connection."""
    shake(link, kind)


def refuse(link: socket.socket, kind: str) -> None:
    """Sends a greeting and ERROR after the peer's first byte, and closes the connection."""
    link.recv(1)
    link.sendall(GREETING + ERROR)


KINDS: Mapping[str, Callable[[socket.socket, str], None]] = {
    "close": close,
    "silence": silence,
    "echo": echo,
    "accept-everything": accept_everything,
    "close-after-handshake": close_after_handshake,
    "refuse": refuse,
}


class Null:
    """Sockets and proxies of a null adapter; `behave` handles each connection in a thread, then it is closed."""

    def __init__(self, behave: Callable[[socket.socket, str], None]) -> None:
        self._behave = behave
        self._types: dict[str, str] = {}
        self._servers: list[socket.socket] = []

    def stop(self) -> None:
        """Stops listening. Open connections are not closed: they end when their peers close them."""
        for server in self._servers:
            with contextlib.suppress(OSError):
                server.shutdown(socket.SHUT_RDWR)
            server.close()

    def answer(self, request: Mapping[str, Any]) -> Mapping[str, object]:
        """Carries out a request, and returns the answer's members except ``ok``. Every request succeeds."""
        match request["op"]:
            case "hello":
                return {"name": "nothing", "version": "0", "types": ["PUB", "XPUB", "SUB", "XSUB", "PROXY"]}
            case "open":
                self._types[request["socket"]] = request["type"]
            case "bind":
                return {"endpoint": self._listen(self._types[request["socket"]])}
            case "connect":
                self._connect(request["endpoint"], self._types[request["socket"]])
            case "recv":
                return {"parts": None}
            case "proxy":
                if "connect" in request:
                    self._connect(request["connect"], "XSUB")
                front = None if "connect" in request else self._listen("XSUB")
                return {"proxy": "p", "frontend": front, "backend": self._listen("XPUB")}
        return {}

    def _listen(self, kind: str) -> str:
        server = socket.create_server(("127.0.0.1", 0))
        self._servers.append(server)
        threading.Thread(target=self._accept, args=(server, kind), daemon=True).start()
        return "tcp://{}:{}".format(*server.getsockname())

    def _accept(self, server: socket.socket, kind: str) -> None:
        with contextlib.suppress(OSError):
            while True:
                link, _ = server.accept()
                threading.Thread(target=self._serve, args=(link, kind), daemon=True).start()

    def _connect(self, endpoint: str, kind: str) -> None:
        host, _, port = endpoint.removeprefix("tcp://").rpartition(":")
        with contextlib.suppress(OSError):
            link = socket.create_connection((host, int(port)))
            threading.Thread(target=self._serve, args=(link, kind), daemon=True).start()

    def _serve(self, link: socket.socket, kind: str) -> None:
        with contextlib.suppress(OSError), link:
            self._behave(link, kind)


def main() -> None:
    null = Null(KINDS[sys.argv[1]])
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps({"ok": True, **null.answer(request)}), flush=True)
        if request["op"] == "exit":
            return


if __name__ == "__main__":
    main()
