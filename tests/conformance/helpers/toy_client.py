"""A small client of a broker that follows the specification, for the suite's own tests; defects are subclasses."""

from __future__ import annotations

import hashlib
import os
import queue
import socket
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from zeps_conformance.common.processes import resident
from zeps_conformance.model.definitions import load_model
from zeps_conformance.model.interpreter import Decoded, Interpreter, MalformedFrameError
from zeps_conformance.sockets.adapter import Adapter, Implementation, RefusedError
from zeps_conformance.wire.zmtp_engine import Engine, Ready, ReceivedMessage, ZmtpError

__all__ = ["CODEC", "ToyAdapter", "ToyClient"]

sys.path.insert(0, str(Path(__file__).parents[3] / "conformance"))

from adapters.serving import EventQueue

CODEC = Interpreter(load_model())
NEW = (1 << 64) - 1
TURN = 0.01  # seconds
BODY_MAX = 1 << 24
FRAME_MAX = BODY_MAX + 1024
OPEN_CODES = load_model().enumerations["open code"]


class LostError(Exception):
    """The connection or the session is lost; another connection follows. The text is the reason."""


class ToyClient(threading.Thread):
    """One client; its thread owns the socket. `known`: the sequences that the application has; `points`: the sequence
    after which each pattern resumes; `unconfirmed`: messages that no PING-OK covers.
    """

    WINDOW: ClassVar[int] = 18 << 20
    UNANSWERED_MAX: ClassVar[int] = 3
    PAUSE: ClassVar[float] = 0.05
    identity: ClassVar[bytes | None] = None

    def __init__(self, endpoint: str, stream: str, options: Mapping[str, int]) -> None:
        super().__init__(daemon=True)
        host, _, port = endpoint.removeprefix("tcp://").rpartition(":")
        self.address = (host, int(port))
        self.stream = stream
        self.heartbeat = options.get("heartbeat", 1000) / 1000
        self.rate = options.get("rate", 65_536)
        self.attach_timeout = options.get("attach_timeout", 5000) / 1000
        self.events = EventQueue()
        self.requests: queue.SimpleQueue[tuple[Any, ...]] = queue.SimpleQueue()
        self.points: dict[str, int] = {}
        self.known: set[int] = set()
        self.last = 0
        self.unconfirmed: list[bytes] = []
        self.state = "new"
        self.credit = 0
        self.unanswered = 0
        self.posted = 0  # number of `unconfirmed` that this session has sent
        self.asked: list[str] = []
        self.covered: list[int] = []  # number of `unconfirmed` that each PING covers
        self.closing = False
        self.link: socket.socket | None = None
        self.ended = threading.Event()
        self.engine = Engine(b"DEALER", identity=self.identity)

    # The application ----------------------------------------------------------------------------------------

    def check_key(self, key: str) -> None:
        """Raises ValueError for a key that cannot be sent."""
        if len(key.encode()) > 255 or any(ord(letter) < 32 or 127 <= ord(letter) < 160 for letter in key):
            raise ValueError("invalid key")

    def publish(self, key: str, body: bytes) -> bool:
        """Publishes; returns False if the buffer is full."""
        self.check_key(key)
        if len(body) > BODY_MAX:
            raise ValueError("body too long")
        if self.unconfirmed and sum(map(len, self.unconfirmed)) + len(body) > BODY_MAX:
            return False
        self.unconfirmed.append(CODEC.encode("PUBLISH", key=key, body=body))
        return True

    def tell(self, event: str, **fields: object) -> None:
        self.events.put({"event": event, **fields})

    # The thread ---------------------------------------------------------------------------------------------

    def run(self) -> None:
        try:
            self.work()
        finally:
            if self.link is not None:
                self.link.close()
            self.ended.set()
        if self.closing:
            self.tell("closed")

    def work(self) -> None:
        while not self.ended.is_set():
            try:
                self.connect()
                self.session()
            except (OSError, LostError, ZmtpError) as error:
                if self.link is not None:
                    self.link.close()
                if self.closing or self.ended.is_set():
                    return
                self.lost(str(error) or "the connection broke")
                time.sleep(self.PAUSE)

    def lost(self, reason: str) -> None:
        self.tell("lost", reason=reason)

    def connect(self) -> None:
        self.state = "new"
        self.link = socket.create_connection(self.address, 1.0)
        self.link.settimeout(TURN)
        self.engine = Engine(b"DEALER", identity=self.identity)
        self.write(self.engine.opening())
        self.heard = self.spoken = self.began = time.monotonic()
        self.credit = self.unanswered = self.posted = 0
        self.asked, self.covered = [], []

    def session(self) -> None:
        assert self.link is not None
        while not self.ended.is_set():
            try:
                data = self.link.recv(1 << 18)
            except TimeoutError:
                pass
            else:
                if not data:
                    raise LostError("the broker closed the connection")
                self.heard = time.monotonic()
                self.take(data)
            self.serve_requests()
            self.tick()

    def take(self, data: bytes) -> None:
        events = self.engine.feed(data)
        if len(self.engine.incoming) > 9 and self.engine.incoming._needs > FRAME_MAX:
            raise LostError("a frame that is too long")
        self.write(bytes(self.engine.answers))
        self.engine.answers.clear()
        for event in events:
            if isinstance(event, Ready):
                self.attach()
            elif isinstance(event, ReceivedMessage):
                self.receive(event.parts)

    def write(self, data: bytes) -> None:
        if data:
            assert self.link is not None
            self.link.settimeout(60.0)
            self.link.sendall(data)
            self.link.settimeout(TURN)

    def frame(self, data: bytes) -> None:
        self.spoken = time.monotonic()
        self.write(self.engine.wire.message(data))

    def send(self, name: str, **values: Any) -> None:
        self.frame(CODEC.encode(name, **values))

    def attach(self) -> None:
        self.state = "attaching"
        self.send("ATTACH", stream=self.stream)

    def serve_requests(self) -> None:
        if self.state != "open":
            return
        waiting = self.unconfirmed[self.posted :]
        for frame in waiting:
            self.posted += 1
            self.frame(frame)
        if waiting:
            self.ping()
        while self.state == "open" and not self.requests.empty():
            request = self.requests.get()
            if request[0] == "subscribe":
                self.points[request[1]] = request[2]
                self.subscribe(request[1], request[2])
            else:
                self.close(request[1])

    def close(self, timeout: float) -> None:
        self.closing = True
        if timeout == 0:
            self.ended.set()
            return
        self.state = "leaving"
        self.leave_by = time.monotonic() + timeout
        self.send("DETACH")

    def ping(self) -> None:
        self.unanswered += 1
        self.covered.append(self.posted)
        self.send("PING")

    def subscribe(self, pattern: str, latest: int) -> None:
        self.asked.append(pattern)
        self.send("SUBSCRIBE", pattern=pattern, latest=latest)

    def point(self, pattern: str) -> int:
        """The sequence after which a pattern resumes."""
        return (
            max(self.last, self.points[pattern])
            if self.last and self.points[pattern] != NEW
            else self.last or self.points[pattern]
        )

    def patience(self) -> float:
        under_way = self.credit + sum(map(len, self.unconfirmed))
        return self.UNANSWERED_MAX * self.heartbeat + under_way / self.rate

    def tick(self) -> None:
        now = time.monotonic()
        if self.state == "attaching" and now > self.began + self.attach_timeout:
            raise LostError("no answer to ATTACH")
        if self.state == "leaving" and now > self.leave_by:
            self.ended.set()
        if self.state == "open":
            if self.unanswered >= self.UNANSWERED_MAX:
                if now > self.heard + self.patience():
                    self.silent()
            elif now > max(self.spoken, self.heard) + self.heartbeat:
                self.ping()

    def silent(self) -> None:
        raise LostError("the broker is silent")

    # Messages -----------------------------------------------------------------------------------------------

    def receive(self, parts: tuple[bytes, ...]) -> None:
        if len(parts) != 1:
            raise LostError("a message of several parts")
        try:
            message = self.decode(parts[0])
        except MalformedFrameError as error:
            self.malformed(error)
            return
        name = message.name.lower().replace("-", "_")
        handler = getattr(self, f"on_{name}", None)
        if handler is None:
            raise LostError(f"the broker sent {message.name}")
        handler(message)

    def decode(self, frame: bytes) -> Decoded:
        return CODEC.decode(frame)

    def malformed(self, error: MalformedFrameError) -> None:
        raise LostError(f"malformed: {error}")

    def on_attach_ok(self, _: Decoded) -> None:
        if self.state != "attaching":
            raise LostError("ATTACH-OK twice")
        self.state = "open"
        self.tell("connected")
        for pattern in self.points:
            self.subscribe(pattern, self.point(pattern))

    def on_subscribe_ok(self, _: Decoded) -> None:
        if self.state == "leaving":
            return
        if not self.asked:
            raise LostError("SUBSCRIBE-OK without SUBSCRIBE")
        self.asked.pop(0)
        if not self.credit:
            self.grant(self.WINDOW)

    def grant(self, size: int) -> None:
        self.credit += size
        self.send("CREDIT", credit=size)

    def on_deliver(self, message: Decoded) -> None:
        if self.state == "leaving":
            return
        if message.size > self.credit:
            raise LostError("more than the credit")
        self.credit -= message.size
        sequence = int(message["sequence"])
        if self.is_new(sequence):
            self.known.add(sequence)
            self.last = max(self.last, sequence)
            self.deliver(message)
        if self.credit < self.WINDOW * 15 // 16:
            self.renew()

    def renew(self) -> None:
        self.grant(self.WINDOW - self.credit)

    def is_new(self, sequence: int) -> bool:
        return sequence not in self.known

    def deliver(self, message: Decoded) -> None:
        body = message["body"]
        self.tell(
            "delivered",
            sequence=message["sequence"],
            key=message["key"],
            size=len(body),
            sha256=hashlib.sha256(body).hexdigest(),
        )

    def on_ping(self, _: Decoded) -> None:
        if self.state != "leaving":
            self.send("PING-OK")

    def on_ping_ok(self, _: Decoded) -> None:
        self.unanswered = 0
        if self.covered:
            count = self.covered.pop(0)
            del self.unconfirmed[:count]
            self.posted -= count
            self.covered = [max(number - count, 0) for number in self.covered]

    def on_detach(self, _: Decoded) -> None:
        if self.state != "leaving":
            self.send("DETACH-OK")
            self.state = "new"
            raise LostError("the broker detached")

    def on_detach_ok(self, _: Decoded) -> None:
        if self.state != "leaving":
            raise LostError("DETACH-OK without DETACH")
        self.ended.set()

    def on_invalid(self, message: Decoded) -> None:
        reason = str(message["reason"])
        code, *words = reason.split(" ")
        if self.state == "leaving":
            return
        if self.state == "attaching":
            self.tell("refused", reason=reason)
            raise LostError(f"refused: {reason}")
        if self.ends(code):
            raise LostError(f"INVALID: {reason}")
        if code in ("retention", "damage", "not-retained", "beyond-end"):
            try:
                first, last = int(words[0]), int(words[1])
            except (ValueError, IndexError):
                raise LostError(f"INVALID: {reason}") from None
            self.gap(code, first, last)
        elif code in ("bad-pattern", "too-many-subscriptions") and self.asked:
            del self.points[self.asked.pop(0)]
            self.tell("refused", reason=reason)

    def ends(self, code: str) -> bool:
        return code not in OPEN_CODES

    def gap(self, code: str, first: int, last: int) -> None:
        self.report_gap(code, first, last)
        if code in ("not-retained", "beyond-end"):
            if self.asked:
                pattern = self.asked.pop(0)
                self.points[pattern] = last if code == "not-retained" else first - 1
                self.subscribe(pattern, self.points[pattern])
        elif last >= first and last < NEW:
            self.last = max(self.last, last)

    def report_gap(self, code: str, first: int, last: int) -> None:
        self.tell("gap", code=code, first=first, last=last)


