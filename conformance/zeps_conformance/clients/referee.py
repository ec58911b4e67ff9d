"""Referee of one connection of a client: it judges every frame by what the suite, as the broker, has sent."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from zeps_conformance.common.verdicts import FailureError
from zeps_conformance.model.interpreter import Decoded, Interpreter, MalformedFrameError

__all__ = ["CLIENT_SENDS", "ClientReferee", "Phase"]

CLIENT_SENDS = frozenset(
    {"ATTACH", "SUBSCRIBE", "CREDIT", "PUBLISH", "PING", "PING-OK", "DETACH", "DETACH-OK"}
)
#: The rule that a frame violates, by the error of its decoding.
_BROKEN = {
    "bad-signature": "ZEPS-FRAME-7",
    "unknown-message": "ZEPS-FRAME-7",
    "bad-constant": "ZEPS-ATTACH-7",
    "too-long": "ZEPS-CHUNK-1",
}


class Phase(Enum):
    """State of a connection's session, according to the frames in both directions."""

    NEW = "without a session"
    ATTACHING = "with an ATTACH without an answer"
    OPEN = "in an open session"
    LEAVING = "after DETACH"
    ENDED = "after the end of the session by the broker"
    CLOSED = "after DETACH-OK"


class ClientReferee:
    """Call :meth:`received` with each message of the client and :meth:`sent` with each of the suite, in order. `phase`:
    see :class:`Phase`. `credit`: bytes that the suite may still send; `detaching`: the suite sent DETACH.
    """

    def __init__(self, codec: Interpreter, stream: str) -> None:
        self._codec = codec
        self._stream = stream
        self.phase = Phase.NEW
        self.credit = 0
        self.detaching = False
        self.pings = 0  # of the suite, without an answer

    def received(self, parts: Sequence[bytes]) -> Decoded:
        """Decodes and judges a message of the client. Raises FailureError under the violated rule."""
        message = self._decode(parts)
        name = message.name
        if name not in CLIENT_SENDS:
            raise FailureError("commands that a client may send", name, "ZEPS-FRAME-7")
        if name == "ATTACH":
            self._attach(message)
        elif name == "DETACH-OK":
            if not self.detaching:
                raise FailureError("no DETACH-OK without the broker's DETACH", name, "ZEPS-DETACH-3")
            self.phase = Phase.CLOSED
        elif name == "PING-OK":
            self.pings = max(self.pings - 1, 0)
            self._check_phase(name, (Phase.ATTACHING, Phase.OPEN, Phase.ENDED, Phase.NEW))
        else:
            self._check_phase(name, (Phase.OPEN, Phase.ENDED))
            self._use(message)
        return message

    def sent(self, message: Decoded) -> None:
        """Records a valid message of the suite. The suite records the end of a session by INVALID by :meth:`ended`."""
        match message.name:
            case "ATTACH-OK" if self.phase is Phase.ATTACHING:
                self.phase = Phase.OPEN
                self.credit = 0
                self.detaching = False
            case "DELIVER":
                self.credit -= message.size
            case "PING":
                self.pings += 1
            case "DETACH":
                self.detaching = True
                if self.phase is not Phase.LEAVING:
                    self.phase = Phase.ENDED
            case "DETACH-OK":
                self.phase = Phase.CLOSED

    def reconnected(self) -> None:
        """Records that a library may have connected again without the client's knowledge: what the client sends before
        it learns of that, by INVALID with the code no-session, has no session (rule no-session of the grammar).
        """
        self.phase = Phase.ENDED

    def ended(self) -> None:
        """Records that the suite ended the session, or refused an ATTACH, by INVALID."""
        self.phase = Phase.ENDED
        self.credit = 0

    def _attach(self, message: Decoded) -> None:
        if self.phase in (Phase.ATTACHING, Phase.LEAVING):
            raise FailureError(
                "the next ATTACH after the answer", f"ATTACH {self.phase.value}", "ZEPS-ATTACH-7"
            )
        if message["stream"] != self._stream:
            seen = f"{message['stream']!a}"
            raise FailureError(f"the stream {self._stream!a} in ATTACH", seen, "ZEPS-TEXT-1")
        self.phase = Phase.ATTACHING
        self.detaching = False

    def _use(self, message: Decoded) -> None:
        if message.name == "CREDIT":
            self.credit += int(message["credit"])
        elif message.name == "DETACH":
            self.phase = Phase.LEAVING

    def _check_phase(self, name: str, allowed: Sequence[Phase]) -> None:
        if self.phase not in allowed:
            seen = f"{name} {self.phase.value}"
            raise FailureError("ATTACH, and its answer, before any other command", seen, "ZEPS-ATTACH-7")

    def _decode(self, parts: Sequence[bytes]) -> Decoded:
        if len(parts) != 1:
            raise FailureError("messages of a single part", f"{len(parts)} parts", "ZEPS-FRAME-3")
        try:
            return self._codec.decode(parts[0])
        except MalformedFrameError as error:
            raise FailureError("frames that decode", str(error), self._rule(error, parts[0])) from error

    def _rule(self, error: MalformedFrameError, frame: bytes) -> str:
        if error.code in _BROKEN:
            return _BROKEN[error.code]
        message = None if error.message is None else self._codec.model.message(error.message)
        field = None if message is None else next((f for f in message.fields if f.name == error.field), None)
        if error.code == "bad-text":
            return "ZEPS-TEXT-2" if _is_utf8(frame) else "ZEPS-TEXT-1"
        if field is not None:
            return {"string": "ZEPS-TEXT-1", "chunk": "ZEPS-CHUNK-1"}.get(field.type, "ZEPS-FRAME-2")
        return "ZEPS-FRAME-7" if message is None else "ZEPS-FRAME-2"


def _is_utf8(frame: bytes) -> bool:
    """Returns whether all text from the first field on is UTF-8; lengths count as text, which errs for TEXT-1."""
    try:
        frame[3:].decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
