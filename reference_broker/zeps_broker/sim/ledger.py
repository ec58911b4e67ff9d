"""What every client was promised, and whether it was kept.

The ledger knows what is on disk, what was published, and what each session asked for and got. It judges by
the rules of `zeps.xml` alone and knows nothing of the core's insides. `matches` is its own idea of matching.

When a session's subscription begins is not always known from outside: with a `latest` of 2^64-1 it is
somewhere between the stream's end when SUBSCRIBE left the client and its end when SUBSCRIBE-OK came. Such a
start is an interval, and only what holds for all of it is demanded.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from zeps_wire.zeps import DELIVER_HEAD_SIZE, LATEST_NEW, PUBLISH_HEAD, Deliver, decode

from .disk import Platter, Sync
from .faults import Violation

__all__ = ["Ledger", "Record", "Subscription", "matches"]


def matches(style: str, pattern: str, key: str) -> bool:
    """The oracle's matching; expressions are limited to what Python's and RE2's syntax share."""
    return key.startswith(pattern) if style == "prefix" else re.search(pattern, key) is not None


@dataclass(slots=True)
class Subscription:
    """A subscription of one session. It surely covers what follows `highest`, and nothing up to `lowest`."""

    pattern: str
    lowest: int
    highest: int | None = None
    """None until SUBSCRIBE-OK came."""
    newest: int = 0
    """The last sequence that only this subscription can have brought."""


@dataclass(slots=True)
class Record:
    """One session, from ATTACH-OK on."""

    stream: str
    style: str
    subscriptions: list[Subscription] = field(default_factory=list)
    confirmed: int = 0
    received: set[int] = field(default_factory=set)
    published: list[bytes] = field(default_factory=list)
    spoiled: bool = False
    """Whether the client sent something that ends the session without its knowing."""
    probes: list[int] = field(default_factory=list)
    """For each PING without an answer: how much had been published before it."""


