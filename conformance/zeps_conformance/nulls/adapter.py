"""Adapters that hold no implementation of ZeroMQ: they agree to whatever they are asked, and do nothing right on the
wire.

    python adapter.py KIND

It stands on the standard library alone, and shares nothing with the suite. What a KIND does with a connection, accepted
or made, is a function of :data:`KINDS`.
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
    """READY of a socket of that type, in its frame. Publishers claim to take filters by kind."""
    body = b"\x05READY\x0bSocket-Type" + len(kind).to_bytes(4, "big") + kind.encode()
    if kind in ("PUB", "XPUB"):
        body += b"\x09X-Filters" + bytes(4)
    return bytes((4, len(body))) + body


def shake(link: socket.socket, kind: str) -> None:
    """Our half of a handshake, once there is something of the other."""
    link.recv(1)
    link.sendall(GREETING + ready(kind))


def read_on(link: socket.socket) -> None:
    """Take whatever comes, until there is no more."""
    while link.recv(1 << 16):
        pass


def close(link: socket.socket, kind: str) -> None:
    """Hangs up at once."""


def silence(link: socket.socket, kind: str) -> None:
    """Takes everything and says nothing."""
    read_on(link)


def echo(link: socket.socket, kind: str) -> None:
    """Says what it hears."""
    while octets := link.recv(1 << 16):
        link.sendall(octets)


def accept_everything(link: socket.socket, kind: str) -> None:
    """Completes the handshake, takes everything, and does nothing about it."""
    shake(link, kind)
    read_on(link)


def close_after_handshake(link: socket.socket, kind: str) -> None:
    """Completes the handshake and hangs up."""
    shake(link, kind)


def refuse(link: socket.socket, kind: str) -> None:
    """Greets, says ERROR, and hangs up."""
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
    """Answers requests; every connection has a thread of its own."""

    def __init__(self, behave: Callable[[socket.socket, str], None]) -> None:
        self._behave = behave
        self._types: dict[str, str] = {}

    def answer(self, request: Mapping[str, Any]) -> Mapping[str, object]:
        """What an adapter answers that could do all that it is asked."""
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
        threading.Thread(target=self._accept, args=(server, kind), daemon=True).start()
        return "tcp://{}:{}".format(*server.getsockname())

    def _accept(self, server: socket.socket, kind: str) -> None:
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
