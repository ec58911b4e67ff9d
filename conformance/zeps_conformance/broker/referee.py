"""Referee of one connection: it derives from the sent commands, in order, what the broker may send. It judges every
case, and only what is certain: it accepts input that the broker may have sent before it read a command.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Collection
from dataclasses import dataclass, field

from zeps_conformance.broker.reason import NOTICES, REFUSES_ATTACH, REFUSES_SUBSCRIBE, Reason, Reasons
from zeps_conformance.common.verdicts import FailureError
from zeps_conformance.model.interpreter import Decoded

__all__ = ["CREDIT_MAX", "Ledger", "Referee"]

CREDIT_MAX = (1 << 64) - 1
LATEST_NEW = CREDIT_MAX
BROKER_SENDS = frozenset(
    {"ATTACH-OK", "SUBSCRIBE-OK", "DELIVER", "PING", "PING-OK", "DETACH", "DETACH-OK", "INVALID"}
)
#: Commands without an answer in an open session.
SILENT = frozenset({"CREDIT", "PUBLISH", "PING-OK"})
#: The answer to a command that is granted in an open session.
ANSWERS = {"SUBSCRIBE": "SUBSCRIBE-OK", "PING": "PING-OK", "DETACH": "DETACH-OK"}


def _described(entry: tuple[str, bytes, int]) -> str:
    key, digest, size = entry
    return f"key {key!a}, {size} bytes with SHA-256 {digest.hex()[:8]}…"


class Ledger:
    """The message of each sequence of each stream, over all sessions of a case."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, int], tuple[str, bytes, int]] = {}
        self._last: dict[str, int] = {}

    def last(self, stream: str) -> int:
        """Returns the highest sequence of `stream` delivered to any session; 0 if no message was delivered."""
        return self._last.get(stream, 0)

    def record(self, stream: str, sequence: int, key: str, body: bytes) -> None:
        """Records a delivery. Raises FailureError if the sequence had another key or body before (ZEPS-DELIVER-2)."""
        entry = (key, hashlib.sha256(body).digest(), len(body))
        before = self._known.setdefault((stream, sequence), entry)
        self._last[stream] = max(sequence, self.last(stream))
        if before != entry:
            raise FailureError(
                f"sequence {sequence} with the same message as before: {_described(before)}",
                _described(entry),
                "ZEPS-DELIVER-2",
            )


@dataclass(slots=True, eq=False)
class _Session:
    """A session as known to the suite. `credit`: remaining bytes; `granted`: a CREDIT was sent. `leaving`: the suite
    sent DETACH; `draining`: the broker did. `asked`: number of SUBSCRIBEs without an answer. `seen`: delivered
    sequences, `last` the latest. `lost`: announced ranges, with both ends. `start`: the lowest known sequence after
    which a subscription begins. `due`: the only sequence that may arrive next, unless it is lost; 0 if several may.
    """

    stream: str
    credit: int = 0
    granted: bool = False
    leaving: bool = False
    draining: bool = False
    asked: int = 0
    patterns: list[str] = field(default_factory=list)
    seen: set[int] = field(default_factory=set)
    lost: list[tuple[int, int]] = field(default_factory=list)
    start: int = LATEST_NEW
    last: int = 0
    due: int = 0

    @property
    def alone(self) -> bool:
        """Whether exactly one subscription exists and none is requested, so that it determines the deliveries."""
        return len(self.patterns) == 1 and not self.asked


@dataclass(frozen=True, slots=True)
class _Sent:
    """A command under way. Empty `name`: a frame that does not decode, whose INVALID has one of `codes`. `session`: an
    ATTACH's. `pattern`, `latest`: a SUBSCRIBE's; `start`: the sequence after which its messages begin, at least.
    """

    name: str
    codes: Collection[str] = ()
    session: _Session | None = None
    pattern: str = ""
    latest: int = 0
    start: int = 0