class Ledger:
    """The judge. Everything in it raises Violation."""

    def __init__(self, platter: Platter, sync: Sync) -> None:
        self._platter = platter
        self._sync = sync
        self._delivered: dict[tuple[str, int], bytes] = {}
        self._stored: dict[str, tuple[int, dict[bytes, int]]] = {}
        self.deliveries = 0

    def end(self, stream: str) -> int:
        """The stream's last sequence."""
        track = self._platter.tracks.get(stream)
        return track.last if track else 0

    # what leaves the broker

    def sent(self, frame: bytes) -> None:
        """A frame leaves the broker: a delivery must be in a journal, synced if the journal always syncs."""
        message = decode(frame)
        if not isinstance(message, Deliver):
            return
        for track in self._platter.tracks.values():
            if track.floor >= message.sequence or track.frame(message.sequence) == frame:
                return
        raise Violation(f"ZEPS-SEQUENCE-4: {message!r} leaves the broker before it is in the journal")

    # what a client gets

    def received(self, record: Record, message: Deliver) -> None:
        """A delivery reached a session."""
        self.deliveries += 1
        sequence, key = message.sequence, message.key
        frame = message.encode()
        known = self._delivered.setdefault((record.stream, sequence), frame)
        if known != frame:
            raise Violation(f"ZEPS-SEQUENCE-3: {sequence} was {decode(known)!r} and is {message!r}")
        track = self._platter.tracks.get(record.stream)
        if track is None or not 1 <= sequence <= track.last:
            raise Violation(f"ZEPS-SEQUENCE-4: {message!r} is not in the journal of {record.stream}")
        if sequence > track.floor and track.frame(sequence) != frame:
            raise Violation(f"ZEPS-PUBLISH-4: {message!r} is not what the journal of {record.stream} holds")
        if sequence in record.received:
            raise Violation(f"ZEPS-GEAR-2: {sequence} is delivered twice in one session")
        record.received.add(sequence)
        self._judge_subscriptions(record, sequence, key)

    def _judge_subscriptions(self, record: Record, sequence: int, key: str) -> None:
        candidates = [
            subscription
            for subscription in record.subscriptions
            if sequence > subscription.lowest and matches(record.style, subscription.pattern, key)
        ]
        if not candidates:
            raise Violation(
                f"ZEPS-SUBSCRIBE-3: {sequence} {key!r} is delivered, and no subscription covers it"
            )
        first = candidates[0]
        place = record.subscriptions.index(first)
        if place >= record.confirmed and all(
            record.subscriptions.index(other) >= record.confirmed for other in candidates
        ):
            raise Violation(f"ZEPS-SUBSCRIBE-1: {sequence} comes before the SUBSCRIBE-OK of what brings it")
        if first.highest is not None and sequence > first.highest:
            # Whoever else wants it, this one surely brings it.
            if sequence <= first.newest:
                raise Violation(
                    f"ZEPS-DELIVER-1: {sequence} comes after {first.newest} of pattern {first.pattern!r}"
                )
            first.newest = sequence

    def subscribed(self, record: Record) -> None:
        """SUBSCRIBE-OK came."""
        if record.confirmed >= len(record.subscriptions):
            raise Violation("ZEPS-SUBSCRIBE-1: SUBSCRIBE-OK without SUBSCRIBE")
        subscription = record.subscriptions[record.confirmed]
        record.confirmed += 1
        if subscription.highest is None:
            subscription.highest = self.end(record.stream)

    def subscribes(self, record: Record, pattern: str, latest: int) -> None:
        """SUBSCRIBE leaves a client."""
        end = self.end(record.stream)
        known = latest if latest <= end else None
        earlier = [other for other in record.subscriptions if other.pattern == pattern]
        lowest = min(latest, end) if latest != LATEST_NEW else end
        if any(
            other.highest is not None and known is not None and other.highest <= known for other in earlier
        ):
            lowest, known = LATEST_NEW, LATEST_NEW  # it adds nothing
        record.subscriptions.append(Subscription(pattern, lowest, known))

    def answered(self, record: Record) -> None:
        """PING-OK came: what was published before its PING is stored."""
        if not record.probes:
            raise Violation("ZEPS-PING-OK-1: PING-OK without PING")
        count = record.probes.pop(0)
        self.stored(record, count, "ZEPS-PING-3: PING-OK came")

    def stored(self, record: Record, count: int, rule: str) -> None:
        """The first `count` messages that a session published must be in the journal."""
        index = self._index(record.stream)
        for frame in record.published[:count]:
            if frame not in index:
                raise Violation(f"{rule}, and {decode(frame)!r} is not in the journal of {record.stream}")

    # at the end

    def missing(self, stream: str, style: str, wanted: list[tuple[str, int]], had: set[int]) -> list[int]:
        """Sequences that (pattern, start) pairs cover, that the journal still holds, and that are not in
        `had`.
        """
        track = self._platter.tracks.get(stream)
        if track is None:
            return []
        lost: list[int] = []
        for block in track.blocks:
            for sequence, frame in enumerate(block.frames(), block.first_sequence):
                if sequence > track.floor and sequence not in had:
                    message = decode(frame)
                    assert isinstance(message, Deliver)
                    if any(
                        sequence > start and matches(style, pattern, message.key) for pattern, start in wanted
                    ):
                        lost.append(sequence)
        return lost

    def check_journals(self, publishers: Callable[[bytes], bool]) -> None:
        """Every sequence there, everything published by somebody, each publisher's order kept, nothing
        delivered lost.
        """
        for name, track in self._platter.tracks.items():
            expected = track.floor + 1
            newest: dict[bytes, int] = {}
            for block in track.blocks:
                for sequence, frame in enumerate(block.frames(), block.first_sequence):
                    message = decode(frame)
                    assert isinstance(message, Deliver)
                    if message.sequence != expected or sequence != expected:
                        raise Violation(
                            f"ZEPS-SEQUENCE-2: {message.sequence} stands where {expected} belongs"
                        )
                    expected += 1
                    if not publishers(message.body):
                        raise Violation(f"ZEPS-PUBLISH-4: nobody published {message!r}")
                    who, _, rest = message.body.partition(b":")
                    number = int(rest.partition(b":")[0])
                    if number <= newest.get(who, 0):
                        raise Violation(
                            f"ZEPS-PUBLISH-3: {name} {sequence}: {who!r} {number} out of order or twice"
                        )
                    newest[who] = number
            for (stream, sequence), frame in self._delivered.items():
                if stream == name and sequence > track.floor and track.frame(sequence) != frame:
                    raise Violation(
                        f"ZEPS-SEQUENCE-3: {name} {sequence} was delivered and is no longer in the journal"
                    )

    def before_expiry(self, stream: str) -> None:
        """Retention is about to remove messages: remember that they were stored."""
        self._index(stream)

    def forget_after(self, stream: str) -> None:
        """Power failed; what was not synced is gone, as `sync` allows: it may be numbered anew."""
        end = self.end(stream)
        self._delivered = {
            place: frame for place, frame in self._delivered.items() if place[0] != stream or place[1] <= end
        }
        self._stored.pop(stream, None)

    def _index(self, stream: str) -> dict[bytes, int]:
        """PUBLISH frames in the journal, to their sequences."""
        track = self._platter.tracks.get(stream)
        if track is None:
            return {}
        upto, index = self._stored.get(stream, (0, {}))
        while (block := track.block(upto + 1)) is not None:
            for sequence, frame in enumerate(block.frames(), block.first_sequence):
                if sequence > upto:
                    index[PUBLISH_HEAD + frame[DELIVER_HEAD_SIZE:]] = sequence
            upto = block.last_sequence
        self._stored[stream] = (upto, index)
        return index
