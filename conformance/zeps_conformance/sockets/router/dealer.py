"""A DEALER that the suite plays towards a ROUTER."""

from __future__ import annotations

from collections.abc import Sequence

from zeps_conformance.common.dialects import Dialect
from zeps_conformance.common.verdicts import FailureError
from zeps_conformance.sockets.markers import show
from zeps_conformance.sockets.peer import MessagePeer, parts_of
from zeps_conformance.sockets.router.context import RouterContext
from zeps_conformance.sockets.router.services import Asked
from zeps_conformance.wire.zmtp_codec import Frame, Properties

__all__ = ["Dealer"]


class Dealer(MessagePeer):
    """Any peer of a ROUTER: DEALER, or what its READY says. Its barriers are requests that are answered."""

    trial: RouterContext

    def introduce(self, dialect: Dialect | None, socket_type: str, properties: Properties) -> None:
        """As for every peer. UnservedError too if the implementation does not call itself a ROUTER."""
        super().introduce(dialect, socket_type, properties)
        told = self.properties.get("socket-type", b"")
        if told != self.trial.type.encode():
            raise self.unserved(f"reads Socket-Type {self.trial.type} in READY", repr(told), "ZMTP-N-7")

    def send_all(self, asked: Asked) -> None:
        """Send the messages that ask for something."""
        for parts in asked.said:
            self.send_message(*parts)

    def await_answer(self, asked: Asked, timeout: float, strange: Sequence[Asked] = ()) -> list[Frame] | None:
        """The frames of the answer; None if it does not come in time. What came before it is dropped.

        FailureError if an answer to one of `strange` comes before, which others have asked.
        """
        found: list[list[Frame]] = []

        def came() -> bool:
            while self.messages and not found:
                message = self.messages.popleft()
                if any(other.answers(parts_of(message)) for other in strange):
                    raise FailureError(f"{self.name} gets its own answers", show(parts_of(message)))
                if asked.answers(parts_of(message)):
                    found.append(message)
            return bool(found)

        self._wait_quietly(came, self.trial.within(timeout))
        return found[0] if came() else None

    def next_message(self, timeout: float) -> list[Frame]:
        """The frames of the next message; none if it does not come in time."""
        self._wait_quietly(lambda: bool(self.messages), self.trial.within(timeout))
        return self.messages.popleft() if self.messages else []

    def exchange(self, body: bytes, rule: str | None = None) -> list[Frame]:
        """Ask for `body`, and get it: the answer's frames."""
        asked = self.trial.ask(body)
        self.send_all(asked)
        frames = self.await_answer(asked, self.trial.options.timeout)
        seen = self.lost or ("it came" if frames else "nothing of the kind")
        expected = (
            f"{self.name} is answered with {show((body,)) if len(body) < 100 else f'{len(body)} octets'}"
        )
        self.trial.check(frames is not None, expected, seen, rule)
        return frames or []

    def _pass_barrier(self, timeout: float) -> None:
        asked = self.trial.service.prove(self.trial.token())
        self.send_all(asked)
        if self.await_answer(asked, timeout) is None:
            raise self.unserved("is answered", self.lost or "no answer came")
