"""Tests for docs/limits.md: a broker with configured limits, and clients on plain sockets that read only on request."""

from __future__ import annotations

import json
import socket
import struct
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from attacker_links import frame, opening
from harness import PATIENCE, eventually

from zeps_broker.core.reasons import parse as parse_reason
from zeps_broker.service.config import parse
from zeps_broker.service.embedded import EmbeddedBroker
from zeps_broker.service.logs import EventLog
from zeps_wire import zeps

ALL = zeps.LATEST_ALL
CREDIT_MAX = zeps.Credit(2**64 - 1)
KERNEL_BYTES_MAX = 2 * int(Path("/proc/sys/net/core/wmem_default").read_text())
"""Maximum bytes that the kernel holds of unread output of an ipc endpoint."""
_GREETING_BYTES = 64
_COMMAND, _LONG = 4, 2

Answer = TypeVar("Answer", bound=zeps.Message)


class LimitedBroker(EmbeddedBroker):
    """A broker with the configuration `text`; its log is kept."""

    def __init__(self, text: str, **options: Any) -> None:
        self._lines: list[str] = []
        options.setdefault("log", EventLog("debug", "json", self._lines.append))
        super().__init__(config=parse(text), **options)

    def log(self, event: str) -> list[dict[str, Any]]:
        """Returns the records of one event so far."""
        records = [json.loads(line) for line in self._lines]
        return [record for record in records if record["event"] == event]

    def segments(self, stream: str) -> list[Path]:
        """Returns the segments of a stream, the oldest first."""
        (folder,) = [path for path in self.data.iterdir() if path.name.startswith(stream) and path.is_dir()]
        return sorted(folder.glob("*.segment"))


class ClosedByBrokerError(Exception):
    """The broker has closed the connection."""


class RawClient:
    """A client on a plain socket."""

    def __init__(self, endpoint: str, first: bytes | None = None, address: str = "127.0.0.1") -> None:
        """Connects, for tcp from `address`, and performs the handshake; or sends `first` without waiting.

        Raises ClosedByBrokerError.
        """
        if endpoint.startswith("ipc://"):
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.connect(endpoint.removeprefix("ipc://"))
        else:
            host, _, port = endpoint.removeprefix("tcp://").rpartition(":")
            self.socket = socket.create_connection((host, int(port)), source_address=(address, 0))
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.settimeout(PATIENCE)
        self._buffer = bytearray()
        self._frames: deque[bytes] = deque()
        self._skip = _GREETING_BYTES
        self.commands = 0
        """ZMTP commands that have arrived: READY, and then PONG."""
        self.send(opening() if first is None else first)
        while first is None and not self.commands:
            self._read()
            self._parse()

    def __enter__(self) -> RawClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self.socket.close()

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def say(self, *messages: zeps.Message) -> None:
        """Sends commands with one write."""
        self.send(b"".join(frame(message.encode()) for message in messages))

    def attach(self, stream: str = "s") -> None:
        self.say(zeps.Attach(stream))
        self.expect(zeps.AttachOk)

    def detach(self) -> None:
        self.say(zeps.Detach())
        self.expect(zeps.DetachOk)

    def subscribe(self, pattern: str = "", latest: int = ALL, *credit: zeps.Credit) -> None:
        """Subscribes, and then grants `credit`, if given."""
        self.say(zeps.Subscribe(pattern, latest), *credit)
        self.expect(zeps.SubscribeOk)

    def read_all(self, latest: int = ALL) -> None:
        """Subscribes to everything, with unlimited credit."""
        self.subscribe("", latest, CREDIT_MAX)

    def publish(self, *messages: zeps.Publish) -> None:
        """Sends `messages` with one write, and waits until they are stored."""
        self.say(*messages)
        self.barrier()

    def barrier(self) -> None:
        """Waits until everything published has its sequence (ZEPS-PING-12)."""
        self.say(zeps.Ping())
        self.expect(zeps.PingOk)

    def receive(self) -> zeps.Message:
        """Returns the next ZEPS command. Raises ClosedByBrokerError."""
        while not self._frames:
            self._read()
            self._parse()
        return zeps.decode(self._frames.popleft())

    def expect(self, kind: type[Answer]) -> Answer:
        """Returns the next command except the broker's PINGs; it must be of `kind`."""
        message = self.receive()
        while isinstance(message, zeps.Ping):
            message = self.receive()
        assert isinstance(message, kind), f"expected {kind.NAME}, got {message!r:.300}"
        return message

    def refused(self, *messages: zeps.Message) -> str:
        """Sends `messages`, if any; returns the code of the next answer, which must be an INVALID."""
        if messages:
            self.say(*messages)
        return parse_reason(self.expect(zeps.Invalid).reason)[0]

    def until_closed(self) -> list[zeps.Message]:
        """Returns the input before the broker closes the connection."""
        got: list[zeps.Message] = []
        try:
            while True:
                got.append(self.receive())
        except ClosedByBrokerError:
            return got

    def is_closed(self) -> bool:
        """Returns whether the broker has closed the connection by now. Input that has arrived is dropped."""
        self.socket.setblocking(False)
        try:
            while self.socket.recv(1 << 16):
                pass
        except BlockingIOError:
            return False
        except ConnectionResetError:
            pass
        finally:
            self.socket.settimeout(PATIENCE)
        return True

    def send_until_closed(self, data: bytes) -> None:
        """Sends `data` at intervals until the broker closes the connection."""

        def is_closed_after_sending() -> bool:
            try:
                self.send(data)
            except (BrokenPipeError, ConnectionResetError):
                return True
            return self.is_closed()

        eventually("the connection is closed", is_closed_after_sending)

    def _read(self) -> None:
        try:
            data = self.socket.recv(1 << 20)
        except ConnectionResetError:
            data = b""
        if not data:
            raise ClosedByBrokerError
        skipped = min(self._skip, len(data))
        self._skip -= skipped
        self._buffer += data[skipped:]

    def _parse(self) -> None:
        """Reads the messages and commands that have arrived."""
        data, at = self._buffer, 0
        while not self._skip:
            head = 9 if at < len(data) and data[at] & _LONG else 2
            if at + head > len(data):
                break
            size = struct.unpack_from(">Q", data, at + 1)[0] if head == 9 else data[at + 1]
            if at + head + size > len(data):
                break
            if data[at] & _COMMAND:
                self.commands += 1
            else:
                self._frames.append(bytes(data[at + head : at + head + size]))
            at += head + size
        del data[:at]


