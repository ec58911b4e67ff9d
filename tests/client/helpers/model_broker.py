"""A simple, slow model of a broker that implements the rules message by message.

Sequences, cursors and fills follow ZEPS-SUBSCRIBE-1 to -7 and -12, gaps follow ZEPS-RETAIN, -DAMAGE and -GAP. The
caller decides when: `deliver` delivers one message, or the notice of one gap, at a time.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from zeps_wire import zeps


@dataclass
class Fill:
    pattern: str
    at: int
    upto: int
    known: int


@dataclass
class Peer:
    """One session. `history` is its (pattern, start) pairs in the order of their arrival."""

    attached: bool = False
    credit: int = 0
    position: int = 0
    history: list[tuple[str, int]] = field(default_factory=list)
    fills: list[Fill] = field(default_factory=list)
    delivered: set[int] = field(default_factory=set)


class ModelBroker:
    """One stream; peers are named by any value."""

    def __init__(self) -> None:
        self.log: list[tuple[str, bytes]] = []
        self.first = 1
        """The lowest retained sequence."""
        self.damaged: set[int] = set()
        self.peers: dict[object, Peer] = {}
        self.refused_patterns: set[str] = set()
        self.refused_keys: set[str] = set()

    @property
    def end(self) -> int:
        return len(self.log)

    def matching(self, subscriptions: list[tuple[str, int]]) -> list[int]:
        """Returns the sequences of all stored messages, retained or not, that match (pattern, latest) pairs."""
        return [
            sequence for sequence, (key, _) in enumerate(self.log, 1) if _wanted(subscriptions, key, sequence)
        ]

    def store(self, key: str, body: bytes) -> int:
        self.log.append((key, body))
        return self.end

    def expire(self, upto: int) -> None:
        """Applies retention: removes the sequences up to `upto`."""
        self.first = max(self.first, min(upto, self.end) + 1)

    def reset(self, end: int) -> None:
        """Replaces the journal, or cuts its tail: it ends at `end`, and the broker restarts."""
        del self.log[end:]
        self.first = min(self.first, end + 1)
        self.peers.clear()

    def forget(self, name: object) -> None:
        """Ends the session: it expires, or the broker restarts."""
        self.peers.pop(name, None)

    def handle(self, name: object, frame: bytes) -> list[bytes]:
        """Handles one command of a peer; returns the answers."""
        message = zeps.decode(frame)
        peer = self.peers.setdefault(name, Peer())
        if isinstance(message, zeps.Attach):
            self.peers[name] = Peer(attached=True)
            return [zeps.AttachOk().encode()]
        if not peer.attached:
            return [invalid("no-session", "ATTACH first")]
        match message:
            case zeps.Subscribe():
                if message.pattern in self.refused_patterns:
                    return [invalid("bad-pattern", "no such syntax")]
                if self.end < message.latest < zeps.LATEST_NEW:
                    return [invalid("beyond-end", "the stream ends before", self.end + 1, message.latest)]
                if 0 < message.latest < self.first - 1:
                    return [invalid("not-retained", "they expired", message.latest + 1, self.first - 1)]
                self._subscribe(peer, message)
                return [zeps.SubscribeOk().encode()]
            case zeps.Credit():
                peer.credit += message.credit
            case zeps.Publish():
                if message.key in self.refused_keys:
                    self.forget(name)
                    return [invalid("malformed", "bad key")]
                self.store(message.key, message.body)
            case zeps.Ping():
                return [zeps.PingOk().encode()]
            case zeps.Detach():
                self.forget(name)
                return [zeps.DetachOk().encode()]
            case zeps.DetachOk():
                self.forget(name)
            case zeps.PingOk():
                pass
            case _:
                return [invalid("unexpected", "not a command of a client's")]
        return []

    def _subscribe(self, peer: Peer, message: zeps.Subscribe) -> None:
        start = min(message.latest or self.first - 1, self.end)
        if not peer.history:
            peer.position = start
        elif start < peer.position:
            peer.fills.append(Fill(message.pattern, start, peer.position, len(peer.history)))
        peer.history.append((message.pattern, start))

    def deliver(self, name: object) -> bytes | None:
        """Delivers a peer's next message or notice of a gap, and moves its cursor; None without one or credit."""
        peer = self.peers.get(name)
        if peer is None or not peer.history:
            return None
        while peer.fills:
            fill = peer.fills[0]
            while fill.at < fill.upto:
                sequence = fill.at + 1
                if sequence in peer.delivered:
                    fill.at = sequence
                    continue
                if (gap := self._gap(sequence, fill.upto, peer)) is not None:
                    fill.at, notice = gap
                    return notice
                key = self.log[sequence - 1][0]
                if key.startswith(fill.pattern) and not _wanted(peer.history[: fill.known], key, sequence):
                    return self._send(peer, sequence, fill)
                fill.at = sequence
            peer.fills.pop(0)
        while peer.position < self.end:
            sequence = peer.position + 1
            if (gap := self._gap(sequence, self.end, peer)) is not None:
                peer.position, notice = gap
                return notice
            if _wanted(peer.history, self.log[sequence - 1][0], sequence):
                return self._send(peer, sequence, None)
            peer.position = sequence
        return None

    def _gap(self, sequence: int, upto: int, peer: Peer) -> tuple[int, bytes] | None:
        """Returns the last sequence of a gap that begins with `sequence`, and its notice."""
        code = self._lost(sequence)
        if code is None:
            return None
        last = sequence
        while last < upto and self._lost(last + 1) == code and last + 1 not in peer.delivered:
            last += 1
        return last, invalid(code, "gone", sequence, last)

    def _lost(self, sequence: int) -> str | None:
        if sequence < self.first:
            return "retention"
        return "damage" if sequence in self.damaged else None

    def _send(self, peer: Peer, sequence: int, fill: Fill | None) -> bytes | None:
        key, body = self.log[sequence - 1]
        frame = zeps.Deliver(sequence=sequence, key=key, body=body).encode()
        if len(frame) > peer.credit:
            return None
        peer.credit -= len(frame)
        peer.delivered.add(sequence)
        if fill is None:
            peer.position = sequence
        else:
            fill.at = sequence
        return frame


def invalid(code: str, text: str = "", first: int = 0, last: int = 0) -> bytes:
    """Encodes an INVALID, with sequences if given."""
    return zeps.Invalid(reason=f"{code} {first} {last} {text}" if last else f"{code} {text}".strip()).encode()


def _wanted(history: list[tuple[str, int]], key: str, sequence: int) -> bool:
    return any(sequence > start and key.startswith(pattern) for pattern, start in history)
