"""A client on the generated machine: credit windows, resumption at its own last sequence, slow, and sometimes
rude.

Resumption with several subscriptions. Each of them has its own last sequence: that of the last message that
matches it, follows what it asked for, and is wanted by no earlier subscription. Attaching again, the client
subscribes again in the same order, each subscription from its own last sequence on; what two subscriptions
want belongs to the earlier one, so nothing is left out. A message may come again in the new session; a client
knows it by its sequence.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Protocol

from zeps_wire.zeps import (
    Attach,
    Deliver,
    Detach,
    DetachOk,
    Invalid,
    Message,
    OpenCode,
    Ping,
    Publish,
    decode,
)
from zeps_wire.zeps_client import ClientMachine, Event, State

from ..core.reasons import parse
from .faults import Violation
from .ledger import Ledger, Record, matches
from .network import Link, Network

__all__ = ["Habits", "SimClient", "Surroundings", "Want"]

_ANSWER_SECONDS = 2.0
_REFUSES_SUBSCRIBE = frozenset(
    (
        OpenCode.BAD_PATTERN,
        OpenCode.TOO_MANY_SUBSCRIPTIONS,
        OpenCode.NOT_RETAINED,
        OpenCode.BEYOND_END,
    )
)
_FRAME_MAX = 512
"""No frame of the simulation is larger: with so much credit the next message always fits."""


class Surroundings(Protocol):
    """What a client needs of the world."""

    now: float
    rng: Random
    network: Network
    ledger: Ledger

    def at(self, time: float, call: Callable[[], None]) -> None: ...

    def style_of(self, stream: str) -> str: ...

    def say(self, who: str, what: object) -> None: ...


@dataclass(slots=True)
class Habits:
    """How a client behaves."""

    window: int
    """Octets of credit that it keeps granted."""
    think: float
    """Seconds it takes to use what it got."""
    notices: bool
    """Whether it is told that its connection broke, or finds out."""


@dataclass(slots=True)
class Want:
    """A subscription as the client's user sees it, through all sessions."""

    pattern: str
    resume: int
    """The `latest` for the next session."""
    known: bool
    """Whether `resume` is a place in the stream; otherwise it means "from now on", and begins anew with each
    session.
    """
    start: int | None
    """Everything after it is expected; None until it is known."""
    base: int = 0
    """In this session: the `latest` that was sent, 0 if it was no place in the stream."""


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
        self.had: set[int] = set()
        self.record: Record | None = None
        self.promise: tuple[Record, int] | None = None
        """What the broker owes to this client's last words, after its DETACH."""
        self.starving = False
        self.gone = False
        self.open_at = 0.0
        self._numbers = 0
        self._used = 0
        self._sent_at = 0.0
        self._waiting_since = 0.0
        self._attached = False

    # what its user does

    def want(self, pattern: str, latest: int) -> None:
        end = self._world.ledger.end(self.stream)
        known = latest <= end
        self.wants.append(Want(pattern, latest, known, latest if known else None))
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
        """Lose interest in the session without a word; the next is opened over the same connection."""
        if self.machine.state in (State.OPEN, State.ATTACHING):
            self.machine.malformed()

    def close(self) -> None:
        if self.machine.state in (State.OPEN, State.ATTACHING):
            self._waiting_since = self._world.now
            self.machine.close()

    def blurt(self, octets: bytes) -> None:
        """Send what no client should."""
        if self.record is not None:
            self.record.spoiled = True
        self._world.say(self.name, octets)
        self._world.network.from_client(self.link, octets)

    def move(self, stream: str) -> None:
        """Want another stream's messages, and nothing of the old one's."""
        self.give_up()
        self.stream = stream
        self.wants.clear()
        self.had.clear()

    def grant(self, octets: int) -> None:
        if self.machine.state == State.OPEN:
            self.machine.grant(octets)

    def tick(self) -> None:
        """Look after itself; about once a second."""
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
        """Unsynced messages are gone: what was known of them counts no more."""
        end = self._world.ledger.end(self.stream)
        self.had = {sequence for sequence in self.had if sequence <= end}
        for want in self.wants:
            if want.known:
                want.resume = min(want.resume, end)

    # the link

    def arrived(self, frame: bytes) -> None:
        if self.gone:
            return
        message = decode(frame)
        self._world.say(self.name, message)
        if (
            self.machine.state == State.OPEN
            and isinstance(message, Deliver)
            and self.machine.credit < len(frame)
        ):
            raise Violation(
                f"ZEPS-CREDIT-5: {self.name} has {self.machine.credit} credit and gets {message!r}"
            )
        self.machine.receive(message)
        if self._attached:
            self._attached = False
            self._begin()

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
        self.record = Record(self.stream, self._world.style_of(self.stream))
        self.promise = None
        self._attached = True

    def attach_refused(self, message: object) -> None:
        self._ended()

    def detached(self, message: object) -> None:
        record = self.record
        if record is not None and not record.spoiled:
            if isinstance(message, Detach):
                self.promise = (record, len(record.published))
            elif isinstance(message, DetachOk):
                self._world.ledger.stored(record, len(record.published), "ZEPS-DETACH-1: DETACH-OK came")
        self._ended()

    def broker_lost(self, message: object) -> None:
        self._ended()

    def read_notice(self, message: Invalid) -> None:
        """An INVALID in a session: ends it, or refuses the first subscription without an answer, or a notice."""
        code, _, _ = parse(message.reason)
        if code not in set(OpenCode):
            self.machine.fail(Event.ON_ENDED)
        elif code in _REFUSES_SUBSCRIBE:
            self.machine.fail(Event.ON_SUBSCRIBE_REFUSED)

    def session_lost(self, message: object) -> None:
        self._ended()

    def refused(self, message: object) -> None:
        raise Violation(f"ZEPS-SUBSCRIBE-1: {self.name} is refused a valid subscription")

    def subscribed(self, message: object) -> None:
        record = self.record
        assert record is not None
        want = self.wants[record.confirmed]
        self._world.ledger.subscribed(record)
        if not want.known:
            want.start = record.subscriptions[record.confirmed - 1].highest

    def take_message(self, message: Deliver) -> None:
        record = self.record
        assert record is not None
        self._world.ledger.received(record, message)
        self.had.add(message.sequence)
        for want in self.wants:
            if message.sequence > want.base and matches(record.style, want.pattern, message.key):
                want.resume = max(want.resume, message.sequence) if want.known else message.sequence
                want.known = True
                break
        self._use(message.size())

    def answered(self, message: object) -> None:
        assert self.record is not None
        self._world.ledger.answered(self.record)

    # inside

    def _begin(self) -> None:
        """A session has begun: credit and subscriptions, in any order."""
        self._used = 0
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
        if not want.known:
            want.start = None
        self._world.ledger.subscribes(self.record, want.pattern, want.resume)
        self.machine.follow(want.pattern, want.resume)

    def _use(self, octets: int) -> None:
        self._used += octets
        if self._used * 2 >= self.habits.window and not self.starving:
            self._world.at(self._world.now + self.habits.think, self._give_back)

    def _give_back(self) -> None:
        octets, self._used = self._used, 0
        if octets and not self.starving:
            self.grant(octets)

    def _ended(self) -> None:
        self.record = None
        self.open_at = self._world.now + self._world.rng.uniform(0.0, 0.5)
