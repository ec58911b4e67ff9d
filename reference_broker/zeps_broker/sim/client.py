"""A client on the generated machine: with credit windows, resumption, slow reading, and sometimes protocol violations.

Resumption with several subscriptions: each subscription has its own last sequence, that of the last message that
matches it, is after its start, and is not covered by a subscription granted earlier. After attaching again, the client
subscribes again in the same order, each subscription from its own last sequence. No message is left out; one that is
repeated in the new session is detected by its sequence. The client stops waiting for messages that are announced as
lost. A subscription that comes too late (`not-retained`) is made again after the lost messages. One beyond the stream's
end (`beyond-end`) shows that the journal was reset: sequences known beyond that end are forgotten, and the subscription
is made again at the end.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Protocol

from zeps_broker.core.reasons import parse
from zeps_broker.ports import GapReason
from zeps_broker.sim.faults import Violation
from zeps_broker.sim.ledger import Ledger
from zeps_broker.sim.network import Link, Network, Timeline
from zeps_broker.sim.record import Record, matches
from zeps_wire.zeps import (
    LATEST_ALL,
    LATEST_NEW,
    Attach,
    Deliver,
    Detach,
    DetachOk,
    EndingCode,
    Invalid,
    Message,
    OpenCode,
    Ping,
    Publish,
    decode,
)
from zeps_wire.zeps_client import ClientMachine, Event, State

__all__ = ["UNKNOWN_CODE", "Habits", "SimClient", "Surroundings", "Want"]

_ANSWER_SECONDS = 2.0
_REFUSES_SUBSCRIBE = frozenset(
    (OpenCode.BAD_PATTERN, OpenCode.TOO_MANY_SUBSCRIPTIONS, OpenCode.NOT_RETAINED, OpenCode.BEYOND_END)
)
UNKNOWN_CODE = "from-a-later-version"
"""A code that no broker of version 1 sends (ZEPS-INVALID-6)."""
_GAPS: dict[str, GapReason] = {OpenCode.RETENTION: "retention", OpenCode.DAMAGE: "damage"}
_FRAME_MAX = 512
"""The largest frame of the simulation: with this credit the next message always fits."""


class Surroundings(Timeline, Protocol):
    """The interface of the world for clients."""

    network: Network
    ledger: Ledger

    def style_of(self, stream: str) -> str: ...

    def may_have_forgotten(self) -> bool:
        """Returns whether the broker may have ended any session silently since its start; True while none runs."""

    @property
    def patterns_max(self) -> int:
        """Maximum number of distinct patterns of a session's subscriptions."""


@dataclass(slots=True)
class Habits:
    """The behaviour of a client."""

    window: int
    """Bytes of credit that it keeps granted."""
    think: float
    """Seconds to process a message."""
    notices: bool
    """True if it is notified of a broken connection; otherwise it must detect it."""


@dataclass(slots=True, eq=False)
class Want:
    """A subscription from the user's view, across sessions."""

    pattern: str
    resume: int
    """The `latest` for the next session."""
    start: int | None = None
    """Everything after it is expected; None until it is granted."""
    base: int = 0
    """In this session: the `latest` that was sent, 0 if it was not a place in the stream."""
    lapsed: int | None = None
    """The stream's end after a power failure that removed the messages up to `resume`; the client cannot know it."""

    @property
    def known(self) -> bool:
        """Returns whether `resume` is a sequence, not LATEST_ALL or LATEST_NEW, which start anew in each session."""
        return self.resume not in (LATEST_ALL, LATEST_NEW)


