"""Rules that bind clients, as far as a capture proves that a client violates them.

A capture does not show when a client has read a frame. A client is therefore judged by what it sent itself, and by an
answer that is missing `PATIENCE` seconds after a frame of the broker arrived.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from zeps_conformance.broker.reason import Reasons
from zeps_conformance.broker.referee import BROKER_SENDS
from zeps_conformance.common.verdicts import FailureError
from zeps_conformance.model.interpreter import Decoded, Interpreter, MalformedFrameError

__all__ = ["PATIENCE", "ClientRules", "Misdeed", "rule_of"]

PATIENCE = 30.0  # seconds; the longest timeout that ZEPS-PING-8 recommends
BOTH_SEND = frozenset({"PING", "PING-OK", "DETACH", "DETACH-OK"})
#: Commands that may still answer a frame of the broker after the client's DETACH.
ANSWERS = frozenset({"PING-OK", "DETACH-OK"})
#: The rule about a frame that does not decode, by the error's code: a rule for its sender, or why it is refused.
RULES = {
    "truncated": "ZEPS-FRAME-5",
    "trailing": "ZEPS-FRAME-4",
    "bad-signature": "ZEPS-FRAME-7",
    "unknown-message": "ZEPS-FRAME-7",
    "too-long": "ZEPS-PUBLISH-7",
}


@dataclass(frozen=True, slots=True)
class Misdeed:
    """A violation by the client. `number`: that of the message that shows it, which is the broker's if it is `owed` an
    answer, and else the client's.
    """

    rule: str
    expected: str
    seen: str
    number: int
    owed: bool = False


@dataclass(frozen=True, slots=True)
class _Owed:
    """A frame of the broker that the client has to answer."""

    time: float
    number: int


def rule_of(codec: Interpreter, frame: bytes, error: MalformedFrameError) -> str | None:
    """Returns the rule that the sender of a frame with `error` violates; None for an ATTACH with other constants."""
    if error.code == "bad-constant":
        return None
    if error.code != "bad-text":
        return RULES.get(error.code, "ZEPS-FRAME-5")
    text = _field(codec, frame, error)
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return "ZEPS-TEXT-1"
    return "ZEPS-TEXT-2"


def _field(codec: Interpreter, frame: bytes, error: MalformedFrameError) -> bytes:
    """Returns the bytes of the text in which decoding ended; the fields before it are intact."""
    assert error.message is not None
    at = len(codec.signature) + 1
    for field in codec.model.message(error.message).fields:
        size = field.size
        if field.type in ("string", "chunk"):
            start, length = at + size, int.from_bytes(frame[at : at + size], "big")
            if field.name == error.field:
                return frame[start : start + length]
            at = start + length
        else:
            at += size
    return b""


class ClientRules:
    """Follows one connection: the caller passes what both sides sent, in order, with the time in seconds and a number
    for :class:`Misdeed`. Every method yields violations, each rule once.
    """

    def __init__(self, codec: Interpreter, reasons: Reasons) -> None:
        self._codec = codec
        self._reasons = reasons
        self._attached = False  # whether it has ever sent ATTACH
        self._may_have_session = False
        self._detached_by_broker: _Owed | None = None
        self._ended_at: float | None = None  # when an INVALID ended the session, until the next ATTACH
        self._pings: deque[_Owed] = deque()
        self._reported: set[str] = set()

    def sent(
        self,
        message: Decoded | MalformedFrameError | None,
        parts: tuple[bytes, ...],
        time: float,
        number: int,
    ) -> Iterator[Misdeed]:
        """Judges a message of the client: decoded, or its error, or None if it has several parts."""
        yield from self.until(time)
        if message is None:
            yield from self._report("ZEPS-FRAME-3", "messages of one part", f"{len(parts)} parts", number)
            self._forget()
            return
        if isinstance(message, MalformedFrameError):
            rule = rule_of(self._codec, parts[0], message)
            if rule is not None:
                seen = f"{parts[0][:32].hex(' ')} ({message})"
                yield from self._report(rule, "frames that decode", seen, number)
            self._forget()
            if message.message == "ATTACH":  # of another version, for example
                self._attached = self._may_have_session = True
            return
        if message.name in BROKER_SENDS - BOTH_SEND:
            yield from self._report("ZEPS-INVALID-7", "commands that a client sends", message.name, number)
        elif message.name == "ATTACH":
            self._forget()
            self._attached = self._may_have_session = True
        else:
            yield from self._command(message, time, number)

    def received(self, message: Decoded, time: float, number: int) -> Iterator[Misdeed]:
        """Notes a frame of the broker, and judges as :meth:`until`."""
        yield from self.until(time)
        if message.name == "PING" and self._may_have_session and self._ended_at is None:
            self._pings.append(_Owed(time, number))
        elif message.name == "DETACH" and self._may_have_session:
            self._detached_by_broker = self._detached_by_broker or _Owed(time, number)
        elif message.name == "INVALID" and self._ends_session(str(message["reason"])):
            self._pings.clear()
            self._detached_by_broker = None
            self._ended_at = time

    def until(self, time: float) -> Iterator[Misdeed]:
        """Judges what the client has not answered by `time`, while the connection was open."""
        if self._pings and time - self._pings[0].time > PATIENCE:
            owed = self._pings[0]
            seen = f"none in the {PATIENCE:g} s after PING"
            yield from self._report("ZEPS-PING-2", "PING-OK after PING", seen, owed.number, owed=True)
        detach = self._detached_by_broker
        if detach is not None and time - detach.time > PATIENCE:
            seen = f"none in the {PATIENCE:g} s after DETACH"
            expected = "DETACH-OK after DETACH"
            yield from self._report("ZEPS-DETACH-3", expected, seen, detach.number, owed=True)

    def _command(self, message: Decoded, time: float, number: int) -> Iterator[Misdeed]:
        """Judges a command other than ATTACH."""
        if not self._may_have_session and not (self._attached and message.name in ANSWERS):
            after = "after its DETACH" if self._attached else "at the beginning"
            yield from self._report("ZEPS-ATTACH-7", "ATTACH", f"{message.name} {after}", number)
        elif self._ended_at is not None and time - self._ended_at > PATIENCE:
            seen = f"{message.name}, {time - self._ended_at:.0f} s after an INVALID that ended the session"
            yield from self._report("ZEPS-SESSION-2", "ATTACH", seen, number)
        elif message.name == "PING-OK" and self._pings:
            self._pings.popleft()
        elif message.name == "DETACH" or (message.name == "DETACH-OK" and self._detached_by_broker):
            self._forget()
            self._may_have_session = False

    def _forget(self) -> None:
        """Ends all that the client owes: its session is over, or may be."""
        self._pings.clear()
        self._detached_by_broker = None
        self._ended_at = None

    def _ends_session(self, reason: str) -> bool:
        try:
            return self._reasons.ends_session(self._reasons.read(reason).code)
        except FailureError:
            return False

    def _report(
        self, rule: str, expected: str, seen: str, number: int, owed: bool = False
    ) -> Iterator[Misdeed]:
        if rule not in self._reported:
            self._reported.add(rule)
            yield Misdeed(rule, expected, seen, number, owed)
