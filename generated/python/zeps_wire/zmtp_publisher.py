"""ZMTP connection of a publisher.

What a PUB or XPUB socket does on one connection, bound or connected, from the greeting to the end.
The host frames, knows the socket's subscriptions and queues, and closes the connection when the
machine has terminated.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Literal, Protocol

from . import zmtp
from .machine import RaisingMachine, Row, by_state, settled_rows

__all__ = [
    "TABLE",
    "Event",
    "InternalEvent",
    "ServerHost",
    "ServerMachine",
    "State",
    "settled",
]


class State(IntEnum):
    """The states of a session; the first is the initial state.

    Attributes:
        START: Nothing was sent yet. A socket that is greeted first greets back, even if it refuses
            the peer.
        GREETING: Our greeting is sent; theirs is not there.
        INTRODUCING: Both greetings are there. Our READY does not wait for theirs.
        ANSWERING: Their READY was first; the host still owes ours.
        HANDSHAKE: Our READY is sent; theirs is not there.
        OPEN: The two talk. Subscriptions are taken in either form, for versions 3.0 and 3.1 differ
            in nothing else.
        CLOSED: The connection is over.
    """

    START = 0
    GREETING = 1
    INTRODUCING = 2
    ANSWERING = 3
    HANDSHAKE = 4
    OPEN = 5
    CLOSED = 6


class Event(IntEnum):
    """The events: received messages, and (`ON_…`) events of the host and the application.

    Attributes:
        GREETING: Opens a connection, in either direction.
        READY: Command: the sender is ready, and this is what it is.
        ERROR: Command: the sender refuses the peer.
        PING: Command: asks for a sign of life.
        PONG: Command: answers PING.
        SUBSCRIBE: Command of version 3.1: asks for the messages that begin with a topic.
        CANCEL: Command of version 3.1: takes one subscription back.
        SUBSCRIPTION: Message of version 3.0: asks for the messages that begin with a topic.
        CANCELLATION: Message of version 3.0: takes one subscription back.
        SUBSCRIBE_X: Command of our extension, for version 3.1: asks for the messages that a filter
            of some kind lets pass.
        CANCEL_X: Command of our extension, for version 3.1: takes one filter back.
        SUBSCRIPTION_X: Message of our extension, for version 3.0: asks for the messages that a
            filter of some kind lets pass.
        CANCELLATION_X: Message of our extension, for version 3.0: takes one filter back.
        ON_DOWNGRADE: Before the start: speak version 3.0.
        ON_CONNECTED: The transport has connected the two.
        ON_INTRODUCE: The host's own READY. It follows at once when the machine asks for it, before
            anything else is read.
        ON_REFUSED: Raised by a host action: the peer's greeting or its metadata is not acceptable.
        ON_HEARTBEAT: Nothing has arrived for a while.
        ON_EXPIRED: The handshake takes too long, or the peer's time to live has passed.
        ON_MALFORMED: Something arrived that does not decode.
        ON_UNKNOWN: A command arrived that the models do not have.
        ON_DISCONNECTED: The transport has lost the connection.
    """

    GREETING = 0
    READY = 1
    ERROR = 2
    PING = 3
    PONG = 4
    SUBSCRIBE = 5
    CANCEL = 6
    SUBSCRIPTION = 7
    CANCELLATION = 8
    SUBSCRIBE_X = 9
    CANCEL_X = 10
    SUBSCRIPTION_X = 11
    CANCELLATION_X = 12
    ON_DOWNGRADE = 13
    ON_CONNECTED = 14
    ON_INTRODUCE = 15
    ON_REFUSED = 16
    ON_HEARTBEAT = 17
    ON_EXPIRED = 18
    ON_MALFORMED = 19
    ON_UNKNOWN = 20
    ON_DISCONNECTED = 21


InternalEvent = Literal[Event.ON_REFUSED]
"""The events that host actions may fail with or raise."""


class ServerHost(Protocol):
    """The host of the machine. Each action gets the data of the event.

    An action must not call the machine, except `fail` and `raise_event`: other calls raise UnhandledEvent.
    """

    def send(self, message: zmtp.Message) -> None:
        """Sends a message."""
        ...

    def check_greeting(self, message: zmtp.Greeting) -> None:
        """Checks the mechanism and the version of the peer; fails with `refused` if they are not
        acceptable.

        May fail with refused.
        """
        ...

    def ask_for_introduction(self, message: zmtp.Greeting) -> None:
        """Asks the host for its own READY, which it raises as `introduce` at once."""
        ...

    def close_connection(self, message: zmtp.Message | None) -> None:
        """Close the transport: the peer is gone or breaks the protocol."""
        ...

    def check_peer(self, message: zmtp.Ready) -> None:
        """Checks the metadata of READY; fails with `refused` if the socket types do not fit.

        May fail with refused.
        """
        ...

    def opened(self, message: zmtp.Ready) -> None:
        """The handshake is complete."""
        ...

    def peer_refused(self, message: zmtp.Error) -> None:
        """The peer refuses the connection; ERROR says why."""
        ...

    def add_subscription(self, message: zmtp.Message) -> None:
        """The peer wants the messages that begin with the topic, once more."""
        ...

    def remove_subscription(self, message: zmtp.Message) -> None:
        """The peer takes one subscription back."""
        ...


class ServerMachine(RaisingMachine[State, Event, zmtp.Message, InternalEvent]):
    """ZMTP connection of a publisher.

    Attributes:
        host: The host, which implements the actions
        mechanism: The security mechanism of the socket, 20 octets padded with zeros; set by the
            host before anything else
        minor: Minor version that is announced
        ttl: Tenths of a second after which the peer may give up; sent with PING
        unanswered: PINGs without a sign of life since
        unanswered_max: PINGs without a sign of life that mean the peer is gone
        reason: Why the host refuses the peer; set before it raises refused
    """

    __slots__ = ("host", "mechanism", "minor", "reason", "ttl", "unanswered", "unanswered_max")

    def __init__(self, host: ServerHost) -> None:
        super().__init__(State.START)
        self.host = host
        self.mechanism: bytes = b""
        self.minor: int = 1
        self.ttl: int = 0
        self.unanswered: int = 0
        self.unanswered_max: int = 1
        self.reason: bytes = b""

    def downgrade(self) -> bool:
        """Before the start: speak version 3.0.

        Returns False if no guard is true.
        """
        return self._raise(Event.ON_DOWNGRADE, None)

    def connected(self) -> bool:
        """The transport has connected the two.

        Returns False if no guard is true.
        """
        return self._raise(Event.ON_CONNECTED, None)

    def introduce(self, message: zmtp.Ready) -> bool:
        """The host's own READY. It follows at once when the machine asks for it, before anything else
        is read.

        Returns False if no guard is true.
        """
        return self._raise(Event.ON_INTRODUCE, message)

    def refused(self) -> bool:
        """Raised by a host action: the peer's greeting or its metadata is not acceptable.

        Returns False if no guard is true.
        """
        return self._raise(Event.ON_REFUSED, None)

    def heartbeat(self) -> bool:
        """Nothing has arrived for a while.

        Returns False if no guard is true.
        """
        return self._raise(Event.ON_HEARTBEAT, None)

    def expired(self) -> bool:
        """The handshake takes too long, or the peer's time to live has passed.

        Returns False if no guard is true.
        """
        return self._raise(Event.ON_EXPIRED, None)

    def malformed(self) -> bool:
        """Something arrived that does not decode.

        Returns False if no guard is true.
        """
        return self._raise(Event.ON_MALFORMED, None)

    def unknown(self) -> bool:
        """A command arrived that the models do not have.

        Returns False if no guard is true.
        """
        return self._raise(Event.ON_UNKNOWN, None)

    def disconnected(self) -> bool:
        """The transport has lost the connection.

        Returns False if no guard is true.
        """
        return self._raise(Event.ON_DISCONNECTED, None)


def _minor_0(machine: ServerMachine, _message: object) -> None:
    machine.minor = 0


def _send_greeting_major_3_minor_minor_mechan(machine: ServerMachine, _message: object) -> None:
    machine.host.send(zmtp.Greeting(major=3, minor=machine.minor, mechanism=machine.mechanism, as_server=0))


def _check_greeting(machine: ServerMachine, message: zmtp.Greeting) -> None:
    machine.host.check_greeting(message)


def _ask_for_introduction(machine: ServerMachine, message: zmtp.Greeting) -> None:
    machine.host.ask_for_introduction(message)


def _close_connection(machine: ServerMachine, message: zmtp.Message | None) -> None:
    machine.host.close_connection(message)


def _terminate(machine: ServerMachine, _message: object) -> None:
    machine._terminated = True


def _send_ready(machine: ServerMachine, message: zmtp.Ready) -> None:
    machine.host.send(message)


def _check_peer(machine: ServerMachine, message: zmtp.Ready) -> None:
    machine.host.check_peer(message)


def _send_error_reason_reason(machine: ServerMachine, _message: object) -> None:
    machine.host.send(zmtp.Error(reason=machine.reason))


def _opened(machine: ServerMachine, message: zmtp.Ready) -> None:
    machine.host.opened(message)


def _peer_refused(machine: ServerMachine, message: zmtp.Error) -> None:
    machine.host.peer_refused(message)


def _unanswered_0(machine: ServerMachine, _message: object) -> None:
    machine.unanswered = 0


def _add_subscription(machine: ServerMachine, message: zmtp.Message) -> None:
    machine.host.add_subscription(message)


def _remove_subscription(machine: ServerMachine, message: zmtp.Message) -> None:
    machine.host.remove_subscription(message)


def _send_pong_context_message_context(machine: ServerMachine, message: zmtp.Ping) -> None:
    machine.host.send(zmtp.Pong(context=message.context))


def _when_unanswered_unanswered_max(machine: ServerMachine, _message: object) -> bool:
    return machine.unanswered >= machine.unanswered_max


def _unanswered_unanswered_1(machine: ServerMachine, _message: object) -> None:
    machine.unanswered = min(machine.unanswered + 1, 255)


def _send_ping_ttl_ttl_context(machine: ServerMachine, _message: object) -> None:
    machine.host.send(zmtp.Ping(ttl=machine.ttl, context=b""))


TABLE: tuple[Row[State, Event], ...] = (
    Row(State.START, Event.ON_DOWNGRADE, None, ("minor := 0",), None, 1, None, (_minor_0,)),
    Row(
        State.START,
        Event.ON_CONNECTED,
        None,
        ("send GREETING(major = 3, minor = minor, mechanism = mechanism, as_server = 0)",),
        State.GREETING,
        1,
        None,
        (_send_greeting_major_3_minor_minor_mechan,),
    ),
    Row(
        State.START,
        Event.GREETING,
        None,
        (
            "send GREETING(major = 3, minor = minor, mechanism = mechanism, as_server = 0)",
            "check_greeting",
            "ask_for_introduction",
        ),
        State.INTRODUCING,
        3,
        None,
        (_send_greeting_major_3_minor_minor_mechan, _check_greeting, _ask_for_introduction),
    ),
    Row(
        State.START,
        Event.ON_REFUSED,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(State.START, Event.ON_EXPIRED, None, (), None, 0, None, ()),
    Row(
        State.START,
        Event.ON_MALFORMED,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.START,
        Event.ON_UNKNOWN,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.START,
        Event.ON_DISCONNECTED,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.START,
        Event.READY,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.START,
        Event.ERROR,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.START,
        Event.PING,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.START,
        Event.PONG,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.START,
        Event.SUBSCRIBE,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.START,
        Event.CANCEL,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.START,
        Event.SUBSCRIPTION,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.START,
        Event.CANCELLATION,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.START,
        Event.SUBSCRIBE_X,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.START,
        Event.CANCEL_X,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.START,
        Event.SUBSCRIPTION_X,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.START,
        Event.CANCELLATION_X,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.GREETING,
        Event.GREETING,
        None,
        ("check_greeting", "ask_for_introduction"),
        State.INTRODUCING,
        2,
        None,
        (_check_greeting, _ask_for_introduction),
    ),
    Row(
        State.GREETING,
        Event.ON_REFUSED,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.GREETING,
        Event.ON_MALFORMED,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.GREETING,
        Event.ON_UNKNOWN,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.GREETING,
        Event.ON_DISCONNECTED,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.GREETING,
        Event.ON_EXPIRED,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.GREETING,
        Event.READY,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.GREETING,
        Event.ERROR,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.GREETING,
        Event.PING,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.GREETING,
        Event.PONG,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.GREETING,
        Event.SUBSCRIBE,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.GREETING,
        Event.CANCEL,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.GREETING,
        Event.SUBSCRIPTION,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.GREETING,
        Event.CANCELLATION,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.GREETING,
        Event.SUBSCRIBE_X,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.GREETING,
        Event.CANCEL_X,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.GREETING,
        Event.SUBSCRIPTION_X,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.GREETING,
        Event.CANCELLATION_X,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.INTRODUCING, Event.ON_INTRODUCE, None, ("send READY",), State.HANDSHAKE, 1, None, (_send_ready,)
    ),
    Row(State.INTRODUCING, Event.READY, None, ("check_peer",), State.ANSWERING, 1, None, (_check_peer,)),
    Row(
        State.INTRODUCING,
        Event.ON_REFUSED,
        None,
        ("send ERROR(reason = reason)", "close_connection", "terminate"),
        State.CLOSED,
        1,
        None,
        (_send_error_reason_reason, _close_connection, _terminate),
    ),
    Row(
        State.INTRODUCING,
        Event.ON_MALFORMED,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.INTRODUCING,
        Event.ON_UNKNOWN,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.INTRODUCING,
        Event.ON_DISCONNECTED,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.INTRODUCING,
        Event.ON_EXPIRED,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.INTRODUCING,
        Event.GREETING,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.INTRODUCING,
        Event.ERROR,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.INTRODUCING,
        Event.PING,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.INTRODUCING,
        Event.PONG,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.INTRODUCING,
        Event.SUBSCRIBE,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.INTRODUCING,
        Event.CANCEL,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.INTRODUCING,
        Event.SUBSCRIPTION,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.INTRODUCING,
        Event.CANCELLATION,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.INTRODUCING,
        Event.SUBSCRIBE_X,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.INTRODUCING,
        Event.CANCEL_X,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.INTRODUCING,
        Event.SUBSCRIPTION_X,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.INTRODUCING,
        Event.CANCELLATION_X,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.ANSWERING,
        Event.ON_INTRODUCE,
        None,
        ("send READY", "opened"),
        State.OPEN,
        1,
        None,
        (_send_ready, _opened),
    ),
    Row(
        State.ANSWERING,
        Event.ON_MALFORMED,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.ANSWERING,
        Event.ON_UNKNOWN,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.ANSWERING,
        Event.ON_DISCONNECTED,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.ANSWERING,
        Event.ON_EXPIRED,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.ANSWERING,
        Event.GREETING,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.ANSWERING,
        Event.READY,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.ANSWERING,
        Event.ERROR,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.ANSWERING,
        Event.PING,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.ANSWERING,
        Event.PONG,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.ANSWERING,
        Event.SUBSCRIBE,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.ANSWERING,
        Event.CANCEL,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.ANSWERING,
        Event.SUBSCRIPTION,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.ANSWERING,
        Event.CANCELLATION,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.ANSWERING,
        Event.SUBSCRIBE_X,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.ANSWERING,
        Event.CANCEL_X,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.ANSWERING,
        Event.SUBSCRIPTION_X,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.ANSWERING,
        Event.CANCELLATION_X,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.HANDSHAKE,
        Event.READY,
        None,
        ("check_peer", "opened"),
        State.OPEN,
        1,
        None,
        (_check_peer, _opened),
    ),
    Row(
        State.HANDSHAKE,
        Event.ON_REFUSED,
        None,
        ("send ERROR(reason = reason)", "close_connection", "terminate"),
        State.CLOSED,
        1,
        None,
        (_send_error_reason_reason, _close_connection, _terminate),
    ),
    Row(
        State.HANDSHAKE,
        Event.ERROR,
        None,
        ("peer_refused", "close_connection", "terminate"),
        State.CLOSED,
        1,
        None,
        (_peer_refused, _close_connection, _terminate),
    ),
    Row(
        State.HANDSHAKE,
        Event.ON_MALFORMED,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.HANDSHAKE,
        Event.ON_UNKNOWN,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.HANDSHAKE,
        Event.ON_DISCONNECTED,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.HANDSHAKE,
        Event.ON_EXPIRED,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.HANDSHAKE,
        Event.GREETING,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.HANDSHAKE,
        Event.PING,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.HANDSHAKE,
        Event.PONG,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.HANDSHAKE,
        Event.SUBSCRIBE,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.HANDSHAKE,
        Event.CANCEL,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.HANDSHAKE,
        Event.SUBSCRIPTION,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.HANDSHAKE,
        Event.CANCELLATION,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.HANDSHAKE,
        Event.SUBSCRIBE_X,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.HANDSHAKE,
        Event.CANCEL_X,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.HANDSHAKE,
        Event.SUBSCRIPTION_X,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.HANDSHAKE,
        Event.CANCELLATION_X,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.OPEN,
        Event.SUBSCRIBE,
        None,
        ("unanswered := 0", "add_subscription"),
        None,
        2,
        None,
        (_unanswered_0, _add_subscription),
    ),
    Row(
        State.OPEN,
        Event.SUBSCRIPTION,
        None,
        ("unanswered := 0", "add_subscription"),
        None,
        2,
        None,
        (_unanswered_0, _add_subscription),
    ),
    Row(
        State.OPEN,
        Event.CANCEL,
        None,
        ("unanswered := 0", "remove_subscription"),
        None,
        2,
        None,
        (_unanswered_0, _remove_subscription),
    ),
    Row(
        State.OPEN,
        Event.CANCELLATION,
        None,
        ("unanswered := 0", "remove_subscription"),
        None,
        2,
        None,
        (_unanswered_0, _remove_subscription),
    ),
    Row(
        State.OPEN,
        Event.SUBSCRIBE_X,
        None,
        ("unanswered := 0", "add_subscription"),
        None,
        2,
        None,
        (_unanswered_0, _add_subscription),
    ),
    Row(
        State.OPEN,
        Event.SUBSCRIPTION_X,
        None,
        ("unanswered := 0", "add_subscription"),
        None,
        2,
        None,
        (_unanswered_0, _add_subscription),
    ),
    Row(
        State.OPEN,
        Event.CANCEL_X,
        None,
        ("unanswered := 0", "remove_subscription"),
        None,
        2,
        None,
        (_unanswered_0, _remove_subscription),
    ),
    Row(
        State.OPEN,
        Event.CANCELLATION_X,
        None,
        ("unanswered := 0", "remove_subscription"),
        None,
        2,
        None,
        (_unanswered_0, _remove_subscription),
    ),
    Row(State.OPEN, Event.ON_UNKNOWN, None, ("unanswered := 0",), None, 1, None, (_unanswered_0,)),
    Row(
        State.OPEN,
        Event.PING,
        None,
        ("unanswered := 0", "send PONG(context = message.context)"),
        None,
        2,
        None,
        (_unanswered_0, _send_pong_context_message_context),
    ),
    Row(State.OPEN, Event.PONG, None, ("unanswered := 0",), None, 1, None, (_unanswered_0,)),
    Row(
        State.OPEN,
        Event.ERROR,
        None,
        ("peer_refused", "close_connection", "terminate"),
        State.CLOSED,
        1,
        None,
        (_peer_refused, _close_connection, _terminate),
    ),
    Row(
        State.OPEN,
        Event.ON_HEARTBEAT,
        "unanswered >= unanswered_max",
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        _when_unanswered_unanswered_max,
        (_close_connection, _terminate),
    ),
    Row(
        State.OPEN,
        Event.ON_HEARTBEAT,
        None,
        ("unanswered := unanswered + 1", "send PING(ttl = ttl, context = '')"),
        None,
        2,
        None,
        (_unanswered_unanswered_1, _send_ping_ttl_ttl_context),
    ),
    Row(
        State.OPEN,
        Event.ON_MALFORMED,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.OPEN,
        Event.ON_DISCONNECTED,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.OPEN,
        Event.ON_EXPIRED,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.OPEN,
        Event.GREETING,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(
        State.OPEN,
        Event.READY,
        None,
        ("close_connection", "terminate"),
        State.CLOSED,
        0,
        None,
        (_close_connection, _terminate),
    ),
    Row(State.CLOSED, Event.ON_MALFORMED, None, (), None, 0, None, ()),
    Row(State.CLOSED, Event.GREETING, None, (), None, 0, None, ()),
    Row(State.CLOSED, Event.READY, None, (), None, 0, None, ()),
    Row(State.CLOSED, Event.ERROR, None, (), None, 0, None, ()),
    Row(State.CLOSED, Event.PING, None, (), None, 0, None, ()),
    Row(State.CLOSED, Event.PONG, None, (), None, 0, None, ()),
    Row(State.CLOSED, Event.SUBSCRIBE, None, (), None, 0, None, ()),
    Row(State.CLOSED, Event.CANCEL, None, (), None, 0, None, ()),
    Row(State.CLOSED, Event.SUBSCRIPTION, None, (), None, 0, None, ()),
    Row(State.CLOSED, Event.CANCELLATION, None, (), None, 0, None, ()),
    Row(State.CLOSED, Event.SUBSCRIBE_X, None, (), None, 0, None, ()),
    Row(State.CLOSED, Event.CANCEL_X, None, (), None, 0, None, ()),
    Row(State.CLOSED, Event.SUBSCRIPTION_X, None, (), None, 0, None, ()),
    Row(State.CLOSED, Event.CANCELLATION_X, None, (), None, 0, None, ()),
)

_SETTLED: dict[tuple[State, Event], str] = settled_rows(
    TABLE,
    (
        _ask_for_introduction,
        _close_connection,
        _opened,
        _peer_refused,
        _add_subscription,
        _remove_subscription,
    ),
)

ServerMachine.ROWS = by_state(TABLE, State)
ServerMachine.EVENT_OF = {
    zmtp.Greeting: Event.GREETING,
    zmtp.Ready: Event.READY,
    zmtp.Error: Event.ERROR,
    zmtp.Ping: Event.PING,
    zmtp.Pong: Event.PONG,
    zmtp.Subscribe: Event.SUBSCRIBE,
    zmtp.Cancel: Event.CANCEL,
    zmtp.Subscription: Event.SUBSCRIPTION,
    zmtp.Cancellation: Event.CANCELLATION,
    zmtp.SubscribeX: Event.SUBSCRIBE_X,
    zmtp.CancelX: Event.CANCEL_X,
    zmtp.SubscriptionX: Event.SUBSCRIPTION_X,
    zmtp.CancellationX: Event.CANCELLATION_X,
}
ServerMachine.INTERNAL = frozenset(
    {
        Event.ON_REFUSED,
    }
)


def settled(state: State, event: Event) -> str | None:
    """The host action that is the only effect of `event` in `state`, without a guard and a next state."""
    return _SETTLED.get((state, event))