@contextmanager
def serving(text: str = "", clients: int = 1, attached: int = 0, **options: Any) -> Iterator[tuple[Any, ...]]:
    """Yields a broker with the configuration `text`, and its clients, the first `attached` of them attached to `s`."""
    with LimitedBroker(text, **options) as broker, ExitStack() as stack:
        made = [stack.enter_context(RawClient(broker.endpoint)) for _ in range(clients)]
        for client in made[:attached]:
            client.attach()
        yield broker, *made


_RETAINED = """
[journal]
segment_bytes = 65_536
retain_bytes = 262_144
[limits]
cache_bytes_max = 1
"""


def read_without_gap(limits: str, folder: Path, body_bytes: int, count: int, at_once: int) -> tuple[int, int]:
    """Publishes `count` messages, `at_once` at a time, to a client that does not read before the end; the journal
    retains few. Checks that each arrives or is announced as lost. Returns the numbers of messages before the first
    announcement, which waited in the broker's memory, and of lost ones.
    """
    options = {"attached": 1, "endpoints": [f"ipc://{folder}/broker"]}
    with serving(_RETAINED + limits, 2, **options) as (_, reader, publisher):
        reader.read_all()
        reader.barrier()
        publisher.attach()
        for first in range(0, count, at_once):
            publisher.publish(*[zeps.Publish("k", bytes(body_bytes))] * min(at_once, count - first))
        publisher.read_all(count - 1)
        publisher.expect(zeps.Deliver)  # the only block that is cached for readers is now the last
        waited = lost = expected = 0
        while expected < count:
            message = reader.receive()
            if isinstance(message, zeps.Invalid):
                code, gap, _ = parse_reason(message.reason)
                assert code == zeps.OpenCode.RETENTION
                assert gap is not None
                assert gap[0] == expected + 1
                lost += gap[1] - expected
                expected = gap[1]
            elif isinstance(message, zeps.Deliver):
                expected += 1
                assert message.sequence == expected
                waited += not lost
        reader.say(zeps.Detach())
        publisher.say(zeps.Detach())
        return waited, lost


def overtakes(limits: str, count: int = 30) -> bool:
    """Returns whether a client's message is stored before the last of another's, all of which were sent before it."""
    with serving(f"[limits]\n{limits}", 2, attached=2) as (_, flood, other):
        flood.say(*[zeps.Publish("flood", b""), zeps.Ping()] * count)
        flood.expect(zeps.PingOk)
        other.publish(zeps.Publish("other", b""))
        for _ in range(count - 1):
            flood.expect(zeps.PingOk)
        other.read_all()
        keys = [other.expect(zeps.Deliver).key for _ in range(count + 1)]
        return keys[-1] != "other"
