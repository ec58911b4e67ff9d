"""A broker in a process of its own, and scripted clients.

The clients are plain DEALER sockets and the generated codec; the client library has no part in these tests.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import zmq

from zeps_wire import zeps

__all__ = ["PATIENCE", "SHORT", "BrokerProcess", "Peer", "Peers", "eventually", "history", "replay"]

PATIENCE = 100.0
"""Seconds after which an expected event counts as missing, on a busy machine."""

SHORT = """
[broker]
client_timeout_seconds = 1.0
heartbeat_seconds = 0.3
stop_seconds_max = 2.0
"""
"""A configuration with short time-outs for tests."""

Answer = TypeVar("Answer", bound=zeps.Message)


def eventually(what: str, condition: Any, patience: float = PATIENCE) -> Any:
    """Returns the first true value of `condition()`. Raises AssertionError after a time-out."""
    limit = time.monotonic() + patience
    while not (value := condition()):
        assert time.monotonic() < limit, f"{what} did not happen in {patience:g} s"
        time.sleep(0.01)
    return value


class BrokerProcess:
    """`zeps broker` with `options` and, if given, the text of a configuration file.

    `folder` holds its configuration and its log, `data` its journal; both outlive it, so that it can be
    started again.
    """

    def __init__(
        self,
        folder: Path,
        *options: str,
        data: Path | None = None,
        config: str | None = None,
        bind: Sequence[str] = ("tcp://127.0.0.1:*",),
        prefix: Sequence[str] = (),
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.data = data or folder / "data"
        self.log_file = folder / "broker.log"
        self.endpoints: list[str] = []
        self.process: subprocess.Popen[bytes] | None = None
        self._bind = bind
        arguments = [*prefix, sys.executable, "-m", "zeps_cli", "broker", "--log-format", "json"]
        arguments += ["--data", str(self.data), *options]
        if config is not None:
            (folder / "zeps.toml").write_text(config)
            arguments += ["--config", str(folder / "zeps.toml")]
        self._arguments = arguments

    @property
    def endpoint(self) -> str:
        return self.endpoints[0]

    @property
    def pid(self) -> int:
        return self.running.pid

    @property
    def running(self) -> subprocess.Popen[bytes]:
        assert self.process is not None, "the broker was not started"
        return self.process

    def spawn(self) -> None:
        """Starts the process without waiting."""
        assert self.process is None
        binds = [argument for endpoint in self._bind for argument in ("--bind", endpoint)]
        with self.log_file.open("a") as log:
            self.process = subprocess.Popen([*self._arguments, *binds], stdout=subprocess.PIPE, stderr=log)

    def start(self) -> str:
        """Starts the process and waits until it listens; returns its first endpoint."""
        self.spawn()
        output = self.running.stdout
        assert output is not None
        said = b""
        while said.count(b"\n") < len(self._bind):
            assert select.select([output], [], [], PATIENCE)[0], f"the broker prints nothing\n{self.text()}"
            more = os.read(output.fileno(), 4096)
            assert more, f"the broker did not start\n{self.text()}"
            said += more
        self.endpoints = [line.removeprefix("ready ") for line in said.decode().splitlines()]
        return self.endpoint

    def signal(self, number: int) -> None:
        self.running.send_signal(number)

    def kill(self) -> None:
        """Sends SIGKILL."""
        self.signal(signal.SIGKILL)
        assert self.wait() == -signal.SIGKILL

    def stop(self) -> int:
        """Sends SIGTERM; returns the exit code."""
        self.signal(signal.SIGTERM)
        return self.wait()

    def wait(self, patience: float = PATIENCE) -> int:
        """Waits for the process to end by itself; returns the exit code."""
        process = self.running
        code = process.wait(patience)
        assert process.stdout is not None
        process.stdout.close()
        self.process = None
        return code

    def end(self) -> None:
        """Kills the process if it runs."""
        if self.process is not None:
            self.process.kill()
            self.wait()

    def text(self) -> str:
        """Returns standard error of all starts."""
        return self.log_file.read_text() if self.log_file.exists() else ""

    def log(self, event: str | None = None) -> list[dict[str, Any]]:
        """Returns the log's records, or those of one event."""
        records = [json.loads(line) for line in self.text().splitlines() if line.startswith("{")]
        return [record for record in records if event is None or record["event"] == event]

    def memory(self) -> int:
        """Returns the resident bytes of the process."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
        raise AssertionError("no VmRSS")


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
        """Disappears silently."""
        self.socket.close()

    def send(self, *messages: zeps.Message | bytes) -> None:
        """Sends commands, or raw bytes."""
        for message in messages:
            self.socket.send(message if isinstance(message, bytes) else message.encode())

    def receive(self, patience: float = PATIENCE) -> zeps.Message | None:
        """Returns the next command, or None."""
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
        """Returns whether nothing arrives for a while."""
        return self.receive(patience) is None

    def attach(self, stream: str) -> None:
        self.send(zeps.Attach(stream))
        self.expect(zeps.AttachOk)

    def subscribe(self, pattern: str = "", latest: int = zeps.LATEST_ALL, credit: int = 0) -> None:
        self.send(zeps.Subscribe(pattern, latest))
        self.expect(zeps.SubscribeOk)
        if credit:
            self.send(zeps.Credit(credit))

    def publish(self, key: str, body: bytes) -> None:
        self.send(zeps.Publish(key, body))

    def barrier(self) -> None:
        """Waits until everything published has its sequence (ZEPS-PING-12)."""
        self.send(zeps.Ping())
        self.expect(zeps.PingOk)

    def deliveries(self, count: int) -> Iterator[zeps.Deliver]:
        """Returns the next `count` deliveries; other messages in between are an error."""
        for _ in range(count):
            yield self.expect(zeps.Deliver)

    def refused(self) -> str:
        """Returns the reason of the next message, an INVALID."""
        return self.expect(zeps.Invalid).reason


MARK = "harness.mark"


def history(peer: Peer, stream: str) -> list[zeps.Deliver]:
    """Returns all messages of `stream`, up to a message under MARK that `peer`, which attaches anew, adds itself."""
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
    """Returns the messages without any MARK."""
    return [message for message in history(peer, stream) if message.key != MARK]
