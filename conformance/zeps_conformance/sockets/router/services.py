"""Services behind a ROUTER: the requests of a DEALER, and the answers that show that it is served. ZMTP does not define
these, so a run names a service: a class here and its name in :data:`SERVICES`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from zeps_conformance.model.definitions import load_model
from zeps_conformance.model.interpreter import Interpreter, MalformedFrameError
from zeps_conformance.sockets.markers import Parts

__all__ = ["SERVICES", "Asked", "Service", "service_of"]


class Asked(Protocol):
    """A request and its expected answer."""

    said: tuple[Parts, ...]
    """The messages of the request, in order."""

    def answers(self, message: Parts) -> bool:
        """Returns whether `message` is the expected answer to this request."""


class Service(Protocol):
    name: str
    parts_max: int | None
    """Maximum number of frames of a message; None if it is not limited."""
    body_max: int
    """Maximum number of bytes that :meth:`ask` can carry."""

    def ask(self, token: bytes, *bodies: bytes) -> tuple[Asked, ...]:
        """Returns requests, to send in order, whose answers contain the different `bodies`. All belong to the
        conversation `token`: unique, 1 to 40 letters and digits.
        """

    def prove(self, token: bytes) -> Asked:
        """Returns a minimal request whose answer shows that a peer is served, whatever the peer has sent before."""

    def mixture(self, data: bytes) -> tuple[Parts, ...]:
        """Returns messages of a client, some of them invalid for the service; `data` are their arbitrary content."""


class Reply:
    """An answer that is exactly one message."""

    def __init__(self, said: tuple[Parts, ...], answer: Parts) -> None:
        self.said = said
        self._answer = answer

    def answers(self, message: Parts) -> bool:
        return message == self._answer


class Echo:
    """A service that sends every message back unchanged."""

    name = "echo"
    parts_max: int | None = None
    body_max = 64 << 20

    def ask(self, token: bytes, *bodies: bytes) -> tuple[Asked, ...]:
        return tuple(Reply(((token, body),), (token, body)) for body in bodies)

    def prove(self, token: bytes) -> Asked:
        return Reply(((token,),), (token,))

    def mixture(self, data: bytes) -> tuple[Parts, ...]:
        return ((data,), (b"", data[:20], b""), (data * 10,))


class ZepsReply:
    """A request whose answer is the ZEPS message `name`, with `body` unless that is None."""

    def __init__(
        self, codec: Interpreter, said: tuple[Parts, ...], name: str, body: bytes | None = None
    ) -> None:
        self.said = said
        self._codec = codec
        self._name = name
        self._body = body

    def answers(self, message: Parts) -> bool:
        if len(message) != 1:
            return False
        try:
            decoded = self._codec.decode(message[0])
        except MalformedFrameError:
            return False
        return decoded.name == self._name and (self._body is None or decoded["body"] == self._body)


class Zeps:
    """A broker of ZEPS: it answers PING, and delivers the messages that a session publishes to its own stream."""

    name = "zeps"
    parts_max: int | None = 1
    body_max = 60_000

    def __init__(self, model: Path | None = None) -> None:
        self._codec = Interpreter(load_model(model))

    def ask(self, token: bytes, *bodies: bytes) -> tuple[Asked, ...]:
        said = (
            *self._session(token),
            self._said("SUBSCRIBE", pattern="", latest=0),
            self._said("CREDIT", credit=1 << 24),
        )
        asked: list[Asked] = []
        for body in bodies:
            asked.append(
                ZepsReply(self._codec, (*said, self._said("PUBLISH", key="key", body=body)), "DELIVER", body)
            )
            said = ()
        return tuple(asked)

    def prove(self, token: bytes) -> Asked:
        return ZepsReply(self._codec, (*self._session(token), self._said("PING")), "PING-OK")

    def mixture(self, data: bytes) -> tuple[Parts, ...]:
        return (*self.ask(data[:8].hex().encode(), data)[0].said, (data,), (data[:3], b""))

    def _session(self, token: bytes) -> tuple[Parts, ...]:
        """Returns the messages that open a session on the token's stream, in place of an older one (ZEPS-ATTACH-4)."""
        return (self._said("ATTACH", stream=f"conform/{token.decode()}"),)

    def _said(self, name: str, **values: int | str | bytes) -> Parts:
        return (self._codec.encode(name, **values),)


SERVICES: Mapping[str, str] = {
    Zeps.name: "a broker of ZEPS",
    Echo.name: "a service that sends every message back",
}
"""The names of services, and their descriptions."""


def service_of(name: str, model: Path | None = None) -> Service:
    """Returns a service; `model` is its protocol's file, by default the packaged copy. Raises ValueError if the name is
    unknown, and ModelFileError if the file is invalid or lacks the protocol.
    """
    if name == Zeps.name:
        return Zeps(model)
    if name == Echo.name:
        return Echo()
    raise ValueError(f"unknown service {name!r}; known: {', '.join(SERVICES)}")
