"""ZEPS server session.

What a broker does for one client. The host keeps streams, subscriptions and the clock; the machine
decides what is legal, what is answered, and how much may be sent.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Literal, Protocol

from . import zeps
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
        START: No session. Only ATTACH is understood.
        OPEN: The client is attached to a stream.
        DETACHING: DETACH was sent. What the client published before it received DETACH is stored;
            its other commands are ignored.
    """

    START = 0
    OPEN = 1
    DETACHING = 2


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
        ON_MALFORMED: The host received something that does not decode; reason says what.
        ON_ATTACH_REFUSED: Raised when the stream cannot be opened; reason says why.
        ON_SUBSCRIBE_REFUSED: Raised when the subscription cannot be granted; reason says why.
        ON_GAP: Messages that this client was to be delivered are lost; reason says which.
        ON_EXPIRED: The client was silent for longer than the timeout.
        ON_HEARTBEAT: The client has been silent for a while; ask whether it is there.
        ON_SHUTDOWN: The broker stops.
        ON_DELIVER: The host has a message for this client.
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
    ON_MALFORMED = 12
    ON_ATTACH_REFUSED = 13
    ON_SUBSCRIBE_REFUSED = 14
    ON_GAP = 15
    ON_EXPIRED = 16
    ON_HEARTBEAT = 17
    ON_SHUTDOWN = 18
    ON_DELIVER = 19


InternalEvent = Literal[Event.ON_ATTACH_REFUSED, Event.ON_SUBSCRIBE_REFUSED]
"""The events that host actions may fail with or raise."""


class ServerHost(Protocol):
    """The host of the machine. Each action gets the data of the event.

    An action must not call the machine, except `fail` and `raise_event`: other calls raise UnhandledEvent.
    """

    def send(self, message: zeps.Message) -> None:
        """Sends a message."""
        ...

    def open_stream(self, message: zeps.Attach) -> None:
        """Attaches the client to the stream, or sets `reason` and fails with `attach_refused`.

        May fail with attach_refused.
        """
        ...

    def close_stream(self, message: zeps.Attach | zeps.Detach | zeps.DetachOk | None) -> None:
        """Detaches the client from its stream, if it is attached to one."""
        ...

    def check_subscription(self, message: zeps.Subscribe) -> None:
        """Checks whether the subscription can be granted; if not, sets `reason` and fails with
        `subscribe_refused`.

        May fail with subscribe_refused.
        """
        ...

    def add_subscription(self, message: zeps.Subscribe) -> None:
        """Adds the subscription. Deliveries follow SUBSCRIBE-OK."""
        ...

    def use_credit(self, message: zeps.Credit) -> None:
        """The client has granted credit: deliver the messages that wait for it."""
        ...

    def store_message(self, message: zeps.Publish) -> None:
        """Gives the message its sequence and stores it."""
        ...


class ServerMachine(RaisingMachine[State, Event, zeps.Message, InternalEvent]):
    """ZEPS server session.

    Attributes:
        host: The host, which implements the actions
        credit: Octets of DELIVER frames that the client still accepts
        reason: Why the host refused; set by the host before any event that sends it
    """

    __slots__ = ("credit", "host", "reason")

    def __init__(self, host: ServerHost) -> None:
        super().__init__(State.START)
        self.host = host
        self.credit: int = 0
        self.reason: str = ""

    def malformed(self) -> bool:
        """The host received something that does not decode; reason says what.

        Returns False if no guard is true.
        """
        return self._raise(Event.ON_MALFORMED, None)

    def attach_refused(self) -> bool:
        """Raised when the stream cannot be opened; reason says why.

        Returns False if no guard is true.
        """
        return self._raise(Event.ON_ATTACH_REFUSED, None)

    def subscribe_refused(self) -> bool:
        """Raised when the subscription cannot be granted; reason says why.

        Returns False if no guard is true.
        """
        return self._raise(Event.ON_SUBSCRIBE_REFUSED, None)

    def gap(self) -> bool:
        """Messages that this client was to be delivered are lost; reason says which.

        Returns False if no guard is true.
        """
        return self._raise(Event.ON_GAP, None)

    def expired(self) -> bool:
        """The client was silent for longer than the timeout.

        Returns False if no guard is true.
        """
        return self._raise(Event.ON_EXPIRED, None)

    def heartbeat(self) -> bool:
        """The client has been silent for a while; ask whether it is there.

        Returns False if no guard is true.
        """
        return self._raise(Event.ON_HEARTBEAT, None)

    def shutdown(self) -> bool:
        """The broker stops.

        Returns False if no guard is true.
        """
        return self._raise(Event.ON_SHUTDOWN, None)

    def deliver(self, message: zeps.Deliver) -> bool:
        """The host has a message for this client.

        Returns False if no guard is true.
        """
        return self._raise(Event.ON_DELIVER, message)


