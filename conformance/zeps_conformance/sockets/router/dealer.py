"""A DEALER that the suite plays towards a ROUTER."""

from __future__ import annotations

from collections.abc import Sequence

from zeps_conformance.common.dialects import Dialect
from zeps_conformance.common.verdicts import FailureError, UnservedError
from zeps_conformance.sockets.markers import show
from zeps_conformance.sockets.peer import MessagePeer, parts_of
from zeps_conformance.sockets.router.context import RouterContext
from zeps_conformance.sockets.router.services import Asked
from zeps_conformance.wire.zmtp_codec import Frame, Properties

__all__ = ["Dealer"]


class Dealer(MessagePeer):
    """Any peer of a ROUTER: a DEALER, or the socket type in its READY. Its barriers are requests and their answers."""

    trial: RouterContext

    def introduce(self, dialect: Dialect | None, socket_type: str, properties: Properties) -> None:
        """As for every peer. Also raises UnservedError if the implementation's READY does not have the type ROUTER."""
        super().introduce(dialect, socket_type, properties)
        peer_type = self.properties.get("socket-type", b"")
        if peer_type != self.trial.type.encode():
            raise self.unserved(f"reads Socket-Type {self.trial.type} in READY", repr(peer_type), "ZMTP-N-7")

    def send_all(self, asked: Asked) -> None:
        """Sends the messages of a request."""
        for parts in asked.said:
            self.send_message(*parts)

    def await_answer(self, asked: Asked, timeout: float, strange: Sequence[Asked] = ()) -> list[Frame] | None:
        """Drops messages up to the answer, and returns its frames; None on timeout or if the connection ends. Raises
        FailureError if an answer to one of `strange`, requests of other peers, arrives before it.
        """
        answers: list[list[Frame]] = []

        def came() -> bool:
            while self.messages and not answers:
                message = self.messages.popleft()
                if any(other.answers(parts_of(message)) for other in strange):
                    raise FailureError(f"{self.name} gets its own answers", show(parts_of(message)))
                if asked.answers(parts_of(message)):
                    answers.append(message)
            return bool(answers)

        self._wait_quietly(came, self.trial.within(timeout))
        return answers[0] if came() else None

    def next_message(self, timeout: float) -> list[Frame]:
        """Returns the frames of the next message; an empty list after `timeout` seconds, or if the connection ends."""
        self._wait_quietly(lambda: bool(self.messages), self.trial.within(timeout))
        return self.messages.popleft() if self.messages else []

    def exchange(self, body: bytes, rule: str | None = None) -> list[Frame]:
        """Sends a request whose answer must contain `body`, and checks that the answer arrives. Returns its frames.
        Raises UnservedError instead of an observation under a MAY.
        """
        asked = self.trial.ask(body)
        self.send_all(asked)
        frames = self.await_answer(asked, self.trial.options.timeout)
        seen = self.lost or ("it arrived" if frames else "another message or nothing")
        expected = (
            f"{self.name} is answered with {show((body,)) if len(body) < 100 else f'{len(body)} bytes'}"
        )
        if frames is None and self.trial.level(rule) == "MAY":
            raise UnservedError(expected, seen)
        self.trial.check(frames is not None, expected, seen, rule)
        return frames or []

    def _pass_barrier(self, timeout: float) -> None:
        asked = self.trial.service.prove(self.trial.token())
        self.send_all(asked)
        if self.await_answer(asked, timeout) is None:
            raise self.unserved("is answered", self.lost or "no answer arrived")
