"""The null brokers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from zeps_conformance.model.interpreter import Decoded, Interpreter, MalformedFrameError
from zeps_conformance.wire.router_server import Remote, RouterServer

__all__ = ["NULLS", "NullBroker"]


class NullBroker(RouterServer):
    """Base of the null brokers. `codec` is for those that send valid frames."""

    def __init__(self, codec: Interpreter) -> None:
        super().__init__()
        self.codec = codec

    def answer(self, remote: Remote, name: str, **values: int | str | bytes) -> None:
        remote.send(self.codec.encode(name, **values))

    def understand(self, parts: tuple[bytes, ...]) -> Decoded | None:
        """Decodes a message. Returns None if `parts` are not a valid message."""
        try:
            return self.codec.decode(parts[0]) if len(parts) == 1 else None
        except MalformedFrameError:
            return None


class ClosesOnConnect(NullBroker):
    """Closes every connection at once."""

    def opened(self, remote: Remote) -> None:
        self.hang_up(remote)


class ClosesAfterHandshake(NullBroker):
    """Completes the ZMTP handshake and closes the connection."""

    def ready(self, remote: Remote) -> None:
        self.hang_up(remote)


class ClosesOnInput(NullBroker):
    """Closes the connection on any message."""

    def received(self, remote: Remote, parts: tuple[bytes, ...]) -> None:
        self.hang_up(remote)


class Silent(NullBroker):
    """Completes the handshake and never sends anything else."""


class Echoes(NullBroker):
    """Sends back what it receives."""

    def received(self, remote: Remote, parts: tuple[bytes, ...]) -> None:
        remote.send(*parts)


class AcceptsEverything(NullBroker):
    """Confirms commands that have a confirmation. CREDIT, PUBLISH and PING-OK get no answer, other input ATTACH-OK."""

    ANSWERS: ClassVar[Mapping[str, str]] = {
        "SUBSCRIBE": "SUBSCRIBE-OK",
        "PING": "PING-OK",
        "DETACH": "DETACH-OK",
    }
    UNANSWERED: ClassVar[frozenset[str]] = frozenset({"CREDIT", "PUBLISH", "PING-OK"})

    def received(self, remote: Remote, parts: tuple[bytes, ...]) -> None:
        message = self.understand(parts)
        name = message.name if message is not None else "ATTACH"
        if name not in self.UNANSWERED:
            self.answer(remote, self.ANSWERS.get(name, "ATTACH-OK"))


class AcceptsAndDelivers(AcceptsEverything):
    """As AcceptsEverything, and delivers every message to its publisher, with sequences from 1 after each ATTACH."""

    def __init__(self, codec: Interpreter) -> None:
        super().__init__(codec)
        self.counts: dict[Remote, int] = {}

    def received(self, remote: Remote, parts: tuple[bytes, ...]) -> None:
        super().received(remote, parts)
        message = self.understand(parts)
        if message is not None and message.name == "ATTACH":
            self.counts[remote] = 0
        elif message is not None and message.name == "PUBLISH":
            self.counts[remote] = self.counts.get(remote, 0) + 1
            self.answer(
                remote, "DELIVER", sequence=self.counts[remote], key=message["key"], body=message["body"]
            )


class RefusesEverything(NullBroker):
    """Answers all input with INVALID: ``stopping`` for ATTACH, ``malformed`` or ``no-session`` otherwise."""

    def received(self, remote: Remote, parts: tuple[bytes, ...]) -> None:
        message = self.understand(parts)
        code = "malformed" if message is None else "stopping" if message.name == "ATTACH" else "no-session"
        self.answer(remote, "INVALID", reason=f"{code} no")


class RefusesAllButAttach(NullBroker):
    """Grants every ATTACH, and answers other input by INVALID of :data:`CODES`, ``malformed`` or ``no-session``."""

    CODES: ClassVar[Mapping[str, str]] = {"SUBSCRIBE": "too-many-subscriptions", "DETACH-OK": "unexpected"}

    def received(self, remote: Remote, parts: tuple[bytes, ...]) -> None:
        message = self.understand(parts)
        if message is not None and message.name == "ATTACH":
            self.answer(remote, "ATTACH-OK")
        else:
            code = "malformed" if message is None else self.CODES.get(message.name, "no-session")
            self.answer(remote, "INVALID", reason=f"{code} no")


class Stale(NullBroker):
    """Never ends a session: a connection that attached once stays attached to every stream that it named. A
    message goes to all streams of its publisher and all connections attached to them, whatever their subscriptions and
    credit. Invalid input gets INVALID and changes nothing.
    """

    def __init__(self, codec: Interpreter) -> None:
        super().__init__(codec)
        self.streams: dict[str, int] = {}
        self.places: dict[Remote, set[str]] = {}

    def received(self, remote: Remote, parts: tuple[bytes, ...]) -> None:
        message = self.understand(parts)
        if message is None or (message.name == "ATTACH" and not message["stream"]):
            code = "malformed" if message is None else "stream-name"
            self.answer(remote, "INVALID", reason=f"{code} not understood")
        elif message.name == "ATTACH":
            self.places.setdefault(remote, set()).add(str(message["stream"]))
            self.streams.setdefault(str(message["stream"]), 0)
            self.answer(remote, "ATTACH-OK")
        elif message.name in AcceptsEverything.ANSWERS:
            self.answer(remote, AcceptsEverything.ANSWERS[message.name])
        elif message.name == "PUBLISH":
            for stream in self.places.get(remote, ()):
                self.publish(stream, message)
        elif message.name not in ("CREDIT", "PING-OK"):
            self.answer(remote, "INVALID", reason="unexpected not for a broker")

    def publish(self, stream: str, message: Decoded) -> None:
        self.streams[stream] += 1
        sequence = self.streams[stream]
        for other, streams in self.places.items():
            if stream in streams and not other.closed:
                self.answer(other, "DELIVER", sequence=sequence, key=message["key"], body=message["body"])

    def gone(self, remote: Remote) -> None:
        self.places.pop(remote, None)


class DeliversToEverybody(NullBroker):
    """Refuses as a broker does, ends sessions, numbers the messages of each stream, and delivers every message to every
    session of the stream, whatever its subscriptions and credit. It replays nothing.
    """

    CODES: ClassVar[Mapping[str, str]] = {
        "unknown-message": "unknown-command",
        "bad-constant": "unsupported-version",
    }

    def __init__(self, codec: Interpreter) -> None:
        super().__init__(codec)
        self.ends: dict[str, int] = {}
        self.places: dict[Remote, str] = {}
        self.patterns: dict[Remote, list[str]] = {}

    def received(self, remote: Remote, parts: tuple[bytes, ...]) -> None:
        code, message = self.judged(remote, parts)
        if message is None:
            self.gone(remote)
            self.answer(remote, "INVALID", reason=f"{code} refused")
        elif message.name == "ATTACH":
            self.places[remote], self.patterns[remote] = str(message["stream"]), []
            self.answer(remote, "ATTACH-OK")
        elif message.name == "PUBLISH":
            self.publish(self.places[remote], message)
        elif message.name == "SUBSCRIBE":
            self.subscribe(remote, message)
        elif message.name in AcceptsEverything.ANSWERS:
            self.answer(remote, AcceptsEverything.ANSWERS[message.name])
            if message.name == "DETACH":
                self.gone(remote)
        elif message.name not in ("CREDIT", "PING-OK"):
            self.answer(remote, "INVALID", reason="unexpected not for a broker")

    def judged(self, remote: Remote, parts: tuple[bytes, ...]) -> tuple[str, Decoded | None]:
        """Returns the decoded message, or None and the code that refuses `parts`."""
        if remote.properties.get("identity"):
            return "routing-id", None
        try:
            message = self.codec.decode(parts[0]) if len(parts) == 1 else None
        except MalformedFrameError as error:
            code = self.CODES.get(error.code, "malformed")
            return "unsupported-protocol" if error.field == "protocol" else code, None
        if message is None:
            return "malformed", None
        if message.name == "ATTACH" and not message["stream"]:
            return "stream-name", None
        return "no-session", message if message.name == "ATTACH" or remote in self.places else None

    def subscribe(self, remote: Remote, message: Decoded) -> None:
        end, latest = self.ends.get(self.places[remote], 0), int(message["latest"])
        if end < latest < (1 << 64) - 1:
            self.answer(remote, "INVALID", reason=f"beyond-end {end + 1} {latest} refused")
            return
        self.patterns[remote].append(str(message["pattern"]))
        self.answer(remote, "SUBSCRIBE-OK")

    def publish(self, stream: str, message: Decoded) -> None:
        sequence = self.ends[stream] = self.ends.get(stream, 0) + 1
        key, body = message["key"], message["body"]
        for other, place in self.places.items():
            if place == stream and self.receives(other, str(key)):
                self.answer(other, "DELIVER", sequence=sequence, key=key, body=body)

    def receives(self, remote: Remote, key: str) -> bool:
        return True

    def gone(self, remote: Remote) -> None:
        self.places.pop(remote, None)
        self.patterns.pop(remote, None)


class IgnoresCredit(DeliversToEverybody):
    """As DeliversToEverybody, but a session receives only what it subscribed to; credit is ignored."""

    def receives(self, remote: Remote, key: str) -> bool:
        return any(key.startswith(pattern) for pattern in self.patterns[remote])


NULLS: dict[str, type[NullBroker]] = {
    "close-on-connect": ClosesOnConnect,
    "close-after-handshake": ClosesAfterHandshake,
    "close-on-input": ClosesOnInput,
    "silent": Silent,
    "echo": Echoes,
    "accept-everything": AcceptsEverything,
    "accept-and-deliver": AcceptsAndDelivers,
    "refuse-everything": RefusesEverything,
    "refuse-all-but-attach": RefusesAllButAttach,
    "stale": Stale,
    "deliver-to-everybody": DeliversToEverybody,
    "ignore-credit": IgnoresCredit,
}
"""The null brokers by name."""
