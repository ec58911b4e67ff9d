"""Peer with a completed handshake that the suite plays; barriers use it."""

from __future__ import annotations

import socket
from collections import deque
from collections.abc import Sequence
from typing import ClassVar, Self

from zeps_conformance.common.dialects import V3_1, Dialect
from zeps_conformance.common.verdicts import FailureError, UnservedError
from zeps_conformance.sockets.connection import Connection
from zeps_conformance.sockets.context import Opposite, SocketContext
from zeps_conformance.sockets.listener import Listener
from zeps_conformance.sockets.markers import Parts, show
from zeps_conformance.wire.zmtp_codec import Frame, Properties

__all__ = ["MessagePeer", "Peer", "parts_of"]


UNDER_WAY = "under way"
#: What an implementation does with a peer that speaks a higher version than it announces, by the result of a probe.
BEYOND = {
    "closed": "closes the connection of a peer",
    "silent": "does not serve a peer",
    "older": "uses the forms of {} with a peer",
}


class Peer(Connection):
    """A connection after its handshake, in `dialect`. `opposite` is the other side for barriers, by default the
    trial's. `listener` is set only by :meth:`accept`; `SOCKET_TYPE` is the default socket type.
    """

    SOCKET_TYPE: ClassVar[str]
    listener: Listener

    def __init__(
        self, trial: SocketContext, link: socket.socket, name: str, opposite: Opposite | None = None
    ) -> None:
        super().__init__(trial, link, name)
        self._opposite = opposite
        self._pongs: deque[Frame] = deque()

    @classmethod
    def of(cls, connection: Connection, dialect: Dialect | None = None) -> Self:
        """Takes over `connection` after a handshake by hand; it then counts as ended. Raises LostError if it has ended
        before. `dialect` is by default the case's, or the implementation's if that is lower.
        """
        link, trial = connection.hand_over(), connection.trial
        peer = trial.keep(cls(trial, link, connection.name))
        peer.take_over(connection)
        peer.dialect = dialect or min(
            trial.dialect, connection.dialect, key=lambda candidate: candidate.value
        )
        return peer

    @classmethod
    def accept(
        cls,
        listener: Listener,
        name: str,
        dialect: Dialect | None = None,
        socket_type: str | None = None,
        properties: Properties = (),
        within: float | None = None,
        opposite: Opposite | None = None,
    ) -> Self:
        """Accepts the next connection at `listener`, and completes the handshake. Raises FailureError if none arrives
        for `within` seconds, by default the run's timeout, and then as :meth:`introduce`.
        """
        trial = listener.trial
        peer = trial.keep(cls(trial, listener.accept_socket(name, within), name, opposite))
        peer.listener = listener
        peer.nudge_unless_greeted(trial.nudge)
        peer.introduce(dialect, socket_type or cls.SOCKET_TYPE, properties)
        return peer

    @property
    def opposite(self) -> Opposite:
        return self._opposite or self.trial.opposite

    def introduce(self, dialect: Dialect | None, socket_type: str, properties: Properties) -> None:
        """Performs the handshake with `dialect`, by default the case's, else the implementation's own, 3.1 at most.
        Raises UnservedError if it fails, and UnsupportedError if the implementation announces a lower version than
        `dialect` and a barrier in `dialect` does not pass.
        """
        required = dialect or self.trial.case.dialect
        try:
            if required is None:
                self.greet_suitably()
            else:
                self.send_greeting(required.value)
                self.read_greeting()
            self.send_ready(socket_type, properties)
            self.finish_handshake()
        except UnservedError:
            raise
        except FailureError as error:
            raise self.unserved("completes the handshake", error.seen, error.rule) from error
        if required is V3_1 and self.dialect is not V3_1:
            self._require_more_than_announced(required)
        self.dialect = min(required or V3_1, self.dialect, key=lambda candidate: candidate.value)

    def _require_more_than_announced(self, required: Dialect) -> None:
        """Raises UnsupportedError unless a probe in `required` is served; it is made once for each kind of peer, and
        the peers that it needs itself are not judged.
        """
        announced, self.dialect = self.dialect, required
        results, kind = self.trial.implementation.beyond, f"{self.trial.type} to {type(self).__name__}"
        if kind not in results:
            results[kind] = UNDER_WAY
            try:
                results[kind] = self.probe()
            finally:
                if results[kind] == UNDER_WAY:
                    del results[kind]
        if results[kind] not in ("served", UNDER_WAY):
            reason = BEYOND[results[kind]].format(announced)
            self.trial.unsupported(
                f"the implementation announces ZMTP {announced}, and {reason} that speaks {required}"
            )

    def barrier(self) -> None:
        """Waits until all input of this peer is processed, and output for it has arrived; UnservedError if not."""
        self._pass_barrier(self.trial.options.timeout)

    def probe(self, within: float = 1.0) -> str:
        """Tries a barrier for `within` seconds. Returns ``served``, ``closed`` (lost the connection) or ``silent``.
        Raises FailureError only if the implementation has exited, and OutOfTimeError if the case's limit shortens it.
        """
        try:
            self._pass_barrier(within)
        except FailureError:
            if not self.trial.implementation.alive:
                raise
            self.trial.check_time()
            return "closed" if self.lost else "silent"
        return "served"

    def ping(self, ttl: int = 0, context: bytes = b"") -> None:
        """Sends PING; `ttl` is in tenths of a second, 0 for none."""
        self.send_command("PING", ttl=ttl, context=context)

    def expect_pong(self, context: bytes, rule: str | None = None) -> None:
        """Checks that the next PONG contains `context`."""
        pong = self.next_pong()
        seen = "nothing" if pong is None else self.trial.wire.describe(pong)
        expected = f"{self.name} receives PONG with context {show((context,))}"
        self.trial.check(pong is not None and pong.values.get("context") == context, expected, seen, rule)

    def next_pong(self, within: float | None = None) -> Frame | None:
        """Returns the next PONG with any context; None if none arrives in time, or the connection ends."""
        self._wait_quietly(lambda: bool(self._pongs), self._patience(within))
        return self._pongs.popleft() if self._pongs else None

    def _pass_barrier(self, timeout: float) -> None:
        raise NotImplementedError

    def heard(self, frame: Frame) -> None:
        if frame.command and frame.name == "PONG":
            self._pongs.append(frame)
        else:
            super().heard(frame)


class MessagePeer(Peer):
    """A peer that receives messages: `messages` are those not yet read, oldest first, each as its frames."""

    def __init__(
        self, trial: SocketContext, link: socket.socket, name: str, opposite: Opposite | None = None
    ) -> None:
        super().__init__(trial, link, name, opposite)
        self._frames: list[Frame] = []
        self.messages: deque[list[Frame]] = deque()

    def heard(self, frame: Frame) -> None:
        if frame.command:
            super().heard(frame)
            return
        self._frames.append(frame)
        if not frame.more:
            frames, self._frames = self._frames, []
            self.heard_message(frames)

    def heard_message(self, frames: list[Frame]) -> None:
        """Handles a message."""
        self.messages.append(frames)


def parts_of(frames: Sequence[Frame]) -> Parts:
    """Returns the contents of a message's frames."""
    return tuple(frame.body for frame in frames)
