"""Scripted clients: plain DEALER sockets and the generated codec; the client library has no part in these tests."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import zeps_process
import zmq
from zeps_process import PATIENCE, BrokerProcess, eventually

from zeps_wire import zeps

__all__ = [
    "PATIENCE", "SHORT", "BrokerProcess", "Peer", "Peers", "PythonProcess", "eventually", "history", "replay",
]  # fmt: skip

SHORT = """
[broker]
client_timeout_seconds = 1.0
heartbeat_seconds = 0.3
stop_seconds_max = 2.0
"""
"""A configuration with short time-outs for tests."""

Answer = TypeVar("Answer", bound=zeps.Message)


class PythonProcess:
    """A program that runs beside the test, in a Python of its own with these `arguments`; it can import the helpers."""

    def __init__(self, *arguments: object) -> None:
        pipe = subprocess.PIPE
        command = [sys.executable, *map(str, arguments)]
        environment = os.environ | {"PYTHONPATH": str(Path(zeps_process.__file__).parent)}
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment)

    def output(self, patience: float) -> bytes:
        """Closes its standard input, and waits for its end, which must be successful; returns its output."""
        output, errors = self.process.communicate(timeout=patience)
        assert self.process.returncode == 0, errors.decode()
        return output

    def kill(self) -> None:
        """Kills the process if it runs."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()


class Peers:
    """Clients of one test, in a context of their own."""

    def __init__(self) -> None:
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._context.max_sockets = 20_000
        self._made: list[Peer] = []

    def connect(self, endpoint: str, stream: str | None = None, **options: int) -> Peer:
        """Returns a client, attached to `stream` if one is given. `options` are socket options."""
        peer = Peer(self._context.socket(zmq.DEALER), endpoint, options)
        self._made.append(peer)
        if stream is not None:
            peer.attach(stream)
        return peer

    def close(self) -> None:
        for peer in self._made:
            peer.close()
        self._context.destroy(linger=0)


class Peer:
    """One connection."""

    def __init__(self, socket: zmq.Socket[bytes], endpoint: str, options: dict[str, int]) -> None:
        self.socket = socket
        socket.linger = 0
        socket.rcvhwm = socket.sndhwm = 0
        for name, value in options.items():
            setattr(socket, name, value)
        socket.connect(endpoint)

    def close(self) -> None:
        """Closes the socket without DETACH."""
        self.socket.close()

    def send(self, *messages: zeps.Message | bytes) -> None:
        """Sends commands, or raw bytes."""
        for message in messages:
            self.socket.send(message if isinstance(message, bytes) else message.encode())

    def receive(self, patience: float = PATIENCE) -> zeps.Message | None:
        """Returns the next command; None if nothing arrives within `patience` seconds. Raises DecodeError."""
        if not self.socket.poll(round(patience * 1000)):
            return None
        return zeps.decode(self.socket.recv())

    def expect(self, kind: type[Answer], patience: float = PATIENCE) -> Answer:
        """Returns the next command, which must be of `kind`. The broker's own PINGs are answered and skipped."""
        while True:
            message = self.receive(patience)
            if isinstance(message, zeps.Ping) and kind is not zeps.Ping:
                self.send(zeps.PingOk())
                continue
            assert isinstance(message, kind), f"expected {kind.NAME}, got {message!r:.300}"
            return message

    def silent(self, patience: float = 0.2) -> bool:
        """Returns whether nothing arrives within `patience` seconds; a command that arrives is dropped."""
        return self.receive(patience) is None

    def attach(self, stream: str) -> None:
        self.send(zeps.Attach(stream))
        self.expect(zeps.AttachOk)

    def subscribe(self, pattern: str = "", latest: int = zeps.LATEST_ALL, credit: int = 0) -> None:
        self.send(zeps.Subscribe(pattern, latest))
        self.expect(zeps.SubscribeOk)
        if credit:
            self.send(zeps.Credit(credit))

    def detach(self) -> None:
        self.send(zeps.Detach())
        self.expect(zeps.DetachOk)

    def publish(self, key: str, body: bytes) -> None:
        self.send(zeps.Publish(key, body))

    def store(self, key: str, body: bytes) -> None:
        """Publishes a message, and waits until it has its sequence."""
        self.publish(key, body)
        self.barrier()

    def barrier(self) -> None:
        """Waits until everything published has its sequence (ZEPS-PING-12)."""
        self.send(zeps.Ping())
        self.expect(zeps.PingOk)

    def deliveries(self, count: int) -> Iterator[zeps.Deliver]:
        """Returns the next `count` deliveries; other messages in between are an error."""
        for _ in range(count):
            yield self.expect(zeps.Deliver)

    def refused(self, *messages: zeps.Message | bytes) -> str:
        """Sends `messages`; returns the reason of the next answer, which must be an INVALID."""
        self.send(*messages)
        return self.expect(zeps.Invalid).reason


MARK = "harness.mark"


def history(peer: Peer, stream: str) -> list[zeps.Deliver]:
    """Attaches `peer`, publishes a message with the key MARK, and returns all stored messages, this one the last."""
    peer.attach(stream)
    body = f"{time.monotonic_ns()}".encode()
    peer.publish(MARK, body)
    peer.barrier()
    peer.subscribe(credit=2**64 - 1)
    got: list[zeps.Deliver] = []
    while not (got and got[-1].key == MARK and got[-1].body == body):
        got.append(peer.expect(zeps.Deliver))
    return got


def replay(peer: Peer, stream: str) -> list[zeps.Deliver]:
    """Like :func:`history`, without the messages with the key MARK."""
    return [message for message in history(peer, stream) if message.key != MARK]
