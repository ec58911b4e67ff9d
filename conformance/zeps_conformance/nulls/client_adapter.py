"""Null clients: they accept every request, and do nothing useful on the wire. Usage: ``python client_adapter.py KIND``.
They use the standard library only, and share no code with the suite.
"""

from __future__ import annotations

import contextlib
import json
import socket
import sys
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x01NULL" + bytes(16 + 32)
READY = b"\x04\x1c\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER"
HEAD = b"\xaa\xa5"
FEATURES = ("deliveries", "publish", "subscribe", "close", "gaps", "refusals", "losses", "republish", "rate")


def message(frame: bytes) -> bytes:
    """Returns a message of one short part."""
    return bytes((0, len(frame))) + frame


def attach(stream: str) -> bytes:
    """Returns ATTACH as a message."""
    name = stream.encode()[:200]
    return message(HEAD + b"\x01\x04ZEPS\x00\x01" + bytes((len(name),)) + name)


def shake(link: socket.socket) -> None:
    """Sends greeting and READY, and reads at most 64 bytes."""
    link.sendall(GREETING + READY)
    link.recv(64)


def read_on(link: socket.socket) -> None:
    """Reads and discards all input until the end."""
    while link.recv(1 << 16):
        pass


def silence(link: socket.socket, stream: str) -> None:
    """Connects, reads everything and sends nothing."""
    read_on(link)


def greet(link: socket.socket, stream: str) -> None:
    """Completes the handshake, and sends nothing more."""
    shake(link)
    read_on(link)


def echo(link: socket.socket, stream: str) -> None:
    """Sends back what it receives."""
    while data := link.recv(1 << 16):
        link.sendall(data)


def attach_only(link: socket.socket, stream: str) -> None:
    """Attaches, and sends nothing more."""
    shake(link)
    link.sendall(attach(stream))
    read_on(link)


def attach_and_echo(link: socket.socket, stream: str) -> None:
    """Attaches, and sends back what it receives."""
    shake(link)
    link.sendall(attach(stream))
    echo(link, stream)


def everything(link: socket.socket, stream: str) -> None:
    """Sends each command at once after the handshake, without waiting for answers."""
    shake(link)
    subscribe = message(HEAD + b"\x03\x00" + bytes(8))
    credit = message(HEAD + b"\x05" + bytes((0, 0, 0, 0, 1, 0, 0, 0)))
    publish = message(HEAD + b"\x06\x01k\x00\x00\x00\x01b")
    rest = [message(HEAD + bytes((number,))) for number in (8, 9, 10, 11)]
    link.sendall(b"".join((attach(stream), subscribe, credit, publish, *rest)))
    read_on(link)


KINDS: Mapping[str, Callable[[socket.socket, str], None] | None] = {
    "nothing": None,
    "silence": silence,
    "greet": greet,
    "echo": echo,
    "attach-only": attach_only,
    "attach-and-echo": attach_and_echo,
    "everything": everything,
}


class NullClients:
    """The clients of a null adapter. Each connects again, after a pause, when its connection has ended."""

    def __init__(self, kind: str) -> None:
        self._behave = KINDS[kind]
        self._ended: dict[str, threading.Event] = {}

    def answer(self, request: Mapping[str, Any]) -> Mapping[str, object]:
        """Carries out a request, and returns the answer's members except ``ok``. Every request succeeds."""
        match request["op"]:
            case "hello":
                return {"name": "nothing", "version": "0", "types": ["CLIENT"], "features": FEATURES}
            case "open":
                self._open(request)
            case "events":
                return {"events": []}
            case "drop":
                self._ended[request["client"]].set()
        return {}

    def stop(self) -> None:
        """Ends every client, as soon as its connection ends."""
        for ended in self._ended.values():
            ended.set()

    def _open(self, request: Mapping[str, Any]) -> None:
        ended = self._ended[request["client"]] = threading.Event()
        if self._behave is not None:
            host, _, port = request["endpoint"].removeprefix("tcp://").rpartition(":")
            arguments = ((host, int(port)), request["stream"], ended)
            threading.Thread(target=self._run, args=arguments, daemon=True).start()

    def _run(self, address: tuple[str, int], stream: str, ended: threading.Event) -> None:
        assert self._behave is not None
        while not ended.is_set():
            with contextlib.suppress(OSError), socket.create_connection(address, 1.0) as link:
                link.settimeout(30.0)
                self._behave(link, stream)
            time.sleep(0.05)


def main() -> None:
    null = NullClients(sys.argv[1])
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps({"ok": True, **null.answer(request)}), flush=True)
        if request["op"] == "exit":
            return


if __name__ == "__main__":
    main()