def _send_invalid_reason_stream_name_the_stre(machine: ServerMachine, _message: object) -> None:
    machine.host.send(zeps.Invalid(reason="stream-name the stream name is empty"))


def _when_message_stream(machine: ServerMachine, message: zeps.Attach) -> bool:
    return message.stream == ""


def _credit_0(machine: ServerMachine, _message: object) -> None:
    machine.credit = 0


def _open_stream(machine: ServerMachine, message: zeps.Attach) -> None:
    machine.host.open_stream(message)


def _send_attach_ok(machine: ServerMachine, _message: object) -> None:
    machine.host.send(zeps.AttachOk())


def _send_invalid_reason_reason(machine: ServerMachine, _message: object) -> None:
    machine.host.send(zeps.Invalid(reason=machine.reason))


def _send_invalid_reason_no_session_attach_op(machine: ServerMachine, _message: object) -> None:
    machine.host.send(zeps.Invalid(reason="no-session ATTACH opens a session"))


def _close_stream(machine: ServerMachine, message: zeps.Attach | zeps.Detach | zeps.DetachOk | None) -> None:
    machine.host.close_stream(message)


def _check_subscription(machine: ServerMachine, message: zeps.Subscribe) -> None:
    machine.host.check_subscription(message)


def _send_subscribe_ok(machine: ServerMachine, _message: object) -> None:
    machine.host.send(zeps.SubscribeOk())


def _add_subscription(machine: ServerMachine, message: zeps.Subscribe) -> None:
    machine.host.add_subscription(message)


def _credit_credit_message_credit(machine: ServerMachine, message: zeps.Credit) -> None:
    machine.credit = min(machine.credit + message.credit, 18446744073709551615)


def _use_credit(machine: ServerMachine, message: zeps.Credit) -> None:
    machine.host.use_credit(message)


def _store_message(machine: ServerMachine, message: zeps.Publish) -> None:
    machine.host.store_message(message)


def _credit_credit_size_deliver(machine: ServerMachine, message: zeps.Deliver) -> None:
    machine.credit = max(machine.credit - message.size(), 0)


def _send_deliver(machine: ServerMachine, message: zeps.Deliver) -> None:
    machine.host.send(message)


def _when_credit_size_deliver(machine: ServerMachine, message: zeps.Deliver) -> bool:
    return machine.credit >= message.size()


def _send_ping_ok(machine: ServerMachine, _message: object) -> None:
    machine.host.send(zeps.PingOk())


def _send_detach_ok(machine: ServerMachine, _message: object) -> None:
    machine.host.send(zeps.DetachOk())


def _send_ping(machine: ServerMachine, _message: object) -> None:
    machine.host.send(zeps.Ping())


def _send_detach(machine: ServerMachine, _message: object) -> None:
    machine.host.send(zeps.Detach())


def _send_invalid_reason_unexpected_a_client_(machine: ServerMachine, _message: object) -> None:
    machine.host.send(
        zeps.Invalid(reason="unexpected a client does not send this command in an open session")
    )


