"""Implementations with an adapter: their descriptions, their builds, and a running adapter, driven over its pipes."""

from __future__ import annotations

import json
import socket
import subprocess
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import pytest

from zeps_conformance.sockets.adapter import CLIENT, Implementation, is_implementation, load_implementation

ROOT = Path(__file__).parents[3]
IMPLEMENTATIONS = ROOT / "conformance" / "implementations"
ADAPTERS = ROOT / "conformance" / "adapters"
TYPES = ("PUB", "XPUB", "SUB", "XSUB")
#: Implementations whose tests run in the worker that builds the same files for others.
GROUPS = {"libzmq-debian": "adapter-libzmq", "zmq4": "go"}
PATIENCE_MS = 10_000
TURN_MS = 100

#: Output of the tests' peer: the greeting of ZMTP 3.0 with NULL, and READY.
GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x00NULL" + bytes(48)
READY_PUB = b"\x04\x19\x05READY\x0bSocket-Type\x00\x00\x00\x03PUB"
READY_SUB = READY_PUB[:-3] + b"SUB"

Answer = dict[str, Any]


class Adapter:
    """A running adapter."""

    def __init__(self, command: list[str], patience: int = PATIENCE_MS) -> None:
        self.patience = patience  # milliseconds in which a message must arrive
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def line(self, line: bytes) -> Answer:
        """Returns the answer to a line."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        assert isinstance(answer, dict)
        return answer

    def ask(self, op: str, **arguments: object) -> Answer:
        """Returns the answer to a request."""
        return self.line(json.dumps({"op": op, **arguments}).encode())

    def do(self, op: str, **arguments: object) -> Answer:
        """Returns the answer to a request, which must succeed."""
        answer = self.ask(op, **arguments)
        assert answer["ok"] is True, (op, arguments, answer)
        return answer

    def end(self, request: bytes) -> tuple[bytes, int]:
        """Writes `request`, and closes the input. Returns the remaining output on stdout, and the exit code."""
        output, _ = self.process.communicate(request, timeout=60)
        return output, self.process.returncode

    def recv(self, socket: str, timeout: int | None = None) -> list[str] | None:
        """Returns the parts of the next message, or None if no message arrives in time."""
        timeout = self.patience if timeout is None else timeout
        return self.do("recv", socket=socket, timeout=timeout)["parts"]

    def open_pair(
        self,
        publisher: str,
        receiver: str = "SUB",
        out_options: Mapping[str, int] | None = None,
        in_options: Mapping[str, int] | None = None,
    ) -> str:
        """Opens a bound socket "out" and a socket "in" that connects to it. Returns the endpoint."""
        self.do("open", socket="out", type=publisher, options=out_options or {})
        self.do("open", socket="in", type=receiver, options=in_options or {})
        endpoint = str(self.do("bind", socket="out")["endpoint"])
        self.do("connect", socket="in", endpoint=endpoint)
        return endpoint

    def subscribe(self, topic: str) -> None:
        """Subscribes the socket "in", and waits for the notice of the XPUB "out"."""
        self.do("subscribe", socket="in", topic=topic)
        assert self.recv("out") == ["01" + topic]

    def send_until_received(self, sender: str, receiver: str, part: str) -> None:
        """Sends a message until the receiver has received it, and then a last message behind it."""
        for _ in range(self.patience // TURN_MS):
            self.do("send", socket=sender, parts=[part])
            if self.recv(receiver, TURN_MS) is not None:
                break
        else:
            pytest.fail("nothing arrives")
        last = [part + "00"]
        self.do("send", socket=sender, parts=last)
        while (parts := self.recv(receiver)) != last:
            assert parts is not None, "the last message did not arrive"


def listen() -> tuple[socket.socket, str]:
    """Returns a listening socket of the test, and its endpoint."""
    server = socket.create_server(("127.0.0.1", 0))
    server.settimeout(PATIENCE_MS / 1000)
    return server, f"tcp://127.0.0.1:{server.getsockname()[1]}"


def read_until(connection: socket.socket, end: bytes) -> bytes:
    """Returns the bytes up to and including `end`. Fails if the connection ends before."""
    received = b""
    while not received.endswith(end):
        received += connection.recv(1) or pytest.fail(f"the end, after {received!r}")
    return received


def build_adapter(name: str) -> subprocess.CompletedProcess[str]:
    """Runs `tools/adapters` for an implementation or adapter."""
    return subprocess.run([ROOT / "tools" / "adapters", name], capture_output=True, text=True, check=False)


def build(path: Path) -> Implementation:
    """Returns the implementation described in the file at `path`, after building it if necessary."""
    built = build_adapter(path.stem)
    assert built.returncode == 0, built.stdout + built.stderr
    return load_implementation(path)


def described(*roles: str, names: Collection[str] = ()) -> list[Any]:
    """Returns the descriptions with an adapter of sockets as parameters: all, those with the roles, or those named."""
    return [
        pytest.param(
            path, id=path.stem, marks=pytest.mark.xdist_group(GROUPS.get(path.stem, f"adapter-{path.stem}"))
        )
        for path in sorted(IMPLEMENTATIONS.glob("*.toml"))
        if is_implementation(path)
        and load_implementation(path).types != (CLIENT,)
        and set(roles) <= set(load_implementation(path).types)
        and (not names or path.stem in names)
    ]


def having(*roles: str, names: Collection[str] = ()) -> pytest.MarkDecorator:
    """Marks a test for these implementations only."""
    return pytest.mark.parametrize("implementation", described(*roles, names=names), indirect=True)
