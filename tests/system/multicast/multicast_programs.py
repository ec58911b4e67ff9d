"""Programs of these tests: they run in build/multicast, on a libzmq with NORM and PGM."""

from __future__ import annotations

import itertools
import json
import os
import signal
import socket
import subprocess
import threading
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness import PATIENCE, BrokerProcess, eventually

from zeps_client import Client

STREAM = "prices"
PACKETS = 1200
"""Bytes of a body that fills a packet."""

ROOT = Path(__file__).resolve().parents[3]
PYTHON = ROOT / "build" / "multicast" / "bin" / "python"
_count = itertools.count()


def group() -> str:
    """Returns a GROUP:PORT that no other test on this machine uses."""
    number = os.getpid() * 16 + next(_count) % 16
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("", 0))
        port = probe.getsockname()[1]
    return f"239.{192 + (number >> 16) % 64}.{(number >> 8) % 256}.{number % 256}:{port}"


class Program:
    """`zeps` with `arguments`, in the network namespace `inside`, if given. It ends when the tests' process ends."""

    MODULE = ("-m", "zeps_cli")

    def __init__(self, log: Path, arguments: tuple[str, ...], inside: str | None) -> None:
        assert PYTHON.exists(), f"{PYTHON} is missing: run `make multicast`"
        self.log_file = log
        self.lines: list[str] = []
        self._prefix = ["ip", "netns", "exec", inside] if inside else []
        self._prefix += ["setpriv", "--pdeathsig", "KILL"]
        self.start(arguments)

    def start(self, arguments: tuple[str, ...]) -> None:
        with self.log_file.open("w") as errors:
            self.process = subprocess.Popen(
                [*self._prefix, PYTHON, *self.MODULE, *arguments],
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.heard(line.rstrip("\n"))

    def heard(self, line: str) -> None:
        self.lines.append(line)

    def ready(self) -> str:
        """Returns the endpoint of the first line `ready …`."""

        def said() -> str | None:
            return next((line.split()[1] for line in self.lines if line.startswith("ready ")), None)

        return str(self.eventually("ready", said))

    def eventually(self, what: str, condition: Callable[[], object]) -> object:
        """Waits for a condition that can become true only while the process runs."""

        def looked() -> object:
            assert self.runs(), f"it ended before {what}\n{self.log_file.read_text()}"
            return condition()

        return eventually(what, looked)

    def runs(self) -> bool:
        return self.process.poll() is None

    def signal(self, number: int) -> None:
        self.process.send_signal(number)

    def stop(self) -> int:
        """Sends SIGTERM; returns the exit code."""
        self.signal(signal.SIGTERM)
        return self.wait()

    def wait(self) -> int:
        code = self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        return code

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self._reader.join(PATIENCE)
        assert self.process.stdout is not None
        self.process.stdout.close()


class Receiver(Program):
    """A :class:`MulticastClient` that prints its messages and its status. libzmq before 4.3.5 aborts a process whose
    NORM receiver looks for a message's start while the sender, whose buffer is full, discards it (zeromq/libzmq#4576).
    A client that aborted in this way is restarted after its last message, as an application would do.
    """

    MODULE = (str(Path(__file__).parent / "receiver.py"),)

    def __init__(self, log: Path, arguments: tuple[str, ...], inside: str | None) -> None:
        self.given: list[tuple[int, str, int]] = []
        """Sequence, key and the CRC-32 of the body of each message."""
        self.status: dict[str, Any] = {}
        self._arguments = arguments
        super().__init__(log, arguments, inside)

    def heard(self, line: str) -> None:
        record = json.loads(line)
        self.status = record["status"]  # first: a waiting test may check where the message came from
        self.given += [tuple(message) for message in record.get("given", ())]

    @property
    def sequences(self) -> list[int]:
        return [message[0] for message in self.given]

    def until(self, what: str, **status: object) -> None:
        """Waits for a status."""
        self.eventually(what, lambda: all(self.status.get(name) == value for name, value in status.items()))

    def joined(self) -> None:
        """Waits until it has a session, which it opens after it has joined the group."""
        self.eventually("a session", lambda: self.status.get("sessions"))

    def on_multicast(self) -> None:
        """Waits until no session is needed."""
        self.until("real time by multicast", history=False)

    def is_on_multicast(self, patience: float) -> bool:
        """Returns whether no session is needed within this many seconds."""
        limit = time.monotonic() + patience
        while self.status.get("history") is not False and self.runs() and time.monotonic() < limit:
            time.sleep(0.02)
        return self.status.get("history") is False

    def has(self, last: int) -> None:
        """Waits until sequence `last` was delivered."""
        self.eventually(f"message {last}", lambda: self.given and self.given[-1][0] >= last)

    def eventually(self, what: str, condition: Callable[[], object]) -> object:
        """Like the base method; a failure includes the client's state."""
        try:
            return super().eventually(what, condition)
        except AssertionError as error:
            raise AssertionError(f"{error}\nlast given: {self.given[-1:]}, {self.status}") from error

    def runs(self) -> bool:
        aborted = self.process.poll() == -signal.SIGABRT
        if aborted and "Assertion failed: false (src/norm_engine.cpp:" in self.log_file.read_text():
            self._start_again()
        return super().runs()

    def _start_again(self) -> None:
        self.end()
        endpoint, stream, multicast, latest, *silence = self._arguments
        self.start((endpoint, stream, multicast, str(self.given[-1][0]) if self.given else latest, *silence))


class Listener(Program):
    """Prints the sequence of each message that arrives by multicast."""

    MODULE = (str(Path(__file__).parent / "listener.py"),)

    @property
    def sequences(self) -> set[int]:
        return {int(line) for line in self.lines if line.isdigit()}


def body(number: int, padding_size: int = 20) -> bytes:
    return b"%d " % number + bytes(padding_size)


class Stream:
    """A broker, its sender, a publisher, and the published messages."""

    def __init__(
        self,
        broker: BrokerProcess,
        run: Callable[..., Program],
        multicast: str,
        *options: str,
        inside: str | None = None,
    ) -> None:
        self.broker = broker
        self.multicast = multicast
        self.expected: list[tuple[int, str, int]] = []
        self._run = run
        self._options = options
        self._inside = inside
        self.sender = self.send()
        self.client = Client(broker.endpoint, STREAM, backoff_max=0.2)

    def send(self) -> Program:
        """Starts a sender, and waits until it sends."""
        arguments = (
            f"multicast {STREAM} {self.multicast} --endpoint {self.broker.endpoint} --repeat 0.2".split()
        )
        sender = self._run(*arguments, *self._options, inside=self._inside)
        sender.ready()
        return sender

    def publish(self, count: int, padding_size: int = 20) -> int:
        """Publishes, and waits until the messages are stored; returns the last sequence."""
        first = len(self.expected) + 1
        bodies = {number: body(number, padding_size) for number in range(first, first + count)}
        self.client.publish_many((f"key.{number % 3}", content) for number, content in bodies.items())
        self.client.flush(PATIENCE)
        self.expected += [
            (number, f"key.{number % 3}", zlib.crc32(content)) for number, content in bodies.items()
        ]
        return len(self.expected)


def by_multicast(stream: Stream, *receivers: Receiver, padding_size: int = 20) -> None:
    """Waits until messages reach all receivers by multicast alone. A NORM receiver that has missed a packet may wait
    for repairs until the packet has left the sender's buffer of 2 MiB: so this much is published in small steps. Then
    it pauses, as for a receiver that joins during the first message and receives nothing for 15 seconds: one that
    searches a message's start aborts on more input.
    """
    for receiver in receivers:
        receiver.joined()

    def once() -> bool:
        first = stream.publish(1)
        for receiver in receivers:
            receiver.has(first)
        if not all(receiver.is_on_multicast(20.0) for receiver in receivers):
            for receiver in receivers:
                receiver.has(stream.publish(1000, PACKETS))
            return False
        before = [receiver.status["from_history"] for receiver in receivers]
        last = stream.publish(10, padding_size)
        for receiver in receivers:
            receiver.has(last)
        return before == [receiver.status["from_history"] for receiver in receivers]

    eventually("ten messages by multicast", once, 2 * PATIENCE)


class Network:
    """Two namespaces, `here` and `there`, with a cable between them: 10.77.0.1 and 10.77.0.2."""

    def __init__(self) -> None:
        assert os.geteuid() == 0, "network namespaces are made by root"
        name = f"zeps{os.getpid()}-{next(_count)}"
        self.here, self.there = f"{name}-a", f"{name}-b"
        self._made: list[str] = []

    def build(self) -> None:
        for namespace in (self.here, self.there):
            _do(f"ip netns add {namespace}")
            self._made.append(namespace)
        _do(f"ip -n {self.here} link add wire type veth peer name wire netns {self.there}")
        for namespace, address in ((self.here, "10.77.0.1/24"), (self.there, "10.77.0.2/24")):
            _do(f"ip -n {namespace} address add {address} dev wire")
            _do(f"ip -n {namespace} link set lo up")
            _do(f"ip -n {namespace} link set wire up")

    def lose(self, how: str = "") -> None:
        """Lets `there` lose UDP packets that arrive, all of them or as iptables' options `how` specify."""
        self._filter(f"-A INPUT -p udp {how} -j DROP")

    def lose_nothing(self) -> None:
        self._filter("-F INPUT")

    def lost(self) -> int:
        """Returns how many packets were dropped since `lose`."""
        table = self._filter("-L INPUT -v -x -n")
        return sum(int(line.split()[0]) for line in table.splitlines() if " DROP " in line)

    def _filter(self, options: str) -> str:
        return _do(f"ip netns exec {self.there} iptables {options}")

    def remove(self) -> None:
        while self._made:
            _do(f"ip netns delete {self._made.pop()}")


def _do(command: str) -> str:
    """Runs a command whose arguments have no spaces, and which must succeed; returns its output."""
    done = subprocess.run(command.split(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}: {done.stderr}"
    return done.stdout
