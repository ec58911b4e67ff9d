"""ZEPS client session.

What a client does for its application. Methods are the application's calls; the host owns the
clock, the socket and the resumption point.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Literal, Protocol

from . import zeps
from .machine import RaisingMachine, Row, by_state, settled_rows
from .machine import number as _number

__all__ = [
    "TABLE",
    "ClientHost",
    "ClientMachine",
    "Event",
    "FollowCall",
    "GrantCall",
    "InternalEvent",
    "OpenCall",
    "PostCall",
    "State",
    "settled",
]


class State(IntEnum):
    """The states of a session; the first is the initial state.

    Attributes:
        START: Not attached.
        ATTACHING: ATTACH is sent on entry. If an earlier session was lost, the broker answers each
            command of it that was still on its way by INVALID, before it answers ATTACH; these
            INVALIDs are ignored until ATTACH-OK or the timer.
        LEAVING: The application closed before ATTACH was answered. DETACH waits for the answer: if
            both were on their way, an INVALID could answer either.
        OPEN: Attached.
        DETACHING: DETACH is sent; what still arrives is dropped. PING is not answered any more, nor
            is a DETACH of the broker that crosses this one: the broker takes this one for the
            answer, and sends DETACH-OK.
    """

    START = 0
    ATTACHING = 1
    LEAVING = 2
    OPEN = 3
    DETACHING = 4


class Event(IntEnum):
    """The events: received messages, and (`ON_…`) events of the host and the application.

    Attributes:
        ATTACH: Client opens stream
        ATTACH_OK: Server grants the client access
        SUBSCRIBE: Client subscribes to a set of topics
        SUBSCRIBE_OK: Server confirms the subscription
        CREDIT: Client sends credit to the server
        PUBLISH: Client publishes a new message to the open stream
        DELIVER: Server delivers a message to the client
        PING: Client or server sends a heartbeat
        PING_OK: Client or server answers a heartbeat
        DETACH: Client or server closes the peering
        DETACH_OK: Client or server confirms the close
        INVALID: Server tells client it sent an invalid message
        ON_HEARTBEAT: Nothing was sent for a while. Also raised if a PING has no answer and nothing
            has arrived for a while.
        ON_EXPIRED: ATTACH or DETACH was not answered in time.
        ON_MALFORMED: The host received something that does not decode.
        ON_ENDED: Raised when the code of an INVALID is one that ends the session, or is not known.
        ON_SUBSCRIBE_REFUSED: Raised when the code of an INVALID is one that refuses a SUBSCRIBE.
        ON_OPEN: Attach to a stream.
        ON_FOLLOW: Subscribe.
        ON_GRANT: Let the broker send this many octets of DELIVER frames more.
        ON_POST: Publish.
        ON_PROBE: Ask for PING-OK: when it comes, everything published before has its sequence.
        ON_CLOSE: Detach.
    """

    ATTACH = 0
    ATTACH_OK = 1
    SUBSCRIBE = 2
    SUBSCRIBE_OK = 3
    CREDIT = 4
    PUBLISH = 5
    DELIVER = 6
    PING = 7
    PING_OK = 8
    DETACH = 9
    DETACH_OK = 10
    INVALID = 11
    ON_HEARTBEAT = 12
    ON_EXPIRED = 13
    ON_MALFORMED = 14
    ON_ENDED = 15
    ON_SUBSCRIBE_REFUSED = 16
    ON_OPEN = 17
    ON_FOLLOW = 18
    ON_GRANT = 19
    ON_POST = 20
    ON_PROBE = 21
    ON_CLOSE = 22


InternalEvent = Literal[Event.ON_ENDED, Event.ON_SUBSCRIBE_REFUSED]
"""The events that host actions may fail with or raise."""


@dataclass(frozen=True, slots=True)
class OpenCall:
    """The parameters of `open`."""

    stream: str


@dataclass(frozen=True, slots=True)
class FollowCall:
    """The parameters of `follow`."""

    pattern: str
    latest: int


@dataclass(frozen=True, slots=True)
class GrantCall:
    """The parameters of `grant`."""

    octets: int


@dataclass(frozen=True, slots=True)
class PostCall:
    """The parameters of `post`."""

    key: str
    body: bytes


class ClientHost(Protocol):
    """The host of the machine. Each action gets the data of the event.

    An action must not call the machine, except `fail` and `raise_event`: other calls raise UnhandledEvent.
    """

    def send(self, message: zeps.Message) -> None:
        """Sends a message."""
        ...

    def attached(self, message: zeps.AttachOk) -> None:
        """The session is open: subscribe, grant credit, publish."""
        ...

    def attach_refused(self, message: zeps.Invalid) -> None:
        """The broker has refused ATTACH; the reason of INVALID says why."""
        ...

    def detached(self, message: zeps.Detach | zeps.Invalid | zeps.DetachOk | None) -> None:
        """The session is over: DETACH was answered, or no answer is expected any more."""
        ...

    def broker_lost(self, message: zeps.Message | None) -> None:
        """The broker is gone or breaks the protocol; connect again and attach."""
        ...

    def subscribed(self, message: zeps.SubscribeOk) -> None:
        """A SUBSCRIBE was granted, the oldest of those that wait."""
        ...

    def take_message(self, message: zeps.Deliver) -> None:
        """A message for the application. It has used up its part of the credit."""
        ...

    def answered(self, message: zeps.PingOk) -> None:
        """PING-OK has arrived: everything that was published before the PING has its sequence."""
        ...

    def read_notice(self, message: zeps.Invalid) -> None:
        """Reads the code of INVALID: fails with `ended` or `subscribe_refused` if the code ends the
        session or refuses a SUBSCRIBE.

        May fail with ended, subscribe_refused.
        """
        ...

    def session_lost(self, message: None) -> None:
        """The broker has ended the session; the machine attaches again, with no subscriptions and no
        credit.
        """
        ...

    def refused(self, message: None) -> None:
        """A SUBSCRIBE was refused, the oldest of those that wait."""
        ...


class ClientMachine(RaisingMachine[State, Event, zeps.Message, InternalEvent]):
    """ZEPS client session.

    Attributes:
        host: The host, which implements the actions
        credit: Octets of DELIVER frames that the broker may still send
        pending: SUBSCRIBE commands without an answer
        unanswered: PING commands without an answer
        unanswered_max: PING commands without an answer that mean the broker is gone
        stale: 1 while INVALIDs may still arrive that answer commands of a session that is over
        stream: The stream to attach to
    """

    __slots__ = ("credit", "host", "pending", "stale", "stream", "unanswered", "unanswered_max")

    def __init__(self, host: ClientHost) -> None:
        super().__init__(State.START)
        self.host = host
        self.credit: int = 0
        self.pending: int = 0
        self.unanswered: int = 0
        self.unanswered_max: int = 3
        self.stale: int = 0
        self.stream: str = ""

    def heartbeat(self) -> bool:
        """Nothing was sent for a while. Also raised if a PING has no answer and nothing has arrived
        for a while.

        Returns False if no guard is true.
        """
        return self._raise(Event.ON_HEARTBEAT, None)

    def expired(self) -> bool:
        """ATTACH or DETACH was not answered in time.

        Returns False if no guard is true.
        """
        return self._raise(Event.ON_EXPIRED, None)

    def malformed(self) -> bool:
        """The host received something that does not decode.

        Returns False if no guard is true.
        """
        return self._raise(Event.ON_MALFORMED, None)

    def ended(self) -> bool:
        """Raised when the code of an INVALID is one that ends the session, or is not known.

        Returns False if no guard is true.
        """
        return self._raise(Event.ON_ENDED, None)

    def subscribe_refused(self) -> bool:
        """Raised when the code of an INVALID is one that refuses a SUBSCRIBE.

        Returns False if no guard is true.
        """
        return self._raise(Event.ON_SUBSCRIBE_REFUSED, None)

    def open(self, stream: str) -> bool:
        """Attach to a stream.

        Returns False if no guard is true.
        """
        return self._raise(Event.ON_OPEN, OpenCall(stream))

    def follow(self, pattern: str, latest: int) -> bool:
        """Subscribe.

        Returns False if no guard is true.
        """
        return self._raise(Event.ON_FOLLOW, FollowCall(pattern, _number("latest", latest)))

    def grant(self, octets: int) -> bool:
        """Let the broker send this many octets of DELIVER frames more.

        Returns False if no guard is true.
        """
        return self._raise(Event.ON_GRANT, GrantCall(_number("octets", octets)))

    def post(self, key: str, body: bytes) -> bool:
        """Publish.

        Returns False if no guard is true.
        """
        return self._raise(Event.ON_POST, PostCall(key, body))

    def probe(self) -> bool:
        """Ask for PING-OK: when it comes, everything published before has its sequence.

        Returns False if no guard is true.
        """
        return self._raise(Event.ON_PROBE, None)

    def close(self) -> bool:
        """Detach.

        Returns False if no guard is true.
        """
        return self._raise(Event.ON_CLOSE, None)


def _stream_message_stream(machine: ClientMachine, message: OpenCall) -> None:
    machine.stream = message.stream


def _credit_0(machine: ClientMachine, _message: object) -> None:
    machine.credit = 0


def _pending_0(machine: ClientMachine, _message: object) -> None:
    machine.pending = 0


def _unanswered_0(machine: ClientMachine, _message: object) -> None:
    machine.unanswered = 0


def _send_attach_stream_stream(machine: ClientMachine, _message: object) -> None:
    machine.host.send(zeps.Attach(stream=machine.stream))


def _send_detach_ok(machine: ClientMachine, _message: object) -> None:
    machine.host.send(zeps.DetachOk())


def _stale_0(machine: ClientMachine, _message: object) -> None:
    machine.stale = 0


def _attached(machine: ClientMachine, message: zeps.AttachOk) -> None:
    machine.host.attached(message)


def _when_stale_1(machine: ClientMachine, _message: object) -> bool:
    return machine.stale == 1


def _attach_refused(machine: ClientMachine, message: zeps.Invalid) -> None:
    machine.host.attach_refused(message)


def _detached(machine: ClientMachine, message: zeps.Detach | zeps.Invalid | zeps.DetachOk | None) -> None:
    machine.host.detached(message)


def _broker_lost(machine: ClientMachine, message: zeps.Message | None) -> None:
    machine.host.broker_lost(message)


def _send_ping_ok(machine: ClientMachine, _message: object) -> None:
    machine.host.send(zeps.PingOk())


def _send_detach(machine: ClientMachine, _message: object) -> None:
    machine.host.send(zeps.Detach())


def _pending_pending_1(machine: ClientMachine, _message: object) -> None:
    machine.pending = min(machine.pending + 1, 4294967295)


def _send_subscribe_pattern_message_pattern_l(machine: ClientMachine, message: FollowCall) -> None:
    machine.host.send(zeps.Subscribe(pattern=message.pattern, latest=message.latest))


def _pending_pending_1_(machine: ClientMachine, _message: object) -> None:
    machine.pending = min(max(machine.pending - 1, 0), 4294967295)


def _subscribed(machine: ClientMachine, message: zeps.SubscribeOk) -> None:
    machine.host.subscribed(message)


def _when_pending_0(machine: ClientMachine, _message: object) -> bool:
    return machine.pending > 0


def _credit_credit_message_octets(machine: ClientMachine, message: GrantCall) -> None:
    machine.credit = min(machine.credit + message.octets, 18446744073709551615)


def _send_credit_credit_message_octets(machine: ClientMachine, message: GrantCall) -> None:
    machine.host.send(zeps.Credit(credit=message.octets))


def _credit_credit_size_deliver(machine: ClientMachine, message: zeps.Deliver) -> None:
    machine.credit = max(machine.credit - message.size(), 0)


def _take_message(machine: ClientMachine, message: zeps.Deliver) -> None:
    machine.host.take_message(message)


def _when_credit_size_deliver(machine: ClientMachine, message: zeps.Deliver) -> bool:
    return machine.credit >= message.size()


def _send_publish_key_message_key_body_messag(machine: ClientMachine, message: PostCall) -> None:
    machine.host.send(zeps.Publish(key=message.key, body=message.body))


def _unanswered_unanswered_1(machine: ClientMachine, _message: object) -> None:
    machine.unanswered = min(machine.unanswered + 1, 255)


def _send_ping(machine: ClientMachine, _message: object) -> None:
    machine.host.send(zeps.Ping())


def _stale_1(machine: ClientMachine, _message: object) -> None:
    machine.stale = 1


def _when_unanswered_unanswered_max(machine: ClientMachine, _message: object) -> bool:
    return machine.unanswered >= machine.unanswered_max


def _answered(machine: ClientMachine, message: zeps.PingOk) -> None:
    machine.host.answered(message)


def _read_notice(machine: ClientMachine, message: zeps.Invalid) -> None:
    machine.host.read_notice(message)


def _session_lost(machine: ClientMachine, message: None) -> None:
    machine.host.session_lost(message)


def _refused(machine: ClientMachine, message: None) -> None:
    machine.host.refused(message)


TABLE: tuple[Row[State, Event], ...] = (
    Row(
        State.START,
        Event.ON_OPEN,
        None,
        (
            "stream := message.stream",
            "credit := 0",
            "pending := 0",
            "unanswered := 0",
            "send ATTACH(stream = stream)",
        ),
        State.ATTACHING,
        1,
        None,
        (_stream_message_stream, _credit_0, _pending_0, _unanswered_0, _send_attach_stream_stream),
    ),
    Row(State.START, Event.DETACH, None, ("send DETACH-OK",), None, 1, None, (_send_detach_ok,)),
    Row(State.START, Event.ON_MALFORMED, None, (), None, 0, None, ()),
    Row(State.START, Event.ON_HEARTBEAT, None, (), None, 0, None, ()),
    Row(State.START, Event.ON_EXPIRED, None, (), None, 0, None, ()),
    Row(State.START, Event.ATTACH, None, (), None, 0, None, ()),
    Row(State.START, Event.ATTACH_OK, None, (), None, 0, None, ()),
    Row(State.START, Event.SUBSCRIBE, None, (), None, 0, None, ()),
    Row(State.START, Event.SUBSCRIBE_OK, None, (), None, 0, None, ()),
    Row(State.START, Event.CREDIT, None, (), None, 0, None, ()),
    Row(State.START, Event.PUBLISH, None, (), None, 0, None, ()),
    Row(State.START, Event.DELIVER, None, (), None, 0, None, ()),
    Row(State.START, Event.PING, None, (), None, 0, None, ()),
    Row(State.START, Event.PING_OK, None, (), None, 0, None, ()),
    Row(State.START, Event.DETACH_OK, None, (), None, 0, None, ()),
    Row(State.START, Event.INVALID, None, (), None, 0, None, ()),
    Row(
        State.ATTACHING,
        Event.ATTACH_OK,
        None,
        ("stale := 0", "attached"),
        State.OPEN,
        2,
        None,
        (_stale_0, _attached),
    ),
    Row(State.ATTACHING, Event.INVALID, "stale == 1", (), None, 0, _when_stale_1, ()),
    Row(State.ATTACHING, Event.INVALID, None, ("attach_refused",), State.START, 1, None, (_attach_refused,)),
    Row(
        State.ATTACHING,
        Event.DETACH,
        None,
        ("send DETACH-OK", "detached"),
        State.START,
        2,
        None,
        (_send_detach_ok, _detached),
    ),
    Row(
        State.ATTACHING,
        Event.ON_EXPIRED,
        None,
        ("stale := 0", "broker_lost"),
        State.START,
        2,
        None,
        (_stale_0, _broker_lost),
    ),
    Row(State.ATTACHING, Event.ON_CLOSE, None, (), State.LEAVING, 0, None, ()),
    Row(State.ATTACHING, Event.ON_HEARTBEAT, None, (), None, 0, None, ()),
    Row(State.ATTACHING, Event.ON_MALFORMED, None, ("broker_lost",), State.START, 1, None, (_broker_lost,)),
    Row(State.ATTACHING, Event.PING, None, ("send PING-OK",), None, 1, None, (_send_ping_ok,)),
    Row(State.ATTACHING, Event.ATTACH, None, (), None, 0, None, ()),
    Row(State.ATTACHING, Event.SUBSCRIBE, None, (), None, 0, None, ()),
    Row(State.ATTACHING, Event.SUBSCRIBE_OK, None, (), None, 0, None, ()),
    Row(State.ATTACHING, Event.CREDIT, None, (), None, 0, None, ()),
    Row(State.ATTACHING, Event.PUBLISH, None, (), None, 0, None, ()),
    Row(State.ATTACHING, Event.DELIVER, None, (), None, 0, None, ()),
    Row(State.ATTACHING, Event.PING_OK, None, (), None, 0, None, ()),
    Row(State.ATTACHING, Event.DETACH_OK, None, (), None, 0, None, ()),
    Row(State.LEAVING, Event.ATTACH_OK, None, ("send DETACH",), State.DETACHING, 1, None, (_send_detach,)),
    Row(State.LEAVING, Event.INVALID, "stale == 1", (), None, 0, _when_stale_1, ()),
    Row(State.LEAVING, Event.INVALID, None, ("detached",), State.START, 1, None, (_detached,)),
    Row(
        State.LEAVING,
        Event.DETACH,
        None,
        ("send DETACH-OK", "detached"),
        State.START,
        2,
        None,
        (_send_detach_ok, _detached),
    ),
    Row(
        State.LEAVING,
        Event.ON_EXPIRED,
        None,
        ("stale := 0", "detached"),
        State.START,
        2,
        None,
        (_stale_0, _detached),
    ),
    Row(State.LEAVING, Event.ON_HEARTBEAT, None, (), None, 0, None, ()),
    Row(State.LEAVING, Event.ON_MALFORMED, None, (), None, 0, None, ()),
    Row(State.LEAVING, Event.PING, None, ("send PING-OK",), None, 1, None, (_send_ping_ok,)),
    Row(State.LEAVING, Event.ATTACH, None, (), None, 0, None, ()),
    Row(State.LEAVING, Event.SUBSCRIBE, None, (), None, 0, None, ()),
    Row(State.LEAVING, Event.SUBSCRIBE_OK, None, (), None, 0, None, ()),
    Row(State.LEAVING, Event.CREDIT, None, (), None, 0, None, ()),
    Row(State.LEAVING, Event.PUBLISH, None, (), None, 0, None, ()),
    Row(State.LEAVING, Event.DELIVER, None, (), None, 0, None, ()),
    Row(State.LEAVING, Event.PING_OK, None, (), None, 0, None, ()),
    Row(State.LEAVING, Event.DETACH_OK, None, (), None, 0, None, ()),
    Row(
        State.OPEN,
        Event.ON_FOLLOW,
        None,
        ("pending := pending + 1", "send SUBSCRIBE(pattern = message.pattern, latest = message.latest)"),
        None,
        2,
        None,
        (_pending_pending_1, _send_subscribe_pattern_message_pattern_l),
    ),
    Row(
        State.OPEN,
        Event.SUBSCRIBE_OK,
        "pending > 0",
        ("pending := pending - 1", "subscribed"),
        None,
        2,
        _when_pending_0,
        (_pending_pending_1_, _subscribed),
    ),
    Row(
        State.OPEN,
        Event.ON_GRANT,
        None,
        ("credit := credit + message.octets", "send CREDIT(credit = message.octets)"),
        None,
        2,
        None,
        (_credit_credit_message_octets, _send_credit_credit_message_octets),
    ),
    Row(
        State.OPEN,
        Event.DELIVER,
        "credit >= size(DELIVER)",
        ("credit := credit - size(DELIVER)", "take_message"),
        None,
        2,
        _when_credit_size_deliver,
        (_credit_credit_size_deliver, _take_message),
    ),
    Row(
        State.OPEN,
        Event.ON_POST,
        None,
        ("send PUBLISH(key = message.key, body = message.body)",),
        None,
        1,
        None,
        (_send_publish_key_message_key_body_messag,),
    ),
    Row(
        State.OPEN,
        Event.ON_PROBE,
        None,
        ("unanswered := unanswered + 1", "send PING"),
        None,
        2,
        None,
        (_unanswered_unanswered_1, _send_ping),
    ),
    Row(
        State.OPEN,
        Event.ON_HEARTBEAT,
        "unanswered >= unanswered_max",
        ("stale := 1", "broker_lost"),
        State.START,
        2,
        _when_unanswered_unanswered_max,
        (_stale_1, _broker_lost),
    ),
    Row(
        State.OPEN,
        Event.ON_HEARTBEAT,
        None,
        ("unanswered := unanswered + 1", "send PING"),
        None,
        2,
        None,
        (_unanswered_unanswered_1, _send_ping),
    ),
    Row(
        State.OPEN,
        Event.PING_OK,
        None,
        ("unanswered := 0", "answered"),
        None,
        2,
        None,
        (_unanswered_0, _answered),
    ),
    Row(State.OPEN, Event.INVALID, None, ("read_notice",), None, 1, None, (_read_notice,)),
    Row(
        State.OPEN,
        Event.ON_ENDED,
        None,
        (
            "stale := 1",
            "session_lost",
            "credit := 0",
            "pending := 0",
            "unanswered := 0",
            "send ATTACH(stream = stream)",
        ),
        State.ATTACHING,
        2,
        None,
        (_stale_1, _session_lost, _credit_0, _pending_0, _unanswered_0, _send_attach_stream_stream),
    ),
    Row(
        State.OPEN,
        Event.ON_SUBSCRIBE_REFUSED,
        "pending > 0",
        ("pending := pending - 1", "refused"),
        None,
        2,
        _when_pending_0,
        (_pending_pending_1_, _refused),
    ),
    Row(State.OPEN, Event.ON_SUBSCRIBE_REFUSED, None, (), None, 0, None, ()),
    Row(
        State.OPEN,
        Event.DETACH,
        None,
        ("send DETACH-OK", "detached"),
        State.START,
        2,
        None,
        (_send_detach_ok, _detached),
    ),
    Row(State.OPEN, Event.ON_CLOSE, None, ("send DETACH",), State.DETACHING, 1, None, (_send_detach,)),
    Row(State.OPEN, Event.ON_EXPIRED, None, (), None, 0, None, ()),
    Row(State.OPEN, Event.ON_MALFORMED, None, ("broker_lost",), State.START, 1, None, (_broker_lost,)),
    Row(State.OPEN, Event.PING, None, ("send PING-OK",), None, 1, None, (_send_ping_ok,)),
    Row(State.OPEN, Event.ATTACH, None, ("broker_lost",), State.START, 1, None, (_broker_lost,)),
    Row(State.OPEN, Event.ATTACH_OK, None, ("broker_lost",), State.START, 1, None, (_broker_lost,)),
    Row(State.OPEN, Event.SUBSCRIBE, None, ("broker_lost",), State.START, 1, None, (_broker_lost,)),
    Row(State.OPEN, Event.SUBSCRIBE_OK, None, ("broker_lost",), State.START, 1, None, (_broker_lost,)),
    Row(State.OPEN, Event.CREDIT, None, ("broker_lost",), State.START, 1, None, (_broker_lost,)),
    Row(State.OPEN, Event.PUBLISH, None, ("broker_lost",), State.START, 1, None, (_broker_lost,)),
    Row(State.OPEN, Event.DELIVER, None, ("broker_lost",), State.START, 1, None, (_broker_lost,)),
    Row(State.OPEN, Event.DETACH_OK, None, ("broker_lost",), State.START, 1, None, (_broker_lost,)),
    Row(
        State.DETACHING,
        Event.DETACH_OK,
        None,
        ("stale := 0", "detached"),
        State.START,
        2,
        None,
        (_stale_0, _detached),
    ),
    Row(State.DETACHING, Event.INVALID, None, ("read_notice",), None, 1, None, (_read_notice,)),
    Row(
        State.DETACHING,
        Event.ON_ENDED,
        None,
        ("stale := 1", "detached"),
        State.START,
        2,
        None,
        (_stale_1, _detached),
    ),
    Row(State.DETACHING, Event.ON_SUBSCRIBE_REFUSED, None, (), None, 0, None, ()),
    Row(
        State.DETACHING,
        Event.ON_EXPIRED,
        None,
        ("stale := 0", "detached"),
        State.START,
        2,
        None,
        (_stale_0, _detached),
    ),
    Row(State.DETACHING, Event.ON_HEARTBEAT, None, (), None, 0, None, ()),
    Row(State.DETACHING, Event.ON_MALFORMED, None, (), None, 0, None, ()),
    Row(State.DETACHING, Event.ATTACH, None, (), None, 0, None, ()),
    Row(State.DETACHING, Event.ATTACH_OK, None, (), None, 0, None, ()),
    Row(State.DETACHING, Event.SUBSCRIBE, None, (), None, 0, None, ()),
    Row(State.DETACHING, Event.SUBSCRIBE_OK, None, (), None, 0, None, ()),
    Row(State.DETACHING, Event.CREDIT, None, (), None, 0, None, ()),
    Row(State.DETACHING, Event.PUBLISH, None, (), None, 0, None, ()),
    Row(State.DETACHING, Event.DELIVER, None, (), None, 0, None, ()),
    Row(State.DETACHING, Event.PING, None, (), None, 0, None, ()),
    Row(State.DETACHING, Event.PING_OK, None, (), None, 0, None, ()),
    Row(State.DETACHING, Event.DETACH, None, (), None, 0, None, ()),
)

_SETTLED: dict[tuple[State, Event], str] = settled_rows(
    TABLE,
    (
        _attached,
        _attach_refused,
        _detached,
        _broker_lost,
        _subscribed,
        _take_message,
        _answered,
        _session_lost,
        _refused,
    ),
)

ClientMachine.ROWS = by_state(TABLE, State)
ClientMachine.EVENT_OF = {
    zeps.Attach: Event.ATTACH,
    zeps.AttachOk: Event.ATTACH_OK,
    zeps.Subscribe: Event.SUBSCRIBE,
    zeps.SubscribeOk: Event.SUBSCRIBE_OK,
    zeps.Credit: Event.CREDIT,
    zeps.Publish: Event.PUBLISH,
    zeps.Deliver: Event.DELIVER,
    zeps.Ping: Event.PING,
    zeps.PingOk: Event.PING_OK,
    zeps.Detach: Event.DETACH,
    zeps.DetachOk: Event.DETACH_OK,
    zeps.Invalid: Event.INVALID,
}
ClientMachine.INTERNAL = frozenset(
    {
        Event.ON_ENDED,
        Event.ON_SUBSCRIBE_REFUSED,
    }
)


def settled(state: State, event: Event) -> str | None:
    """The host action that is the only effect of `event` in `state`, without a guard and a next state."""
    return _SETTLED.get((state, event))
