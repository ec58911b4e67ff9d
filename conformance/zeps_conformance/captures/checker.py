"""Judges the ZMTP connections of a capture: both sides by ZMTP, the broker by the referee, the client by its rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum

from zeps_conformance.broker.reason import Reasons, codes_for
from zeps_conformance.broker.referee import Ledger, Referee
from zeps_conformance.broker.session import RULE_OF_CODE
from zeps_conformance.captures.client_rules import PATIENCE, ClientRules, Misdeed
from zeps_conformance.captures.pcap_reader import CaptureReader, CutError
from zeps_conformance.captures.segments import Address, UnreadablePacketError, segment_of
from zeps_conformance.captures.tcp_streams import Connection, Direction, Streams
from zeps_conformance.captures.zmtp_streams import misfit_pongs, spoken
from zeps_conformance.common.verdicts import FailureError
from zeps_conformance.model.interpreter import Decoded, Interpreter, MalformedFrameError
from zeps_conformance.wire.zmtp_codec import Wire
from zeps_conformance.wire.zmtp_side import Fault, Item, Spoken, begins_with_greeting

__all__ = ["SUITE", "Checked", "Judged", "Party", "Scope", "Violation", "check_capture"]

#: Called with an activity and the number of packets or messages done.
Progress = Callable[[str, int], None]
#: The beginning of the name of this program in captures that it wrote.
SUITE = "zeps-conform"
CLIENTS, BROKERS = ("DEALER", "CLIENT"), ("ROUTER", "SERVER")
#: The rule of an answer of the broker that no command requests.
UNASKED = {
    "ATTACH-OK": "ZEPS-ATTACH-1",
    "SUBSCRIBE-OK": "ZEPS-SUBSCRIBE-1",
    "PING-OK": "ZEPS-PING-1",
    "DETACH-OK": "ZEPS-DETACH-1",
}
#: The rule of an answer that the broker owes, by the command; without one it is a command that only brokers send.
OWED = {
    "": "ZEPS-INVALID-1",
    "ATTACH": "ZEPS-ATTACH-1",
    "SUBSCRIBE": "ZEPS-SUBSCRIBE-1",
    "PING": "ZEPS-PING-1",
    "DETACH": "ZEPS-DETACH-1",
    "DETACH-OK": "ZEPS-DETACH-OK-1",
}
PROGRESS_EVERY = 5000  # packets


class Party(str, Enum):
    """A side of a connection."""

    BROKER = "broker"
    CLIENT = "client"


@dataclass(frozen=True, slots=True)
class Scope:
    """What is judged. `zeps`: the sessions too, and not only ZMTP. `parties`: the judged sides, empty for both, and in
    captures of the suite for the side that is not the suite. `ports`: only connections with one of them, all if it is
    empty. `regex`: prefix of the names of streams whose patterns are regular expressions, or None.
    """

    zeps: bool = True
    parties: frozenset[Party] = frozenset()
    ports: frozenset[int] = frozenset()
    regex: str | None = None


@dataclass(frozen=True, slots=True)
class Violation:
    """A violation by `party`. `rule` is empty for the grammar of ZEPS. A frame of `shown_by` shows it: `packet`
    completes it, and it begins `offset` bytes after the beginning of that side's stream. `time` is in seconds since
    1970.
    """

    party: Party
    rule: str
    expected: str
    seen: str
    shown_by: Party
    packet: int
    offset: int
    time: float
    frame: str = ""


@dataclass(slots=True)
class Judged:
    """A connection with ZMTP, or without its beginning. `passed_over`: why it is not judged, except for faults of ZMTP
    found before; `limited`: why its rest is not judged; or empty. `messages`: the numbers of messages of ZEPS of client
    and broker.
    """

    connection: Connection
    client: Direction
    passed_over: str = ""
    limited: str = ""
    is_zeps: bool = False
    messages: tuple[int, int] = (0, 0)
    violations: list[Violation] = field(default_factory=list)
    parties: frozenset[Party] = frozenset(Party)


@dataclass(slots=True)
class Checked:
    """The result. `unreadable`: how many packets could not be read, by reason. `others`: how many connections are not
    ZMTP. `cut`: why the file ends early, or empty. `by_suite`: whether the suite wrote it.
    """

    packets: int = 0
    others: int = 0
    unreadable: dict[str, int] = field(default_factory=dict)
    connections: list[Judged] = field(default_factory=list)
    cut: str = ""
    by_suite: bool = False


def check_capture(
    reader: CaptureReader,
    codec: Interpreter,
    wire: Wire,
    scope: Scope,
    progress: Progress = lambda what, count: None,
) -> Checked:
    """Judges the capture. Raises CaptureError if the file is invalid, unless it is only cut."""
    result = Checked()
    streams = Streams(lambda data: begins_with_greeting(wire, data), scope.ports)
    try:
        for packet in reader.packets():
            result.packets = packet.number
            if packet.number % PROGRESS_EVERY == 0:
                progress("packets read", packet.number)
            try:
                segment = segment_of(packet)
            except UnreadablePacketError as error:
                result.unreadable[str(error)] = result.unreadable.get(str(error), 0) + 1
                continue
            if segment is not None:
                streams.add(segment)
    except CutError as error:
        result.cut = str(error)
    result.by_suite = reader.application.startswith(SUITE)
    followed = [
        _Followed(connection, codec, wire, scope, result.by_suite, progress) for connection in streams
    ]
    kept = [entry for entry in followed if entry.is_zmtp]
    result.others = len(followed) - len(kept)
    result.connections = [entry.judged for entry in kept]
    _follow(kept, codec, scope, streams.last_time, progress)
    for judged in result.connections:
        judged.violations = sorted(
            (violation for violation in judged.violations if violation.party in judged.parties),
            key=lambda violation: (violation.packet, violation.offset),
        )
    return result


@dataclass(frozen=True, slots=True)
class _Event:
    """A message of a connection. `at`: the packet by which the client had begun to send it, or with which that of the
    broker was complete.
    """

    at: int
    followed: _Followed
    party: Party
    number: int


class _Followed:
    """One connection, decoded."""

    def __init__(
        self,
        connection: Connection,
        codec: Interpreter,
        wire: Wire,
        scope: Scope,
        by_suite: bool,
        progress: Progress,
    ) -> None:
        self._codec = codec
        self._wire = wire
        one, another = connection.directions
        self._spoken = {id(side): spoken(side, wire, progress) for side in connection.directions}
        client = self._client_of(connection)
        self.judged = Judged(connection, client)
        self.sides = {Party.CLIENT: client, Party.BROKER: connection.other(client)}
        self.is_zmtp = self._is_zmtp()
        self.judged.passed_over = self._why_not()
        self.judged.parties = scope.parties or frozenset(Party)
        if by_suite and not scope.parties:
            suite = next((side for side in (one, another) if side.outbound), client)
            self.judged.parties = frozenset({Party.BROKER if suite is client else Party.CLIENT})
        if connection.begun and not connection.unreadable:
            self._judge_zmtp()
        if not self.judged.passed_over:
            self._find_limits()
        self.judged.is_zeps = scope.zeps and not self.judged.passed_over and self._is_zeps()
        if self.judged.is_zeps:
            counts = [
                sum(not item.name for item in self.items(party)) for party in (Party.CLIENT, Party.BROKER)
            ]
            self.judged.messages = counts[0], counts[1]

    def said(self, party: Party) -> Spoken:
        """Returns what a side sent."""
        return self._spoken[id(self.sides[party])].said

    def items(self, party: Party) -> list[Item]:
        return self._spoken[id(self.sides[party])].items

    def events(self) -> Iterator[_Event]:
        """Yields the messages that are judged, those of each side in order."""
        end = self._hidden_from()
        for party, side in self.sides.items():
            for number, item in enumerate(self.items(party)):
                if not item.name:
                    is_client = party is Party.CLIENT
                    at = side.sent_by(item.start) if is_client else side.complete_at(item.end).packet
                    if at < end:
                        yield _Event(at, self, party, number)

    def violate(
        self, party: Party, rule: str, expected: str, seen: str, by: Fault | tuple[Party, Item]
    ) -> None:
        """Records a violation by `party`, which a fault of it shows, or a message of either side."""
        shown_by, shown = (party, by) if isinstance(by, Fault) else by
        at = self.sides[shown_by].complete_at(shown.end)
        frame = "" if isinstance(shown, Fault) else self._codec.render(shown.parts[0])
        self.judged.violations.append(
            Violation(party, rule, expected, seen, shown_by, at.packet, shown.start, at.time, frame)
        )

    def _client_of(self, connection: Connection) -> Direction:
        """Returns the side that is the client: by the socket types, or else the one that opened the connection."""
        for side in connection.directions:
            mine, other = (self._spoken[id(direction)].said for direction in (side, connection.other(side)))
            if mine.socket_type in CLIENTS and other.socket_type in (*BROKERS, ""):
                return side
            if other.socket_type in BROKERS and mine.socket_type not in BROKERS:
                return side
        return connection.opener or connection.directions[0]

    def _is_zmtp(self) -> bool:
        """Whether a side begins with a greeting, or the beginning is missing."""
        connection = self.judged.connection
        if connection.foreign or not connection.has_data:
            return False
        if not connection.begun:
            return True
        return any(
            begins_with_greeting(self._wire, bytes(side.data[: self._wire.greeting_size]))
            for side in connection.directions
        )

    def _why_not(self) -> str:
        """Returns why the connection is not judged, or an empty text."""
        connection = self.judged.connection
        if not connection.begun:
            return "it began before the capture: SYN is missing"
        if connection.unreadable:
            return ", ".join(sorted(connection.unreadable))
        for party in sorted(Party, key=lambda party: not self.said(party).mechanism):
            said = self.said(party)
            if said.stopped and said.mechanism != "NULL":
                return f"the {party.value}: {said.stopped}"
        return ""

    def _judge_zmtp(self) -> None:
        for party, side in self.sides.items():
            other = Party.CLIENT if party is Party.BROKER else Party.BROKER
            faults = list(self.said(party).faults)
            faults += misfit_pongs(self.items(party), self.items(other), side, self.sides[other])
            for fault in faults:
                self.violate(party, fault.rule, fault.expected, fault.seen, fault)

    def _find_limits(self) -> None:
        for party, side in self.sides.items():
            if side.gap:
                where = f"byte {len(side.data)} of the {party.value}'s stream"
                self.judged.limited = f"the capture lacks bytes from {where} on"
            elif self.said(party).stopped:
                where = f"byte {self.said(party).decoded} of the {party.value}'s stream"
                self.judged.limited = f"from {where} on: {self.said(party).stopped}"

    def _is_zeps(self) -> bool:
        """Whether a DEALER or CLIENT talks with a ROUTER or SERVER, and a message begins as those of ZEPS."""
        types = [self.said(party).socket_type for party in (Party.CLIENT, Party.BROKER)]
        if types[0] not in CLIENTS or types[1] not in BROKERS:
            return False
        signature = self._codec.signature
        return any(
            item.parts[0].startswith(signature)
            for party in Party
            for item in self.items(party)
            if not item.name
        )

    def _hidden_from(self) -> float:
        """Returns the packet from which on it is not known what one side sent."""
        known = [
            (side, self.said(party).decoded if self.said(party).stopped else len(side.data))
            for party, side in self.sides.items()
            if side.gap or self.said(party).stopped
        ]
        return min((side.sent_by(end) for side, end in known if side.has_more(end)), default=float("inf"))


def _follow(
    followed: list[_Followed],
    codec: Interpreter,
    scope: Scope,
    last: float,
    progress: Progress,
) -> None:
    """Judges the sessions of all connections, in the order of the capture."""
    reasons = Reasons(codec.model)
    ledgers: dict[Address, Ledger] = {}
    sessions: dict[int, _Sessions] = {}
    for entry in followed:
        if entry.judged.is_zeps:
            ledger = ledgers.setdefault(entry.sides[Party.BROKER].source, Ledger())
            sessions[id(entry)] = _Sessions(entry, codec, reasons, ledger, scope.regex)
    events = [event for entry in followed if entry.judged.is_zeps for event in entry.events()]
    # A client's command counts before a frame of the broker in the same packet.
    events.sort(key=lambda event: (event.at, event.party is Party.BROKER))
    for count, event in enumerate(events, 1):
        sessions[id(event.followed)].take(event)
        if count % PROGRESS_EVERY == 0:
            progress(f"of {len(events)} messages judged", count)
    for session in sessions.values():
        session.end(last)


class _Sessions:
    """The sessions of one connection."""

    def __init__(
        self, followed: _Followed, codec: Interpreter, reasons: Reasons, ledger: Ledger, regex: str | None
    ) -> None:
        self._followed = followed
        self._codec = codec
        self._own_id = bool(followed.said(Party.CLIENT).identity)
        self._referee: Referee | None = Referee(ledger, reasons, self._own_id, regex, may_expire=True)
        self._client = ClientRules(codec, reasons)

    def take(self, event: _Event) -> None:
        """Judges one message."""
        item = self._followed.items(event.party)[event.number]
        closed = self._followed.judged.connection.closed
        time = self._followed.sides[event.party].complete_at(item.end).time
        time = time if closed is None else min(time, closed)
        message = self._decode(item)
        if event.party is Party.CLIENT:
            self._sent(message)
            self._accuse(self._client.sent(message, item.parts, time, event.number))
        else:
            self._received(message, item)
            if isinstance(message, Decoded):
                self._accuse(self._client.received(message, time, event.number))

    def end(self, last: float) -> None:
        """Judges what was not answered while the connection was open; `last`: the time of the capture's last packet."""
        closed = self._followed.judged.connection.closed
        end = last if closed is None else closed
        if not self._followed.judged.limited:
            self._accuse(self._client.until(end))
            self._judge_silence(end)

    def _judge_silence(self, end: float) -> None:
        """Judges whether the broker owes an answer to a command that it has received, and has been silent since."""
        if self._referee is None or not (pending := self._referee.unanswered):
            return
        client, broker = self._followed.sides[Party.CLIENT], self._followed.sides[Party.BROKER]
        messages = [item for item in self._followed.items(Party.CLIENT) if not item.name]
        item, name = messages[-len(pending)], pending[0]
        since = client.complete_at(item.end).time
        if broker.last_arrival is not None:
            since = max(since, broker.last_arrival.time)
        if client.was_full or client.acknowledged < item.end or end - since <= PATIENCE:
            return
        rule = OWED.get(name, "ZEPS-INVALID-7")
        if not self._referee.attached and name not in ("", "ATTACH"):
            rule = "ZEPS-SESSION-1"
        seen = f"nothing in the last {end - since:.0f} s of the connection"
        by = Party.CLIENT, item
        expected = f"an answer to {name or 'a frame that does not decode'}"
        self._followed.violate(Party.BROKER, rule, expected, seen, by)

    def _accuse(self, misdeeds: Iterator[Misdeed]) -> None:
        """Records violations by the client. A frame of the broker counts as received if it was acknowledged."""
        client, broker = self._followed.sides[Party.CLIENT], self._followed.sides[Party.BROKER]
        for misdeed in misdeeds:
            shown_by = Party.BROKER if misdeed.owed else Party.CLIENT
            item = self._followed.items(shown_by)[misdeed.number]
            if misdeed.owed and (broker.acknowledged < item.end or broker.was_full or client.was_full):
                continue
            self._followed.violate(
                Party.CLIENT, misdeed.rule, misdeed.expected, misdeed.seen, (shown_by, item)
            )

    def _decode(self, item: Item) -> Decoded | MalformedFrameError | None:
        """Returns the message or why it does not decode; None if it has several parts."""
        if len(item.parts) != 1:
            return None
        try:
            return self._codec.decode(item.parts[0])
        except MalformedFrameError as error:
            return error

    def _sent(self, message: Decoded | MalformedFrameError | None) -> None:
        if self._referee is None:
            return
        if isinstance(message, Decoded):
            self._referee.sent(message)
        else:
            self._referee.sent_bad(("malformed",) if message is None else codes_for(message))

    def _received(self, message: Decoded | MalformedFrameError | None, item: Item) -> None:
        """Judges a message of the broker; none after its first violation, which leaves the state unknown."""
        if self._referee is None:
            return
        try:
            if message is None:
                seen = f"a message of {len(item.parts)} parts"
                raise FailureError("messages of one part", seen, "ZEPS-FRAME-3")
            if isinstance(message, MalformedFrameError):
                seen = f"{item.parts[0][:32].hex(' ')} ({message})"
                raise FailureError("frames that decode", seen, RULE_OF_CODE.get(message.code))
            self._referee.received(message)
        except FailureError as error:
            name = message.name if isinstance(message, Decoded) else ""
            rule = error.rule or self._rule_of(name, self._referee)
            self._followed.violate(Party.BROKER, rule, error.expected, error.seen, (Party.BROKER, item))
            self._referee = None

    def _rule_of(self, name: str, referee: Referee) -> str:
        """Returns the rule that the frame `name` of the broker violates, where the referee names none."""
        if name == "DELIVER":
            return "ZEPS-SUBSCRIBE-3"  # a sequence is missing
        if self._own_id:
            return "ZEPS-SESSION-5"
        if name not in UNASKED or not referee.unanswered:
            return UNASKED.get(name, "")
        oldest = referee.unanswered[0]
        if not oldest:
            return "ZEPS-INVALID-1"
        return "ZEPS-PING-3" if referee.attached or oldest == "ATTACH" else "ZEPS-SESSION-1"