TABLE: tuple[Row[State, Event], ...] = (
    Row(
        State.START,
        Event.ATTACH,
        "message.stream == ''",
        ("send INVALID(reason = 'stream-name the stream name is empty')",),
        None,
        1,
        _when_message_stream,
        (_send_invalid_reason_stream_name_the_stre,),
    ),
    Row(
        State.START,
        Event.ATTACH,
        None,
        ("credit := 0", "open_stream", "send ATTACH-OK"),
        State.OPEN,
        3,
        None,
        (_credit_0, _open_stream, _send_attach_ok),
    ),
    Row(
        State.START,
        Event.ON_MALFORMED,
        None,
        ("send INVALID(reason = reason)",),
        None,
        1,
        None,
        (_send_invalid_reason_reason,),
    ),
    Row(
        State.START,
        Event.ON_ATTACH_REFUSED,
        None,
        ("send INVALID(reason = reason)",),
        None,
        1,
        None,
        (_send_invalid_reason_reason,),
    ),
    Row(
        State.START,
        Event.ATTACH_OK,
        None,
        ("send INVALID(reason = 'no-session ATTACH opens a session')",),
        None,
        1,
        None,
        (_send_invalid_reason_no_session_attach_op,),
    ),
    Row(
        State.START,
        Event.SUBSCRIBE,
        None,
        ("send INVALID(reason = 'no-session ATTACH opens a session')",),
        None,
        1,
        None,
        (_send_invalid_reason_no_session_attach_op,),
    ),
    Row(
        State.START,
        Event.SUBSCRIBE_OK,
        None,
        ("send INVALID(reason = 'no-session ATTACH opens a session')",),
        None,
        1,
        None,
        (_send_invalid_reason_no_session_attach_op,),
    ),
    Row(
        State.START,
        Event.CREDIT,
        None,
        ("send INVALID(reason = 'no-session ATTACH opens a session')",),
        None,
        1,
        None,
        (_send_invalid_reason_no_session_attach_op,),
    ),
    Row(
        State.START,
        Event.PUBLISH,
        None,
        ("send INVALID(reason = 'no-session ATTACH opens a session')",),
        None,
        1,
        None,
        (_send_invalid_reason_no_session_attach_op,),
    ),
    Row(
        State.START,
        Event.DELIVER,
        None,
        ("send INVALID(reason = 'no-session ATTACH opens a session')",),
        None,
        1,
        None,
        (_send_invalid_reason_no_session_attach_op,),
    ),
    Row(
        State.START,
        Event.PING,
        None,
        ("send INVALID(reason = 'no-session ATTACH opens a session')",),
        None,
        1,
        None,
        (_send_invalid_reason_no_session_attach_op,),
    ),
    Row(
        State.START,
        Event.PING_OK,
        None,
        ("send INVALID(reason = 'no-session ATTACH opens a session')",),
        None,
        1,
        None,
        (_send_invalid_reason_no_session_attach_op,),
    ),
    Row(
        State.START,
        Event.DETACH,
        None,
        ("send INVALID(reason = 'no-session ATTACH opens a session')",),
        None,
        1,
        None,
        (_send_invalid_reason_no_session_attach_op,),
    ),
    Row(
        State.START,
        Event.DETACH_OK,
        None,
        ("send INVALID(reason = 'no-session ATTACH opens a session')",),
        None,
        1,
        None,
        (_send_invalid_reason_no_session_attach_op,),
    ),
    Row(
        State.START,
        Event.INVALID,
        None,
        ("send INVALID(reason = 'no-session ATTACH opens a session')",),
        None,
        1,
        None,
        (_send_invalid_reason_no_session_attach_op,),
    ),
    Row(
        State.OPEN,
        Event.ATTACH,
        "message.stream == ''",
        ("close_stream", "send INVALID(reason = 'stream-name the stream name is empty')"),
        State.START,
        2,
        _when_message_stream,
        (_close_stream, _send_invalid_reason_stream_name_the_stre),
    ),
    Row(
        State.OPEN,
        Event.ATTACH,
        None,
        ("close_stream", "credit := 0", "open_stream", "send ATTACH-OK"),
        None,
        4,
        None,
        (_close_stream, _credit_0, _open_stream, _send_attach_ok),
    ),
    Row(
        State.OPEN,
        Event.SUBSCRIBE,
        None,
        ("check_subscription", "send SUBSCRIBE-OK", "add_subscription"),
        None,
        3,
        None,
        (_check_subscription, _send_subscribe_ok, _add_subscription),
    ),
    Row(
        State.OPEN,
        Event.CREDIT,
        None,
        ("credit := credit + message.credit", "use_credit"),
        None,
        2,
        None,
        (_credit_credit_message_credit, _use_credit),
    ),
    Row(State.OPEN, Event.PUBLISH, None, ("store_message",), None, 1, None, (_store_message,)),
    Row(
        State.OPEN,
        Event.ON_DELIVER,
        "credit >= size(DELIVER)",
        ("credit := credit - size(DELIVER)", "send DELIVER"),
        None,
        2,
        _when_credit_size_deliver,
        (_credit_credit_size_deliver, _send_deliver),
    ),
    Row(State.OPEN, Event.PING, None, ("send PING-OK",), None, 1, None, (_send_ping_ok,)),
    Row(State.OPEN, Event.PING_OK, None, (), None, 0, None, ()),
    Row(
        State.OPEN,
        Event.DETACH,
        None,
        ("close_stream", "send DETACH-OK"),
        State.START,
        2,
        None,
        (_close_stream, _send_detach_ok),
    ),
    Row(State.OPEN, Event.ON_HEARTBEAT, None, ("send PING",), None, 1, None, (_send_ping,)),
    Row(State.OPEN, Event.ON_SHUTDOWN, None, ("send DETACH",), State.DETACHING, 1, None, (_send_detach,)),
    Row(State.OPEN, Event.ON_EXPIRED, None, ("close_stream",), State.START, 1, None, (_close_stream,)),
    Row(
        State.OPEN,
        Event.ON_MALFORMED,
        None,
        ("close_stream", "send INVALID(reason = reason)"),
        State.START,
        2,
        None,
        (_close_stream, _send_invalid_reason_reason),
    ),
    Row(
        State.OPEN,
        Event.ON_ATTACH_REFUSED,
        None,
        ("close_stream", "send INVALID(reason = reason)"),
        State.START,
        2,
        None,
        (_close_stream, _send_invalid_reason_reason),
    ),
    Row(
        State.OPEN,
        Event.ON_SUBSCRIBE_REFUSED,
        None,
        ("send INVALID(reason = reason)",),
        None,
        1,
        None,
        (_send_invalid_reason_reason,),
    ),
    Row(
        State.OPEN,
        Event.ON_GAP,
        None,
        ("send INVALID(reason = reason)",),
        None,
        1,
        None,
        (_send_invalid_reason_reason,),
    ),
    Row(
        State.OPEN,
        Event.ATTACH_OK,
        None,
        ("send INVALID(reason = 'unexpected a client does not send this command in an open session')",),
        None,
        1,
        None,
        (_send_invalid_reason_unexpected_a_client_,),
    ),
    Row(
        State.OPEN,
        Event.SUBSCRIBE_OK,
        None,
        ("send INVALID(reason = 'unexpected a client does not send this command in an open session')",),
        None,
        1,
        None,
        (_send_invalid_reason_unexpected_a_client_,),
    ),
    Row(
        State.OPEN,
        Event.DELIVER,
        None,
        ("send INVALID(reason = 'unexpected a client does not send this command in an open session')",),
        None,
        1,
        None,
        (_send_invalid_reason_unexpected_a_client_,),
    ),
    Row(
        State.OPEN,
        Event.DETACH_OK,
        None,
        ("send INVALID(reason = 'unexpected a client does not send this command in an open session')",),
        None,
        1,
        None,
        (_send_invalid_reason_unexpected_a_client_,),
    ),
    Row(
        State.OPEN,
        Event.INVALID,
        None,
        ("send INVALID(reason = 'unexpected a client does not send this command in an open session')",),
        None,
        1,
        None,
        (_send_invalid_reason_unexpected_a_client_,),
    ),
    Row(State.DETACHING, Event.PUBLISH, None, ("store_message",), None, 1, None, (_store_message,)),
    Row(State.DETACHING, Event.DETACH_OK, None, ("close_stream",), State.START, 1, None, (_close_stream,)),
    Row(
        State.DETACHING,
        Event.DETACH,
        None,
        ("close_stream", "send DETACH-OK"),
        State.START,
        2,
        None,
        (_close_stream, _send_detach_ok),
    ),
    Row(State.DETACHING, Event.ON_EXPIRED, None, ("close_stream",), State.START, 1, None, (_close_stream,)),
    Row(
        State.DETACHING,
        Event.ON_MALFORMED,
        None,
        ("close_stream", "send INVALID(reason = reason)"),
        State.START,
        2,
        None,
        (_close_stream, _send_invalid_reason_reason),
    ),
    Row(State.DETACHING, Event.ATTACH, None, (), None, 0, None, ()),
    Row(State.DETACHING, Event.ATTACH_OK, None, (), None, 0, None, ()),
    Row(State.DETACHING, Event.SUBSCRIBE, None, (), None, 0, None, ()),
    Row(State.DETACHING, Event.SUBSCRIBE_OK, None, (), None, 0, None, ()),
    Row(State.DETACHING, Event.CREDIT, None, (), None, 0, None, ()),
    Row(State.DETACHING, Event.DELIVER, None, (), None, 0, None, ()),
    Row(State.DETACHING, Event.PING, None, (), None, 0, None, ()),
    Row(State.DETACHING, Event.PING_OK, None, (), None, 0, None, ()),
    Row(State.DETACHING, Event.INVALID, None, (), None, 0, None, ()),
)

_SETTLED: dict[tuple[State, Event], str] = settled_rows(
    TABLE,
    (
        _close_stream,
        _add_subscription,
        _use_credit,
        _store_message,
    ),
)

ServerMachine.ROWS = by_state(TABLE, State)
ServerMachine.EVENT_OF = {
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
ServerMachine.INTERNAL = frozenset(
    {
        Event.ON_ATTACH_REFUSED,
        Event.ON_SUBSCRIBE_REFUSED,
    }
)


def settled(state: State, event: Event) -> str | None:
    """The host action that is the only effect of `event` in `state`, without a guard and a next state."""
    return _SETTLED.get((state, event))
