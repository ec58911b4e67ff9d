"""Watches one connection and knows, from what was sent, what the broker may send.

Every case has it for nothing: whatever a case is about, a DELIVER beyond the credit, a sequence that comes
twice or a message of another stream fails it. The referee judges only what is certain from this side of the
wire: what the broker may already have been sending while a command was on its way gets the benefit of the
doubt.
"""

from __future__ import annotations

import hashlib
from collections import deque
from dataclasses import dataclass, field

from zeps_conformance.interpreter import Decoded
from zeps_conformance.verdicts import FailureError

__all__ = ["CREDIT_MAX", "Ledger", "Referee"]

CREDIT_MAX = (1 << 64) - 1
BROKER_SENDS = frozenset(
    {"ATTACH-OK", "SUBSCRIBE-OK", "DELIVER", "PING", "PING-OK", "DETACH", "DETACH-OK", "INVALID"}
)
CLIENT_SENDS = frozenset(
    {"ATTACH", "SUBSCRIBE", "CREDIT", "PUBLISH", "PING", "PING-OK", "DETACH", "DETACH-OK"}
)


class Ledger:
    """Which message each sequence of each stream named, over all sessions of a case."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, int], tuple[str, bytes, int]] = {}

    def record(self, stream: str, sequence: int, key: str, body: bytes) -> None:
        """FailureError if the sequence was delivered before with another key or body (ZEPS-DELIVER-2)."""
        entry = (key, hashlib.sha256(body).digest(), len(body))
        before = self._known.setdefault((stream, sequence), entry)
        if before != entry:
            raise FailureError(
                f"sequence {sequence} to name the message it named before "
                f"(key {before[0]!a}, {before[2]} octets)",
                f"key {key!a}, {len(body)} octets",
                "ZEPS-DELIVER-2",
            )


@dataclass(slots=True)
class _Session:
    """One session as far as this side can know it."""

    stream: str
    credit: int = 0
    granted: bool = False
    leaving: bool = False
    asked: deque[str] = field(default_factory=deque)
    patterns: list[str] = field(default_factory=list)
    seen: set[int] = field(default_factory=set)
    last: int = 0


class Referee:
    """What :meth:`sent` and :meth:`received` are told, in order, decides what is legal next."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._open: _Session | None = None
        self._coming: deque[_Session] = deque()
        self._bad = 0
        self._pings = 0
        self._ended = "ZEPS-SESSION-1"

    @property
    def attached(self) -> bool:
        """Whether, as far as the answers tell, a session is open."""
        return self._open is not None

    @property
    def settled(self) -> bool:
        """Whether a session is open, and nothing that was sent may yet end it."""
        session = self._open
        return session is not None and not session.leaving and not self._coming and not self._bad

    def sent(self, message: Decoded | None) -> None:
        """The suite sent `message`, or, if None, something that the broker has to refuse."""
        if message is None:
            self._bad += 1
            return
        session = self._coming[-1] if self._coming else self._open
        if message.name == "ATTACH":
            self._coming.append(_Session(str(message["stream"])))
        elif session is None or message.name not in CLIENT_SENDS:
            self._bad += 1
        elif message.name == "SUBSCRIBE":
            session.asked.append(str(message["pattern"]))
        elif message.name == "CREDIT":
            session.granted = True
            session.credit = min(session.credit + int(message["credit"]), CREDIT_MAX)
        elif message.name == "PING":
            self._pings += 1
        elif message.name == "DETACH":
            session.leaving = True
        elif message.name == "DETACH-OK":
            self._end("ZEPS-DETACH-2")

    def received(self, message: Decoded) -> None:
        """The broker sent `message`. FailureError if it may not."""
        if message.name not in BROKER_SENDS:
            raise FailureError("only commands that a broker sends", message.name)
        if message.name == "DELIVER":
            self._deliver(message)
        elif message.name == "ATTACH-OK":
            if not self._coming:
                raise FailureError("no ATTACH-OK without an ATTACH", "ATTACH-OK")
            self._open = self._coming.popleft()
        elif message.name == "SUBSCRIBE-OK":
            if self._open is None or not self._open.asked:
                raise FailureError("no SUBSCRIBE-OK without a SUBSCRIBE in an open session", "SUBSCRIBE-OK")
            self._open.patterns.append(self._open.asked.popleft())
        elif message.name == "PING-OK":
            if not self._pings:
                raise FailureError("no PING-OK without a PING in an open session", "PING-OK")
            self._pings -= 1
        elif message.name == "DETACH-OK":
            self._end("ZEPS-DETACH-2")
        elif message.name == "INVALID":
            if self._bad:
                self._bad -= 1
            elif self._coming:
                self._coming.popleft()
            self._end("ZEPS-INVALID-2")

    def forgotten(self) -> None:
        """The session is known to have ended without a word (ZEPS-PING-6)."""
        self._end("ZEPS-PING-6")

    def _end(self, rule: str) -> None:
        """What the session left unanswered now gets INVALID each."""
        if self._open is not None:
            self._bad += self._pings + len(self._open.asked)
        self._open = None
        self._pings = 0
        self._ended = rule

    def _deliver(self, message: Decoded) -> None:
        session = self._open
        sequence, key, body = int(message["sequence"]), str(message["key"]), message["body"]
        assert isinstance(body, bytes)
        if session is None:
            raise FailureError("no message without a session", f"DELIVER of sequence {sequence}", self._ended)
        if not session.patterns:
            rule = "ZEPS-SUBSCRIBE-1" if session.asked else "ZEPS-SUBSCRIBE-10"
            raise FailureError("no message before SUBSCRIBE-OK", f"DELIVER of sequence {sequence}", rule)
        if not any(key.encode().startswith(pattern.encode()) for pattern in session.patterns):
            patterns = ", ".join(ascii(pattern) for pattern in session.patterns)
            raise FailureError(f"keys that begin with {patterns}", f"key {key!a}", "ZEPS-SUBSCRIBE-8")
        if message.size > session.credit:
            rule = "ZEPS-CREDIT-5" if session.granted else "ZEPS-CREDIT-1"
            seen = f"DELIVER of sequence {sequence}, {message.size} octets"
            raise FailureError(f"nothing beyond the credit left, {session.credit} octets", seen, rule)
        if sequence < 1:
            raise FailureError("sequences from 1 on", "sequence 0", "ZEPS-SEQUENCE-1")
        if sequence in session.seen:
            seen = f"sequence {sequence} a second time"
            raise FailureError("each sequence once in a session", seen, "ZEPS-SUBSCRIBE-6")
        if len(session.patterns) == 1 and not session.asked and sequence < session.last:
            seen = f"sequence {sequence} after {session.last}"
            raise FailureError("ascending sequences", seen, "ZEPS-DELIVER-1")
        session.credit -= message.size
        session.seen.add(sequence)
        session.last = sequence
        self._ledger.record(session.stream, sequence, key, body)
