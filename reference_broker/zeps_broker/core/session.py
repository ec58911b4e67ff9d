"""The session of one client: the generated machine decides, and this module executes its actions.

The machine (`zeps_server.xml`) defines which messages are legal, how they are answered and how much may be sent. The
session is its host, and keeps the rest: the stream, the subscriptions, the gear.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from zeps_broker.core.matching import Prefix
from zeps_broker.core.output_queue import OutputQueue
from zeps_broker.core.reading import Reading
from zeps_broker.core.reasons import Code, compose
from zeps_broker.core.settings import Settings
from zeps_broker.core.stream import Group, Stream
from zeps_broker.core.style import PatternError, TooManyPatternsError
from zeps_broker.memory import Budget
from zeps_broker.ports import Peer
from zeps_wire.zeps import (
    LATEST_ALL,
    LATEST_NEW,
    Attach,
    Credit,
    Deliver,
    EndingCode,
    Message,
    OpenCode,
    Publish,
    Subscribe,
)
from zeps_wire.zeps_server import Event, InternalEvent, ServerMachine, State

__all__ = ["DELIVER_MIN", "SESSION_BYTES", "SUBSCRIPTION_BYTES", "RefusedError", "Session", "SessionHost"]

DELIVER_MIN = Deliver(sequence=0, key="", body=b"").size()
"""Bytes of the smallest DELIVER frame: with less credit a session does not read."""


SESSION_BYTES = 3000
"""Memory of a session, as counted: its machine, its timer and its entries in tables."""
SUBSCRIPTION_BYTES = 1000
"""Memory of a subscription or a waiting fill besides its pattern, as counted: in the session and in its group."""
_HISTORY_SHARE = 4
"""Number of subscriptions remembered while older messages are read, per allowed subscription."""
_HISTORY_BYTES = 200
NO_MEMORY = "the broker's memory for sessions is used up; try again later"


class RefusedError(Exception):
    """The broker refuses an ATTACH; the error's text is INVALID's reason, composed of `code` and `text`."""

    def __init__(self, code: Code, text: str) -> None:
        super().__init__(compose(code, text))


class SessionHost(Protocol):
    """The interface of the broker for its sessions."""

    settings: Settings
    outgoing: OutputQueue
    memory: Budget
    """Memory for sessions."""
    refusals: int
    """Number of ATTACHes and SUBSCRIBEs that were refused."""

    def charge(self, steps: int) -> None:
        """Deducts `steps` from those left for the peer that is being served; the rest may become negative."""

    def enter(self, stream: str, peer: Peer) -> Stream:
        """Returns the stream of that name, opened if it is not open, for a new session of the peer, which the caller
        counts in `Stream.sessions`. Raises RefusedError if the broker is stopping, a limit is reached or opening fails.
        """

    def left(self, stream: Stream) -> None:
        """Records that a session has left the stream; one without sessions is closed after the batch."""

    def commit(self, stream: Stream) -> None:
        """Journals all pending messages of the stream, if the served peer published some. Raises JournalError."""

    def publish(self, session: Session, run: Sequence[bytes]) -> int:
        """Takes the valid PUBLISH frames at the beginning of `run` and deducts their steps; returns their number. If
        matching costs work, it stops when the peer's steps are used up.
        """

    def place_later(self, session: Session) -> None:
        """Marks the session for a new choice of gear after the batch, since its readable messages changed."""

    def wake(self, session: Session) -> None:
        """Queues a session in low gear that may have messages to read, unless it is queued already."""


class Session:
    """A client that is attached, or about to be. Implements the generated `ServerHost`.

    Invariants between turns, which the simulator asserts (`sim/invariants.py`):

    - In state OPEN it has a stream.
    - With a `group` it is one of the group's members, has no fill to read, and its pipe is not full.
    - Without a group it has a turn coming as soon as it may read: it has subscribed, its pipe is not full, and its
      credit is at least `credit_needed`, which is at least DELIVER_MIN.
    - `held` is what the broker's memory counts for it.
    """

    __slots__ = (
        "_host",
        "_stream",
        "credit_needed",
        "group",
        "heard",
        "held",
        "machine",
        "peer",
        "pinged",
        "queued",
        "reading",
        "timer_id",
        "turn_bytes",
    )

    def __init__(self, host: SessionHost, peer: Peer) -> None:
        self._host = host
        self._stream: Stream | None = None
        self.peer = peer
        self.machine = ServerMachine(self)
        self.reading: Reading = _NOTHING
        self.group: Group | None = None
        """Its group in high gear; None in low gear, or before it has subscribed."""
        self.credit_needed = DELIVER_MIN
        """In low gear: the minimum credit for a turn, in bytes: that of the next frame, if its size is known."""
        self.queued = False
        """In low gear: True if the session is queued for a turn."""
        self.turn_bytes = host.settings.low_gear_turn_bytes
        """In low gear: bytes of one turn; small after its pipe was full, then doubled with each turn."""
        self.heard = 0.0
        self.held = 0
        """Bytes of memory that are counted for the session."""
        self.pinged = 0.0
        self.timer_id = 0

    @property
    def stream(self) -> Stream:
        assert self._stream is not None
        return self._stream

    @property
    def reads(self) -> bool:
        """True if the session is open and has a subscription."""
        return self.machine.state == State.OPEN and self.reading.subscribed

    def close(self) -> None:
        """Frees its memory. It must have left its stream and cannot be used again."""
        del self.machine.host
        self._hold(0)

    def _hold(self, count: int) -> bool:
        """Sets the bytes counted for the session; returns False, without a change, if the budget is too small."""
        memory, more = self._host.memory, count - self.held
        if more > 0 and not memory.take(more):
            return False
        if more < 0:
            memory.give(-more)
        self.held = count
        return True

    def refuse(self, event: InternalEvent, reason: str) -> None:
        """Called in a host action: the machine skips the remaining actions of its row and handles `event`, which sends
        INVALID with `reason`. Counts a refusal.
        """
        self._host.refusals += 1
        self.machine.reason = reason
        self.machine.fail(event)

    def park(self) -> None:
        """Stops live deliveries: a session in high gear leaves its group."""
        if self.group is not None:
            self.stream.leave(self, self.stream.end)

    def place(self) -> None:
        """Chooses the gear of a session that is in no group: it joins its group if it is caught up; otherwise it is
        queued for low gear if it has `credit_needed`. Nothing happens without a subscription or with a full pipe.
        """
        if not self.reads or self._host.outgoing.blocked(self.peer):
            return
        stream = self.stream
        if stream.joinable and self.reading.caught_up(stream.end):
            stream.join(self)
        elif self.machine.credit >= self.credit_needed:
            self._host.wake(self)

    def place_after_retention(self) -> None:
        """Re-examines a session that waits for the credit of a message that retention has removed (ZEPS-GAP-1)."""
        if self.group is None and self.reads and self.reading.cursor + 1 < self.stream.log.first_sequence:
            self.credit_needed = DELIVER_MIN
            self.place()

    # host actions

    def send(self, message: Message) -> None:
        self._host.outgoing.control(self.peer, message.encode())

    def open_stream(self, message: Attach) -> None:
        try:
            if not self._hold(SESSION_BYTES):
                raise RefusedError(EndingCode.TOO_MANY_SESSIONS, NO_MEMORY)
            stream = self._host.enter(message.stream, self.peer)
        except RefusedError as refused:
            self.refuse(Event.ON_ATTACH_REFUSED, str(refused))
            return
        stream.sessions += 1
        self._stream = stream
        self.reading = Reading(stream.matching)
        self.credit_needed = DELIVER_MIN
        self.turn_bytes = self._host.settings.low_gear_turn_bytes

    def close_stream(self, message: Message | None) -> None:
        """Leaves the stream, if there is one: a refused ATTACH in an open session has left it already."""
        stream = self._stream
        if stream is None:
            return
        self.park()
        self._stream = None
        stream.release(self.reading)
        self.reading = _NOTHING
        stream.sessions -= 1
        self._host.left(stream)

    def check_subscription(self, message: Subscribe) -> None:
        """Refuses a SUBSCRIBE that cannot be granted. Commits first: the client may have published before."""
        self._host.commit(self.stream)
        refusal = self._subscription_refusal(message.pattern.encode(), message.latest)
        if refusal is not None:
            self.refuse(Event.ON_SUBSCRIBE_REFUSED, refusal)

    def _subscription_refusal(self, pattern: bytes, latest: int) -> str | None:
        """Returns the reason for a refusal, else None. A refusal too charges a new pattern's steps."""
        reading, most = self.reading, self._host.settings.patterns_max
        try:
            if pattern not in reading:
                self._host.charge(self.stream.style.cost(pattern))
                self.stream.matching.check(pattern, reading)
        except PatternError as error:
            return compose(OpenCode.BAD_PATTERN, str(error))
        except TooManyPatternsError as error:
            return compose(OpenCode.TOO_MANY_SUBSCRIPTIONS, str(error))
        if len(reading) >= most and pattern not in reading:
            return compose(OpenCode.TOO_MANY_SUBSCRIPTIONS, f"a session has at most {most} subscriptions")
        if reading.fills >= most or reading.history >= _HISTORY_SHARE * most:
            text = f"at most {most} subscriptions of a session wait for older messages: read some first"
            return compose(OpenCode.TOO_MANY_SUBSCRIPTIONS, text)
        return self._position_refusal(latest) or self._memory_refusal(pattern)

    def _position_refusal(self, latest: int) -> str | None:
        first, end = self.stream.log.first_sequence, self.stream.log.last_sequence
        if latest in (LATEST_ALL, LATEST_NEW):
            return None
        if latest > end:
            return compose(OpenCode.BEYOND_END, f"the stream ends at {end}", (end + 1, latest))
        if latest + 1 < first:
            text = f"retention has removed what precedes {first}"
            return compose(OpenCode.NOT_RETAINED, text, (latest + 1, first - 1))
        return None

    def _memory_refusal(self, pattern: bytes) -> str | None:
        """Counts the memory of one more subscription, unless there is not enough."""
        reading = self.reading
        subscriptions = len(reading) + reading.fills + 1
        content_bytes = reading.pattern_bytes + len(pattern) + reading.history * _HISTORY_BYTES
        if not self._hold(SESSION_BYTES + subscriptions * SUBSCRIPTION_BYTES + content_bytes):
            return compose(OpenCode.TOO_MANY_SUBSCRIPTIONS, NO_MEMORY)
        return None

    def add_subscription(self, message: Subscribe) -> None:
        stream, log, latest = self.stream, self.stream.log, message.latest
        if self.group is not None:
            stream.leave(self, stream.end)
        start = log.first_sequence - 1 if latest == LATEST_ALL else min(latest, log.last_sequence)
        pattern = message.pattern.encode()
        if pattern not in self.reading:
            stream.matching.hold(pattern)
        self.reading.subscribe(pattern, start)
        self.credit_needed = DELIVER_MIN
        self._host.place_later(self)

    def use_credit(self, message: Credit) -> None:
        if self.group is None:
            self._host.place_later(self)

    def store_message(self, message: Publish) -> None:
        """Stores a PUBLISH that was passed to the machine."""
        self._host.publish(self, (message.encode(),))


_NOTHING = Reading(Prefix())
"""Reading state of a session without a stream; it never subscribes."""
