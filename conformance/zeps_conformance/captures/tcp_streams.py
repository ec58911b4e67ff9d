"""Connections of TCP segments, with the bytes of both directions in order."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from zeps_conformance.captures.segments import ACK, FIN, RST, SYN, Address, Segment

__all__ = ["Arrival", "Connection", "Direction", "Streams"]

RANGE = 1 << 32  # of sequence numbers
EARLY = 1 << 20  # bytes; segments so far behind a SYN that is captured after them belong to its connection
PROBE = 16  # bytes of each side that show whether it is of the wanted protocol
EARLY_MAX = 1000  # segments that are kept before the beginning is known


@dataclass(frozen=True, slots=True)
class Arrival:
    """The number of a packet, and its time in seconds since 1970."""

    packet: int
    time: float


class Direction:
    """The bytes that `source` sent: `data` up to the first gap. Offsets count from the first byte after SYN.

    The capture does not say when an application read or wrote. It proves two things: all bytes before an offset had
    been sent when a later byte was captured, or was acknowledged (:meth:`sent_by`), and they had not all arrived
    before the last of them was captured (:meth:`complete_at`).
    """

    def __init__(self, source: Address) -> None:
        self.source = source
        self.data = bytearray()
        self.outbound: bool | None = None
        self.acknowledged = 0  # the offset up to which the other side has acknowledged
        self.was_full = False  # whether it was once unable to receive
        self._base: int | None = None  # sequence number of the first byte
        self._ends: list[int] = []  # of `data`, after each packet that extended it
        self._arrivals: list[Arrival] = []
        self._highest: list[int] = []  # offsets, ascending
        self._highest_in: list[int] = []  # the packets that showed them
        self._ahead: dict[int, bytes] = {}  # segments behind a gap, by offset
        self._early: list[Segment] = []  # segments before the base is known

    @property
    def begun(self) -> bool:
        """Whether the capture holds its beginning."""
        return self._base is not None

    @property
    def early(self) -> bool:
        """Whether bytes were captured without the beginning."""
        return bool(self._early)

    @property
    def gap(self) -> bool:
        """Whether bytes behind `data` were sent that the capture does not hold."""
        return bool(self._ahead) or bool(self._highest and self._highest[-1] > len(self.data) + 1)

    def may_begin(self, base: int) -> bool:
        """Returns whether its first byte may have the sequence number `base`."""
        if self._base is not None:
            return self._base == base
        return all((segment.sequence - base) % RANGE < EARLY for segment in self._early)

    def begin(self, base: int) -> None:
        """Sets the sequence number of the first byte, if it is not known."""
        if self._base is None:
            self._base = base
            early, self._early = self._early, []
            for segment in early:
                self.add(segment)

    def add(self, segment: Segment) -> None:
        """Adds the payload of a segment; bytes that are known already are ignored."""
        self.outbound = segment.outbound if self.outbound is None else self.outbound
        if not segment.payload and not segment.lacking:
            return
        if self._base is None:
            if len(self._early) < EARLY_MAX:
                self._early.append(segment)
            return
        start = self._offset(segment.sequence)
        self._show(start + len(segment.payload) + segment.lacking, segment.packet)
        if start > len(self.data):
            if len(segment.payload) > len(self._ahead.get(start, b"")):
                self._ahead[start] = segment.payload
            return
        before = len(self.data)
        self.data += segment.payload[before - start :]
        for ahead in sorted(self._ahead):
            if ahead > len(self.data):
                break
            self.data += self._ahead.pop(ahead)[len(self.data) - ahead :]
        if len(self.data) > before:
            self._ends.append(len(self.data))
            self._arrivals.append(Arrival(segment.packet, segment.time))

    def acknowledge(self, number: int, packet: int) -> None:
        """Notes that the other side acknowledged the bytes before the sequence number `number`."""
        if self._base is not None:
            offset = self._offset(number)
            self.acknowledged = max(self.acknowledged, offset)
            self._show(offset, packet)

    def drop(self) -> None:
        """Frees the bytes."""
        self.data.clear()
        self._ahead.clear()
        self._early.clear()

    def complete_at(self, end: int) -> Arrival:
        """Returns the packet with which all bytes before the offset `end` are captured."""
        return self._arrivals[bisect_left(self._ends, end)]

    def sent_by(self, start: int) -> int:
        """Returns the number of the first packet which shows that bytes from the offset `start` on had been sent."""
        return self._highest_in[bisect_right(self._highest, start)]

    @property
    def last_arrival(self) -> Arrival | None:
        """The packet that completed `data`, None if it is empty."""
        return self._arrivals[-1] if self._arrivals else None

    def has_more(self, offset: int) -> bool:
        """Returns whether a byte at or behind `offset` was sent."""
        return bool(self._highest) and self._highest[-1] > offset

    def _show(self, offset: int, packet: int) -> None:
        if offset > (self._highest[-1] if self._highest else 0):
            self._highest.append(offset)
            self._highest_in.append(packet)

    def _offset(self, number: int) -> int:
        """Returns the offset of a sequence number, which wraps around after 4 GiB."""
        assert self._base is not None
        expected = len(self.data)
        away = (number - self._base - expected) % RANGE
        return expected + (away if away < RANGE // 2 else away - RANGE)


@dataclass(eq=False)
class Connection:
    """A connection, numbered from 0 as the TCP streams of Wireshark. `opener` is the side that sent SYN, if known;
    `closed` the time of the first FIN or RST; `foreign`: neither side begins as the wanted protocol does.
    """

    number: int
    directions: tuple[Direction, Direction]
    first: Arrival
    last: Arrival
    opener: Direction | None = None
    closed: float | None = None
    foreign: bool = False
    known: bool = False  # whether both sides have sent enough for that
    unreadable: set[str] = field(default_factory=set)

    @property
    def begun(self) -> bool:
        """Whether the capture holds the beginning of both directions."""
        return all(direction.begun for direction in self.directions)

    @property
    def has_data(self) -> bool:
        return any(direction.data or direction.early for direction in self.directions)

    def other(self, direction: Direction) -> Direction:
        """Returns the opposite direction."""
        one, another = self.directions
        return another if direction is one else one

    def between(self) -> str:
        """Formats both addresses, the opener's first if it is known."""
        first = self.opener or self.directions[0]
        return f"{first.source} - {self.other(first).source}"


