"""What being served means: how a DEALER asks what is behind a ROUTER for something, and knows that it has got it.

ZMTP says nothing of what a ROUTER answers, so a run is told. A further service is a class here and its name in
:data:`SERVICES`.
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
    """What has to come for something that was asked."""

    said: tuple[Parts, ...]
    """The messages that ask for it, in order."""

    def answers(self, message: Parts) -> bool:
        """Whether `message` is the answer. What else comes is none of it."""


class Service(Protocol):
    name: str
    parts_max: int | None
    """How many frames a message may have; None if any number."""
    body_max: int
    """Octets that :meth:`ask` can carry."""

    def ask(self, token: bytes, *bodies: bytes) -> tuple[Asked, ...]:
        """Ask for each of `bodies` to come back in a message, in that order; all belong to one conversation.

        `token` differs from time to time, and has 1 to 40 letters and digits. The bodies have to differ.
        """

    def prove(self, token: bytes) -> Asked:
        """The least that shows that a peer is served, whatever it has done before."""

    def mixture(self, octets: bytes) -> tuple[Parts, ...]:
        """Messages as a lively client sends them; `octets` are for those whose octets are any."""


class Reply:
    """One message that has to be just so."""

    def __init__(self, said: tuple[Parts, ...], answer: Parts) -> None:
        self.said = said
        self._answer = answer

    def answers(self, message: Parts) -> bool:
        return message == self._answer


class Echo:
    """Whatever is sent to the ROUTER comes back as it was."""

    name = "echo"
    parts_max: int | None = None
    body_max = 64 << 20

    def ask(self, token: bytes, *bodies: bytes) -> tuple[Asked, ...]:
        return tuple(Reply(((token, body),), (token, body)) for body in bodies)

    def prove(self, token: bytes) -> Asked:
        return Reply(((token,),), (token,))

    def mixture(self, octets: bytes) -> tuple[Parts, ...]:
        return ((octets,), (b"", octets[:20], b""), (octets * 10,))


class ZepsReply:
    """A message of ZEPS that a session of its own brings."""

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
            found = self._codec.decode(message[0])
        except MalformedFrameError:
            return False
        return found.name == self._name and (self._body is None or found["body"] == self._body)


class Zeps:
    """A broker of ZEPS: it answers PING, and delivers what a session publishes to its own stream."""

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

    def mixture(self, octets: bytes) -> tuple[Parts, ...]:
        return (*self.ask(octets[:8].hex().encode(), octets)[0].said, (octets,), (octets[:3], b""))

    def _session(self, token: bytes) -> tuple[Parts, ...]:
        """Whatever session there is, a new one takes its place (ZEPS-ATTACH-4)."""
        return (self._said("ATTACH", stream=f"conform/{token.decode()}"),)

    def _said(self, name: str, **values: int | str | bytes) -> Parts:
        return (self._codec.encode(name, **values),)


SERVICES: Mapping[str, str] = {
    Zeps.name: "a broker of ZEPS",
    Echo.name: "what is sent to it comes back",
}
"""The names of services, and what each takes for being served."""


def service_of(name: str, model: Path | None = None) -> Service:
    """The service called `name`. ValueError if there is none; ModelFileError if `model` lacks its protocol."""
    if name == Zeps.name:
        return Zeps(model)
    if name == Echo.name:
        return Echo()
    raise ValueError(f"no service is called {name!r}; there are {', '.join(SERVICES)}")
