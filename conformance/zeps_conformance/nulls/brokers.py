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
    """Closes the connection on any input."""

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
    """Never ends a session: a connection that attached once stays attached to every stream that it named. It delivers a
    message to all of these, whatever their subscriptions and credit. Invalid input gets INVALID and changes nothing.
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
}
"""The null brokers by name."""
