"""Guarantees to all clients together, and their verification; guarantees to one session are checked by its record. The
ledger applies only the rules of `zeps.xml` and does not depend on the core's implementation.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Collection

from zeps_broker.sim.disk import Platter
from zeps_broker.sim.faults import Violation
from zeps_broker.sim.history import History
from zeps_broker.sim.record import Record, matches
from zeps_wire.zeps import Deliver, Invalid, decode

__all__ = ["Ledger"]


class Ledger:
    """Checks the guarantees; the methods that check raise Violation. `clock` returns the time in seconds."""

    def __init__(self, platter: Platter, clock: Callable[[], float]) -> None:
        self._platter = platter
        self._clock = clock
        self.history = History(platter, clock)
        self._delivered: dict[tuple[str, int], bytes] = {}
        self._notices: dict[bytes, deque[float]] = {}
        """Times at which INVALIDs left the broker that have not arrived."""
        self.deliveries = 0
        self.gaps = 0
        """Notices of a gap that reached a client."""
        self.refusals: Counter[str] = Counter()
        """Refused SUBSCRIBEs that reached a client, by code."""

    # output of the broker

    def sent(self, frame: bytes) -> None:
        """Checks a frame that leaves the broker: a delivery must be in a journal. Records the time of an INVALID."""
        message = decode(frame)
        if isinstance(message, Invalid):
            self._notices.setdefault(frame, deque()).append(self._clock())
        if not isinstance(message, Deliver):
            return
        if not any(self.history.frame(name, message.sequence) == frame for name in self._platter.tracks):
            raise Violation(f"ZEPS-SEQUENCE-4: {message!r} leaves the broker before it is in the journal")

    def left_at(self, message: Invalid) -> float:
        """Returns when an INVALID left the broker, in seconds, and forgets that time; now if it is not known."""
        left = self._notices.get(message.encode())
        return left.popleft() if left else self._clock()

    # input of a client

    def received(self, record: Record, message: Deliver) -> None:
        """Counts and checks a delivery that reached a session, and passes it to `record`."""
        self.deliveries += 1
        sequence, stream = message.sequence, record.stream
        frame = message.encode()
        known = self._delivered.setdefault((stream, sequence), frame)
        if known != frame:
            raise Violation(f"ZEPS-SEQUENCE-3: {sequence} was {decode(known)!r} and is {message!r}")
        stored = self.history.frame(stream, sequence)
        if stored is None:
            raise Violation(f"ZEPS-SEQUENCE-4: {message!r} is not in the journal of {stream}")
        if stored != frame:
            raise Violation(f"ZEPS-PUBLISH-4: {message!r} differs from the journal of {stream}")
        record.deliver(message)

    def answered(self, record: Record) -> None:
        """Checks PING-OK: messages published before its PING must be stored."""
        if not record.probes:
            raise Violation("ZEPS-PING-OK-1: PING-OK without PING")
        count = record.probes.pop(0)
        self.stored(record, count, "ZEPS-PING-12: PING-OK came")

    def stored(self, record: Record, count: int, rule: str) -> None:
        """Raises Violation, with `rule` first, unless a session's first `count` messages are in the journal."""
        for frame in record.published[:count]:
            if not self.history.published(record.stream, frame):
                raise Violation(f"{rule}, and {decode(frame)!r} is not in the journal of {record.stream}")

    # at the end

    def missing(
        self, stream: str, style: str, pairs: list[tuple[str, int]], accounted: Collection[int]
    ) -> list[int]:
        """Returns the sequences, ascending, that a (pattern, start) pair covers, but that are not accounted for."""
        lost: list[int] = []
        first = min((start for _, start in pairs), default=0) + 1
        for sequence in range(first, self.history.end(stream) + 1):
            if sequence not in accounted:
                key = self.history.key(stream, sequence)
                if any(sequence > start and matches(style, pattern, key) for pattern, start in pairs):
                    lost.append(sequence)
        return lost

    def check_journals(self, publishers: Callable[[bytes], bool]) -> None:
        """Checks retained sequences, the publishers of messages and their order, and that none delivered is lost."""
        for name, track in self._platter.tracks.items():
            expected = track.floor + 1
            newest: dict[bytes, int] = {}
            for block in track.blocks:
                for sequence, frame in enumerate(block.frames(), block.first_sequence):
                    message = decode(frame)
                    assert isinstance(message, Deliver)
                    if message.sequence != expected or sequence != expected:
                        what = f"{message.sequence} is stored where {expected} is expected"
                        raise Violation(f"ZEPS-SEQUENCE-2: {what}")
                    expected += 1
                    if not publishers(message.body):
                        raise Violation(f"ZEPS-PUBLISH-4: no client published {message!r}")
                    who, _, rest = message.body.partition(b":")
                    number = int(rest.partition(b":")[0])
                    if number <= newest.get(who, 0):
                        what = f"{who!r} {number} out of order or twice"
                        raise Violation(f"ZEPS-PUBLISH-3: {name} {sequence}: {what}")
                    newest[who] = number
            for (stream, sequence), frame in self._delivered.items():
                if stream == name and sequence > track.floor and track.frame(sequence) != frame:
                    raise Violation(
                        f"ZEPS-SEQUENCE-3: {name} {sequence} was delivered but is missing in the journal"
                    )

    def forget_after(self, stream: str) -> None:
        """Handles a power failure: unsynced messages are lost, as `sync` allows, and their sequences may be reused."""
        self.history.forget_after(stream)
        end = self.history.end(stream)
        self._delivered = {
            place: frame for place, frame in self._delivered.items() if place[0] != stream or place[1] <= end
        }