class Streams:
    """The connections of a capture, from its segments in the order of the file. `begins_well`: whether the first bytes
    of a side are those of the wanted protocol, None if they are too few; the bytes of other connections are dropped.
    `ports`: only connections with one of these on either side, all if it is empty.
    """

    def __init__(
        self, begins_well: Callable[[bytes], bool | None], ports: frozenset[int] = frozenset()
    ) -> None:
        self._begins_well = begins_well
        self._ports = ports
        self._number = 0
        self._current: dict[frozenset[Address], Connection] = {}
        self._all: list[Connection] = []
        self.last_time = 0.0  # of any segment

    def __iter__(self) -> Iterator[Connection]:
        return iter(self._all)

    def add(self, segment: Segment) -> None:
        """Adds a segment to its connection. A SYN with another sequence number begins a new one."""
        self.last_time = max(self.last_time, segment.time)
        pair = frozenset((segment.source, segment.target))
        connection = self._current.get(pair)
        if connection is None or (segment.flags & SYN and not self._continues(connection, segment)):
            connection = self._new(segment)
            self._current[pair] = connection
        source = self._from(connection, segment.source)
        target = connection.other(source)
        connection.last = Arrival(segment.packet, segment.time)
        if segment.flags & SYN:
            source.begin((segment.sequence + 1) % RANGE)
            if segment.flags & ACK:
                target.begin(segment.acknowledged)
            connection.opener = target if segment.flags & ACK else source
            if segment.payload or segment.lacking:
                connection.unreadable.add("a SYN with data, which is TCP Fast Open")
            return
        if connection.foreign:
            return
        source.add(segment)
        source.was_full |= not segment.window and not segment.flags & RST
        if segment.flags & ACK:
            target.acknowledge(segment.acknowledged, segment.packet)
        if segment.flags & (FIN | RST) and connection.closed is None:
            connection.closed = segment.time
        if not connection.known and all(side.data for side in connection.directions):
            verdicts = [self._begins_well(bytes(side.data[:PROBE])) for side in connection.directions]
            connection.known = None not in verdicts
            connection.foreign = verdicts == [False, False]
        if connection.foreign:
            for side in connection.directions:
                side.drop()

    @staticmethod
    def _continues(connection: Connection, segment: Segment) -> bool:
        source = Streams._from(connection, segment.source)
        fits = source.may_begin((segment.sequence + 1) % RANGE)
        if segment.flags & ACK:
            fits = fits and connection.other(source).may_begin(segment.acknowledged)
        return fits

    @staticmethod
    def _from(connection: Connection, source: Address) -> Direction:
        one, another = connection.directions
        return one if one.source == source else another

    def _new(self, segment: Segment) -> Connection:
        sides = Direction(segment.source), Direction(segment.target)
        at = Arrival(segment.packet, segment.time)
        connection = Connection(self._number, sides, at, at)
        self._number += 1
        if not self._ports or {segment.source.port, segment.target.port} & self._ports:
            self._all.append(connection)
        return connection