class ToyAdapter(Adapter):
    """Toy clients in this process, in place of a process with an adapter."""

    FEATURES = (
        "deliveries",
        "publish",
        "subscribe",
        "close",
        "gaps",
        "refusals",
        "losses",
        "republish",
        "rate",
    )

    def __init__(self, kind: type[ToyClient] = ToyClient) -> None:
        self.implementation = Implementation(Path("toy.toml"), kind.__name__, ("toy",), ("CLIENT",))
        self.retired = False
        self._kind = kind
        self._clients: dict[str, ToyClient] = {}

    @property
    def alive(self) -> bool:
        return True

    @property
    def log(self) -> str:
        return ""

    def ends(self, within: float) -> bool:
        return False

    def memory(self) -> int:
        return resident(os.getpid())

    def stop(self) -> None:
        for client in self._clients.values():
            client.ended.set()
        for client in self._clients.values():
            client.join(10.0)

    def ask(self, op: str, /, patience: float = 2.0, **fields: Any) -> Mapping[str, Any]:
        if op == "hello":
            return {"features": self.FEATURES}
        if op == "open":
            client = self._kind(fields["endpoint"], fields["stream"], fields["options"])
            if fields["pattern"] is not None:
                self._check(client, fields["pattern"])
                client.points[fields["pattern"]] = fields["latest"]
            client.start()
            self._clients[fields["client"]] = client
            return {}
        client = self._clients[fields["client"]]
        match op:
            case "subscribe":
                client.requests.put(("subscribe", fields["pattern"], fields["latest"]))
            case "publish":
                self._check(client, fields["key"])
                try:
                    return (
                        {}
                        if client.publish(fields["key"], bytes.fromhex(fields["body"]))
                        else {"again": True}
                    )
                except ValueError as error:
                    raise RefusedError(str(error)) from error
            case "events":
                return {"events": client.events.take(fields["timeout"] / 1000)}
            case "close":
                client.requests.put(("close", fields["timeout"] / 1000))
            case "drop":
                client.ended.set()
        return {}

    @staticmethod
    def _check(client: ToyClient, text: str) -> None:
        try:
            client.check_key(text)
        except ValueError as error:
            raise RefusedError(str(error)) from error