class Referee:
    """Derives the legal input from calls of :meth:`sent` and :meth:`received`. `own_id`: the connection chose its
    routing id, which a broker must refuse. `regex`: prefix of streams with regular expressions, not checked, or None.
    `may_expire`: the broker may have ended a silent session at any time (ZEPS-PING-6), without :meth:`forgotten`.
    """

    def __init__(
        self,
        ledger: Ledger,
        reasons: Reasons,
        own_id: bool = False,
        regex: str | None = None,
        may_expire: bool = False,
    ) -> None:
        self._ledger = ledger
        self._reasons = reasons
        self._own_id = own_id
        self._regex = regex
        self._may_expire = may_expire
        # commands that need no answer in a session, and of which no later answer shows that a session was open
        self._unconfirmed = 0
        self._open: _Session | None = None
        # session of the commands sent now, if all earlier ones are granted
        self._target: _Session | None = None
        self._waiting: deque[_Sent] = deque()
        self._ended = "ZEPS-SESSION-1"

    @property
    def attached(self) -> bool:
        """Whether a session is open, according to the answers so far."""
        return self._open is not None

    @property
    def settled(self) -> bool:
        """Whether a session is open, and no command under way may end it."""
        session = self._open
        ends = ("", "ATTACH", "DETACH")
        return session is not None and not session.leaving and all(e.name not in ends for e in self._waiting)

    @property
    def unanswered(self) -> tuple[str, ...]:
        """Commands under way that need an answer or follow one that does, oldest first: the latest that were sent. The
        name of a frame that does not decode is empty.
        """
        return tuple(entry.name for entry in self._waiting)

    def sent(self, message: Decoded) -> None:
        """Records that the suite sends `message`. Call it before sending."""
        name, session = message.name, self._target
        if name == "ATTACH":
            self._target = _Session(str(message["stream"]))
            self._waiting.append(_Sent(name, session=self._target))
        elif name == "SUBSCRIBE":
            latest = int(message["latest"])
            start = latest
            if session is not None:
                session.asked += 1
                start = self._ledger.last(session.stream) if latest == LATEST_NEW else latest
            self._waiting.append(_Sent(name, pattern=str(message["pattern"]), latest=latest, start=start))
        else:
            if name == "CREDIT" and session is not None:
                session.granted = True
                session.credit = min(session.credit + int(message["credit"]), CREDIT_MAX)
            elif name == "DETACH" and session is not None:
                session.leaving = True
            self._waiting.append(_Sent(name))
        self._serve_silent()

    def sent_bad(self, codes: Collection[str]) -> None:
        """Records that the suite sent a frame that does not decode; INVALID has one of `codes`."""
        self._waiting.append(_Sent("", codes))

    def received(self, message: Decoded) -> Reason | None:
        """Records input. Returns the reason of an INVALID, else None. Raises FailureError if `message` is illegal."""
        if message.name not in BROKER_SENDS:
            raise FailureError("only commands that a broker sends", message.name)
        reason = None
        if message.name == "DELIVER":
            self._deliver(message)
        elif message.name == "INVALID":
            reason = self._reasons.read(str(message["reason"]))
            if reason.code in NOTICES:
                self._announce(reason)
            elif self._reasons.ends_session(reason.code):
                self._refuse(reason)
            else:
                self._decline(reason)
        elif message.name == "DETACH":
            if self._open is not None:
                self._open.draining = True
        elif message.name != "PING":
            self._answer(message.name)
        self._serve_silent()
        return reason

    def forgotten(self) -> None:
        """Records that the session ended without a frame (ZEPS-PING-6)."""
        self._waiting.clear()
        self._end("ZEPS-PING-6")

    def _serve_silent(self) -> None:
        """Removes commands without an answer; after the broker's DETACH, all up to the suite's or a malformed frame."""
        while self._waiting and self._open is not None:
            name = self._waiting[0].name
            if self._open.draining:
                if name in ("", "DETACH"):
                    return
                if name == "ATTACH" and self._waiting[0].session is self._target:
                    self._target = None
                if name == "DETACH-OK":
                    self._end("ZEPS-DETACH-6")
            elif name not in SILENT:
                return
            self._waiting.popleft()
            self._unconfirmed += 1

    def _answer(self, name: str) -> None:
        head = self._waiting[0] if self._waiting else None
        if name == "ATTACH-OK":
            if head is None or head.session is None or self._own_id:
                raise FailureError("no ATTACH-OK without an ATTACH", "ATTACH-OK")
            self._open = head.session
        else:
            asked = next(command for command, answer in ANSWERS.items() if answer == name)
            if head is None or self._open is None or head.name != asked:
                raise FailureError(f"no {name} without {asked} in an open session", name)
            if name == "SUBSCRIBE-OK":
                self._subscribed(self._open, head)
            elif name == "DETACH-OK":
                self._end("ZEPS-DETACH-6")
        self._waiting.popleft()
        self._unconfirmed = 0

    @staticmethod
    def _subscribed(session: _Session, asked: _Sent) -> None:
        session.asked -= 1
        session.patterns.append(asked.pattern)
        session.start = min(session.start, asked.start)
        whole = session.alone and not asked.pattern
        session.due = asked.latest + 1 if whole and 0 < asked.latest < LATEST_NEW else 0

    def _refuse(self, reason: Reason) -> None:
        """Handles INVALID with a code that ends the session or refuses an ATTACH."""
        head = self._waiting[0] if self._waiting else None
        seen = f"INVALID with the code {reason.code}"
        if self._refuses_unconfirmed(reason, head):
            self._unconfirmed -= 1
            self._end("ZEPS-INVALID-2")
            return
        if head is None:
            if self._open is None:
                raise FailureError("no INVALID without a command", seen, "ZEPS-INVALID-1")
            self._end("ZEPS-INVALID-2")
            return
        if self._own_id or reason.code == "routing-id":
            fits, rule = self._own_id and reason.code == "routing-id", "ZEPS-SESSION-5"
        elif not head.name:
            fits, rule = reason.code in head.codes, "ZEPS-INVALID-1"
        elif head.session is not None:
            named = bool(head.session.stream) == (reason.code != "stream-name")
            fits, rule = reason.code in REFUSES_ATTACH and named, "ZEPS-ATTACH-5"
        else:
            # In an open session it may mean that the broker has ended the session.
            fits = reason.code == "no-session"
            rule = "ZEPS-SESSION-1" if self._open is None else "ZEPS-INVALID-9"
        if not fits:
            raise FailureError(
                f"an answer that fits {head.name or 'a frame that does not decode'}", seen, rule
            )
        self._waiting.popleft()
        self._end("ZEPS-INVALID-2", head.session)

    def _refuses_unconfirmed(self, reason: Reason, head: _Sent | None) -> bool:
        """Returns whether `reason` answers a command that needs no answer in a session, because that had expired."""
        fits_head = head is not None and head.name and head.session is None and not self._own_id
        return self._may_expire and reason.code == "no-session" and self._unconfirmed > 0 and not fits_head

    def _decline(self, reason: Reason) -> None:
        """Handles INVALID with a code that keeps the session open, and answers a command."""
        head, session = self._waiting[0] if self._waiting else None, self._open
        seen = f"INVALID with the code {reason.code}"
        if session is None:
            expected = "a code that ends the session, because no session is open"
            raise FailureError(expected, seen, "ZEPS-INVALID-1")
        if head is None:
            raise FailureError("no INVALID while no command waits for an answer", seen, "ZEPS-INVALID-1")
        if reason.code in REFUSES_SUBSCRIBE:
            if head.name != "SUBSCRIBE":
                raise FailureError("no refusal of a SUBSCRIBE without a SUBSCRIBE", seen, "ZEPS-INVALID-1")
            session.asked -= 1
            if reason.code == "not-retained" and (reason.first != head.latest + 1 or not head.latest):
                raise FailureError(
                    f"{head.latest + 1} as the first sequence of the range",
                    f"{seen} and the first sequence {reason.first}",
                    "ZEPS-RETAIN-2",
                )
            if reason.code == "beyond-end" and reason.last != head.latest:
                raise FailureError(
                    f"{head.latest} as the last sequence of the range",
                    f"{seen} and the last sequence {reason.last}",
                    "ZEPS-SUBSCRIBE-5",
                )
        elif not head.name or head.name in (*ANSWERS, "ATTACH"):
            raise FailureError(
                f"an answer that fits {head.name or 'a frame that does not decode'}", seen, "ZEPS-INVALID-1"
            )
        self._waiting.popleft()

    def _announce(self, reason: Reason) -> None:
        """Handles INVALID that announces a gap."""
        session, gap = self._open, f"the announcement of {reason.first} to {reason.last}"
        if session is None or not session.patterns:
            raise FailureError("no announcement without a subscription", gap, "ZEPS-GAP-2")
        if reason.first <= session.start:
            expected = f"no announcement up to {session.start}, because the session did not subscribe to it"
            raise FailureError(expected, gap, "ZEPS-GAP-2")
        # With several patterns, the broker cannot know which of the lost messages the session has received.
        known = [sequence for sequence in session.seen if reason.first <= sequence <= reason.last]
        if known and session.alone:
            expected = "no announcement of delivered messages"
            raise FailureError(expected, f"{gap}; {min(known)} has been delivered", "ZEPS-GAP-4")
        if session.alone and reason.first < session.last:
            rule = "ZEPS-RETAIN-1" if reason.code == "retention" else "ZEPS-DAMAGE-1"
            raise FailureError(f"the announcement before sequence {session.last}", gap, rule)
        if session.alone and session.due not in (0, reason.first):
            raise FailureError(f"sequence {session.due} or its announcement", gap, "ZEPS-GAP-2")
        session.lost.append((reason.first, reason.last))
        session.due = reason.last + 1 if session.alone and session.due else 0

    def _end(self, rule: str, refused: _Session | None = None) -> None:
        """Ends the session and that of a `refused` ATTACH; a later DELIVER violates `rule`."""
        if self._target is self._open or self._target is refused:
            self._target = None
        self._open = None
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
        if not self._matches(session, key):
            patterns = ", ".join(ascii(pattern) for pattern in session.patterns)
            raise FailureError(f"keys that begin with {patterns}", f"key {key!a}", "ZEPS-SUBSCRIBE-15")
        if message.size > session.credit:
            rule = "ZEPS-CREDIT-5" if session.granted else "ZEPS-CREDIT-1"
            seen = f"DELIVER of sequence {sequence}, {message.size} bytes"
            raise FailureError(f"nothing beyond the remaining credit, {session.credit} bytes", seen, rule)
        if sequence < 1:
            raise FailureError("sequences from 1 on", "sequence 0", "ZEPS-SEQUENCE-1")
        if sequence in session.seen:
            seen = f"sequence {sequence} a second time"
            raise FailureError("each sequence once in a session", seen, "ZEPS-SUBSCRIBE-6")
        if any(first <= sequence <= last for first, last in session.lost):
            seen = f"sequence {sequence}, which was announced as lost"
            raise FailureError("no message that was announced as lost", seen, "ZEPS-GAP-4")
        if sequence <= session.start:
            expected = f"only messages after sequence {session.start}"
            raise FailureError(expected, f"sequence {sequence}", "ZEPS-SUBSCRIBE-3")
        if session.alone and sequence < session.last:
            seen = f"sequence {sequence} after {session.last}"
            raise FailureError("ascending sequences", seen, "ZEPS-DELIVER-1")
        if session.alone and session.due and sequence > session.due:
            seen = f"sequence {sequence} after {session.due - 1}, without the announcement of a gap"
            raise FailureError(f"sequence {session.due}", seen)
        session.credit -= message.size
        session.seen.add(sequence)
        session.last = sequence
        session.due = sequence + 1 if session.alone and not session.patterns[0] else 0
        self._ledger.record(session.stream, sequence, key, body)

    def _matches(self, session: _Session, key: str) -> bool:
        if self._regex is not None and session.stream.startswith(self._regex):
            return True
        return any(key.encode().startswith(pattern.encode()) for pattern in session.patterns)