class SimClient:
    """One client. Implements the generated `ClientHost` and the link's :class:`Endpoint`."""

    def __init__(self, world: Surroundings, name: str, stream: str, habits: Habits) -> None:
        self._world = world
        self.name = name
        self.stream = stream
        self.habits = habits
        self.machine = ClientMachine(self)
        self.link: Link = Link(self, False, 0.001, 0.0, 1000)
        self.wants: list[Want] = []
        self._asked: deque[Want] = deque()
        """In this session: subscriptions whose SUBSCRIBE is unanswered."""
        self._granted: list[Want] = []
        """In this session: subscriptions with SUBSCRIBE-OK, in this order."""
        self._again: list[Want] = []
        """Refused subscriptions that must be requested again."""
        self._refusal: tuple[str, tuple[int, int] | None] = ("", None)
        self.accounted: set[int] = set()
        """Sequences that the client has received, that were announced as lost, or that it cannot know of."""
        self.record: Record | None = None
        self.promise: tuple[Record, int] | None = None
        """After the broker's DETACH: the session, and how many of its messages the broker must have stored."""
        self.starving = False
        self.gone = False
        self.open_at = 0.0
        self._numbers = 0
        self._used = 0
        self._sent_at = 0.0
        self._waiting_since = 0.0
        self._attached = False
        self._rude_over = 0
        """The number of the connection over which it last sent a command that ends a session."""
        self._blunders = 0
        """Number of commands that it sent although only a broker may, and that were not answered in a session."""

    # actions of its user

    def want(self, pattern: str, latest: int) -> None:
        self.wants.append(Want(pattern, latest))
        if self.machine.state == State.OPEN:
            self._follow(self.wants[-1])

    def publish(self, key: str, padding: int) -> None:
        if self.machine.state == State.OPEN:
            self._numbers += 1
            self.machine.post(key, f"{self.name}:{self._numbers}:".encode() + b"." * padding)

    def probe(self) -> None:
        if self.machine.state == State.OPEN:
            self.machine.probe()

    def give_up(self) -> None:
        """Abandons the session silently; the next is opened over the same connection."""
        if self.machine.state in (State.OPEN, State.ATTACHING):
            self.machine.malformed()

    def close(self) -> None:
        if self.machine.state in (State.OPEN, State.ATTACHING):
            self._waiting_since = self._world.now
            self.machine.close()

    def blurt(self, data: bytes, *, ends: bool) -> None:
        """Sends invalid bytes, answered with INVALID; with `ends` the broker ends the session, if one exists."""
        self._blunders += not ends
        if ends:
            self._rude_over = self.link.connections + (self.link.peer is None)
        if self.record is not None:
            self.record.spoiled |= ends
        self._world.say(self.name, data)
        self._world.network.from_client(self.link, data)

    def move(self, stream: str) -> None:
        """Abandons the session, forgets the subscriptions, and changes to `stream`."""
        self.give_up()
        self.stream = stream
        self.wants.clear()
        self.accounted.clear()

    def grant(self, byte_count: int) -> None:
        if self.machine.state == State.OPEN:
            self.machine.grant(byte_count)

    def tick(self) -> None:
        """Performs periodic work; called about every second in an open session, otherwise every 0.1 s."""
        world, state = self._world, self.machine.state
        if state == State.START:
            if world.now >= self.open_at and self.link.peer is not None:
                self._waiting_since = world.now
                self.machine.open(self.stream)
        elif state == State.OPEN:
            if world.now - self._sent_at >= 0.9:
                self.machine.heartbeat()
            if not self.starving and self.machine.state == State.OPEN and self.machine.credit < _FRAME_MAX:
                self.grant(_FRAME_MAX)
        elif world.now - self._waiting_since > _ANSWER_SECONDS:
            self.machine.expired()

    def power_failed(self) -> None:
        """Adjusts expectations of the broker to the loss of unsynced messages, which the client does not notice."""
        end = self._world.ledger.history.end(self.stream)
        self._forget_after(end)
        for want in self.wants:
            if want.known and want.resume > end:
                want.lapsed = end if want.lapsed is None else min(want.lapsed, end)

    def _forget_after(self, end: int) -> None:
        self.accounted = {sequence for sequence in self.accounted if sequence <= end}
        for want in self.wants:
            if want.start is not None:
                want.start = min(want.start, end)

    # the link

    def arrived(self, frame: bytes) -> None:
        if self.gone:
            return
        message = decode(frame)
        self._world.say(self.name, message)
        is_delivery = self.machine.state == State.OPEN and isinstance(message, Deliver)
        if is_delivery and (credit := self.machine.credit) < len(frame):
            raise Violation(f"ZEPS-CREDIT-5: {self.name} has {credit} credit and gets {message!r}")
        self.machine.receive(message)
        if self._attached:
            self._attached = False
            self._begin()
        again, self._again = self._again, []
        for want in again:
            if self.machine.state == State.OPEN:
                self._follow(want)

    def link_broke(self) -> None:
        self.promise = None
        if self.habits.notices:
            self.link.waiting.clear()
            self.machine.malformed()

    # host actions

    def send(self, message: Message) -> None:
        record = self.record
        if record is not None:
            if isinstance(message, Publish):
                record.published.append(message.encode())
            elif isinstance(message, Ping):
                record.probes.append(len(record.published))
        self._world.say(self.name, message)
        self._sent_at = self._world.now
        if isinstance(message, Attach | Detach):
            self._waiting_since = self._world.now
        self._world.network.from_client(self.link, message.encode())

    def attached(self, message: object) -> None:
        world = self._world
        style, connection = world.style_of(self.stream), self.link.connections
        self.record = Record(world.ledger.history, self.stream, style, world.patterns_max, connection)
        self.promise = None
        self._attached = True

    def detached(self, message: object) -> None:
        record = self.record
        if record is not None and not record.spoiled:
            if isinstance(message, Detach):
                self.promise = (record, len(record.published))
            elif isinstance(message, DetachOk):
                self._world.ledger.stored(record, len(record.published), "ZEPS-DETACH-1: DETACH-OK came")
        self._ended()

    def read_notice(self, message: Invalid) -> None:
        """Handles INVALID: it ends the session, refuses a SUBSCRIBE, or reports a gap or an unexpected command."""
        try:
            code, sequences, _ = parse(message.reason)
        except ValueError as error:
            raise Violation(f"ZEPS-INVALID-8: {error}") from None
        left_at = self._world.ledger.left_at(message)
        judges = self.machine.state == State.OPEN
        if code not in set(OpenCode):
            if judges:
                self._judge_end(code)
            self.machine.fail(Event.ON_ENDED)
        elif code in _REFUSES_SUBSCRIBE:
            self._refusal = code, sequences
            self.machine.fail(Event.ON_SUBSCRIBE_REFUSED)
        elif judges:
            self._take_notice(code, sequences, left_at)

    def _judge_end(self, code: str) -> None:
        """Raises Violation if an INVALID with `code` ends a session without a cause (ZEPS-INVALID-9)."""
        record = self.record
        assert record is not None
        lost = record.connection != self.link.connections or self._world.may_have_forgotten()
        rude = self._rude_over == self.link.connections
        if code == UNKNOWN_CODE or rude or (code == EndingCode.NO_SESSION and lost):
            return
        raise Violation(f"ZEPS-INVALID-9: {code} ends the session of {self.name}")

    def _take_notice(self, code: str, sequences: tuple[int, int] | None, left_at: float) -> None:
        record = self.record
        assert record is not None
        if code not in _GAPS:
            if not self._blunders:
                raise Violation(f"ZEPS-INVALID-1: {self.name} sent nothing that is {code}")
            self._blunders -= 1
            return
        if sequences is None:
            raise Violation(f"{code} without sequences")
        self._world.ledger.gaps += 1
        first, last = sequences
        record.notice(_GAPS[code], first, last, left_at)
        self.accounted.update(range(first, last + 1))
        if len(self._granted) == 1:
            # One subscription is delivered in order: all messages before the gap have arrived.
            self._granted[0].resume = last

    def refused(self, message: object) -> None:
        record, (code, sequences) = self.record, self._refusal
        assert record is not None
        record.refused(code, sequences)
        self._world.ledger.refusals[code] += 1
        want = self._asked.popleft()
        if sequences is None:
            self.wants.remove(want)
            return
        first, last = sequences
        if code == OpenCode.NOT_RETAINED:
            self.accounted.update(range(first, last + 1))
            want.start = min(first - 1, last if want.start is None else want.start)
            want.resume = last
        else:
            self._forget_after(first - 1)
            want.resume = first - 1
        self._again.append(want)

    def subscribed(self, message: object) -> None:
        record = self.record
        assert record is not None
        start = record.subscribed()
        want = self._asked.popleft()
        self._granted.append(want)
        if not want.known or want.start is None:
            want.start = start
        if want.lapsed is not None:
            self.accounted.update(range(want.lapsed + 1, start + 1))
            want.lapsed = None

    def take_message(self, message: Deliver) -> None:
        record = self.record
        assert record is not None
        self._world.ledger.received(record, message)
        self.accounted.add(message.sequence)
        for want in self._granted:
            if message.sequence > want.base and matches(record.style, want.pattern, message.key):
                want.resume = max(want.resume, message.sequence) if want.known else message.sequence
                break
        self._use(message.size())

    def answered(self, message: object) -> None:
        assert self.record is not None
        self._world.ledger.answered(self.record)

    # internals

    def _begin(self) -> None:
        """Starts a session: sends credit and subscriptions, in any order."""
        self._used = 0
        self._asked.clear()
        self._granted.clear()
        self._again.clear()
        grant_first = self._world.rng.random() < 0.5
        if grant_first and not self.starving:
            self.grant(self.habits.window)
        for want in self.wants:
            self._follow(want)
        if not grant_first and not self.starving:
            self.grant(self.habits.window)

    def _follow(self, want: Want) -> None:
        assert self.record is not None
        want.base = want.resume if want.known else 0
        if want.resume == LATEST_NEW:
            want.start = None
        self._asked.append(want)
        self.record.subscribes(want.pattern, want.resume)
        self.machine.follow(want.pattern, want.resume)

    def _use(self, byte_count: int) -> None:
        self._used += byte_count
        if self._used * 2 >= self.habits.window and not self.starving:
            self._world.at(self._world.now + self.habits.think, self._give_back)

    def _give_back(self) -> None:
        used, self._used = self._used, 0
        if used and not self.starving:
            self.grant(used)

    def _ended(self, message: object = None) -> None:
        """Ends the session; the next is opened after a moment."""
        self.record = None
        self.open_at = self._world.now + self._world.rng.uniform(0.0, 0.5)

    attach_refused = broker_lost = session_lost = _ended
