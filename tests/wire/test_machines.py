"""The generated machines from their hosts' view: answers, refusals and counters."""

from __future__ import annotations

from typing import Any

import pytest

from zeps_wire import journal, zeps, zeps_client, zeps_server
from zeps_wire.errors import LocalError, RemoteError, UnexpectedEvent, UnhandledEvent
from zeps_wire.machine import RAISES_MAX
from zeps_wire.zeps_client import ClientMachine
from zeps_wire.zeps_server import ServerMachine

U64_MAX = 2**64 - 1


class Host:
    """Records the requested actions; an action in `refuse` fails with the event given there."""

    def __init__(self) -> None:
        self.log: list[Any] = []
        self.refuse: dict[str, Any] = {}
        self.machine: Any = None

    def send(self, message: zeps.Message) -> None:
        self.log.append(message)

    def __getattr__(self, name: str) -> Any:
        def act(message: Any) -> None:
            self.log.append(name)
            if name in self.refuse:
                if isinstance(self.machine, ServerMachine):
                    self.machine.reason = f"no {name}"
                self.machine.fail(self.refuse[name])

        return act

    def take(self) -> list[Any]:
        """Returns the sent messages and the names of the actions since the last call, in order."""
        taken, self.log = self.log, []
        return taken

    def after(self, *messages: zeps.Message) -> list[Any]:
        """Passes `messages` to the machine; returns like :meth:`take`."""
        for message in messages:
            self.machine.receive(message)
        return self.take()


def server(*messages: zeps.Message) -> tuple[ServerMachine, Host]:
    host = Host()
    host.machine = machine = ServerMachine(host)
    host.after(*messages)
    return machine, host


def client(*, attached: bool = True) -> tuple[ClientMachine, Host]:
    host = Host()
    host.machine = machine = ClientMachine(host)
    if attached:
        machine.open("weather")
        host.after(zeps.AttachOk())
    return machine, host


OPEN = (zeps.Attach("weather"),)
FOREIGN = [
    zeps.AttachOk(),
    zeps.SubscribeOk(),
    zeps.Deliver(1, "k", b""),
    zeps.DetachOk(),
    zeps.Invalid("no"),
]


# --- server


def test_attach_opens() -> None:
    machine, host = server()
    assert machine.state is zeps_server.State.START
    machine.receive(zeps.Attach("weather"))
    assert machine.state is zeps_server.State.OPEN
    assert host.take() == ["open_stream", zeps.AttachOk()]


def test_an_empty_stream_is_invalid() -> None:
    machine, host = server()
    machine.receive(zeps.Attach(""))
    assert machine.state is zeps_server.State.START
    assert host.take() == [zeps.Invalid("stream-name the stream name is empty")]


def test_a_second_attach_starts_afresh() -> None:
    machine, host = server(*OPEN, zeps.Credit(100))
    assert host.after(zeps.Attach("news")) == ["close_stream", "open_stream", zeps.AttachOk()]
    assert machine.credit == 0
    machine.receive(zeps.Attach(""))
    assert machine.state is zeps_server.State.START


@pytest.mark.parametrize(
    "message", [zeps.Ping(), zeps.Credit(1), zeps.Publish("k", b""), zeps.Detach(), *FOREIGN]
)
def test_nothing_goes_without_a_session(message: zeps.Message) -> None:
    _, host = server()
    assert host.after(message) == [zeps.Invalid("no-session ATTACH opens a session")]


@pytest.mark.parametrize("message", FOREIGN)
def test_a_brokers_command_is_ignored_and_leaves_the_session_open(message: zeps.Message) -> None:
    machine, host = server(*OPEN, zeps.Credit(7))
    assert host.after(message) == [
        zeps.Invalid("unexpected a client does not send this command in an open session")
    ]
    assert (machine.state, machine.credit) == (zeps_server.State.OPEN, 7)


def test_credit_adds_up_and_saturates() -> None:
    machine, host = server(*OPEN, zeps.Credit(5), zeps.Credit(7))
    assert machine.credit == 12
    machine.receive(zeps.Credit(U64_MAX - 3))
    assert machine.credit == U64_MAX
    assert host.take() == ["use_credit"]


def test_nothing_is_delivered_beyond_credit() -> None:
    message = zeps.Deliver(1, "key", b"body")
    machine, host = server(*OPEN, zeps.Credit(message.size()))
    assert machine.deliver(message)
    assert machine.credit == 0
    assert not machine.deliver(message)
    assert host.take() == [message]


def test_a_refused_subscribe_skips_the_rest_and_leaves_the_session_open() -> None:
    machine, host = server(*OPEN, zeps.Credit(7))
    host.refuse = {"check_subscription": zeps_server.Event.ON_SUBSCRIBE_REFUSED}
    assert host.after(zeps.Subscribe("(", 0)) == ["check_subscription", zeps.Invalid("no check_subscription")]
    assert (machine.state, machine.credit) == (zeps_server.State.OPEN, 7)
    host.refuse = {}
    assert host.after(zeps.Subscribe("x", 0)) == [
        "check_subscription",
        zeps.SubscribeOk(),
        "add_subscription",
    ]


def test_a_refused_attach_skips_the_rest_and_ends_the_session() -> None:
    machine, host = server()
    host.refuse = {"open_stream": zeps_server.Event.ON_ATTACH_REFUSED}
    assert host.after(zeps.Attach("weather")) == ["open_stream", zeps.Invalid("no open_stream")]
    assert machine.state is zeps_server.State.START


def test_a_gap_is_announced_and_leaves_the_session_open() -> None:
    machine, host = server(*OPEN, zeps.Credit(7))
    machine.reason = "retention 3 238 retention has removed the messages"
    assert machine.gap()
    assert host.take() == [zeps.Invalid("retention 3 238 retention has removed the messages")]
    assert (machine.state, machine.credit) == (zeps_server.State.OPEN, 7)


def test_commands_in_their_order() -> None:
    _, host = server(*OPEN)
    assert host.after(zeps.Subscribe("uk.", 0)) == [
        "check_subscription",
        zeps.SubscribeOk(),
        "add_subscription",
    ]
    assert host.after(zeps.Publish("uk.rain", b"now"), zeps.Ping()) == ["store_message", zeps.PingOk()]
    assert host.after(zeps.PingOk(), zeps.Detach()) == ["close_stream", zeps.DetachOk()]


def test_shutdown_drains() -> None:
    machine, host = server(*OPEN)
    assert machine.shutdown()
    assert machine.state is zeps_server.State.DETACHING
    answers = host.after(zeps.Publish("k", b""), zeps.Ping(), zeps.Credit(5), zeps.DetachOk())
    assert answers == [zeps.Detach(), "store_message", "close_stream"]
    assert machine.state is zeps_server.State.START


def test_timers_and_malformed_frames() -> None:
    machine, host = server(*OPEN)
    assert machine.heartbeat()
    machine.reason = "truncated: PUBLISH.body at octet 12"
    assert machine.malformed()
    assert host.take() == [zeps.Ping(), "close_stream", zeps.Invalid("truncated: PUBLISH.body at octet 12")]
    machine, host = server(*OPEN)
    assert machine.expired()
    assert host.take() == ["close_stream"]
    assert machine.state is zeps_server.State.START


def test_what_no_row_takes_is_an_error() -> None:
    machine, _ = server()
    with pytest.raises(UnhandledEvent, match="ON_HEARTBEAT in state START"):
        machine.heartbeat()
    assert issubclass(UnhandledEvent, LocalError)
    assert issubclass(UnexpectedEvent, RemoteError)


def test_actions_that_fail_in_a_circle_are_an_error() -> None:
    machine, host = server(*OPEN)
    # with the event that requests it
    host.refuse = {"close_stream": zeps_server.Event.ON_ATTACH_REFUSED}
    with pytest.raises(
        UnhandledEvent, match="ON_ATTACH_REFUSED in state OPEN: more than 8 events follow each other"
    ):
        machine.attach_refused()
    assert host.take() == ["close_stream"] * (1 + RAISES_MAX)
    host.refuse = {}
    assert machine.attach_refused()
    assert host.take() == ["close_stream", zeps.Invalid("no close_stream")]


@pytest.mark.parametrize("action", ["send", "answered"])
def test_an_action_must_not_call_the_machine(action: str) -> None:
    machine, host = client()
    calls = {"receive": lambda: machine.receive(zeps.Ping()), "call": lambda: machine.grant(9)}
    for call in calls.values():
        setattr(host, action, lambda _message, call=call: call())
        with pytest.raises(UnhandledEvent, match="in state OPEN: called from inside an action"):
            machine.receive(zeps.Ping() if action == "send" else zeps.PingOk())
    delattr(host, action)
    assert host.after(zeps.Ping()) == [zeps.PingOk()]


def test_nothing_fails_but_an_action() -> None:
    machine, host = server(*OPEN)
    with pytest.raises(UnhandledEvent, match="called outside an action"):
        machine.fail(zeps_server.Event.ON_ATTACH_REFUSED)
    assert host.after(zeps.Ping()) == [zeps.PingOk()]


@pytest.mark.parametrize("call", ["fail", "raise_event"])
def test_actions_fail_with_internal_events_only(call: str) -> None:
    machine, host = server(*OPEN)
    with pytest.raises(UnhandledEvent, match="called outside an action"):
        getattr(machine, call)(zeps_server.Event.ON_ATTACH_REFUSED)
    host.close_stream = lambda _message: getattr(machine, call)(zeps_server.Event.ATTACH)  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="ATTACH"):
        machine.receive(zeps.Detach())


def test_a_hook_hears_of_each_row() -> None:
    machine, host = server()
    heard: list[Any] = []
    machine.on_transition = lambda *row: heard.append((*row, len(host.log)))
    machine.receive(zeps.Attach("weather"))
    states, events = zeps_server.State, zeps_server.Event
    assert heard == [(states.START, events.ATTACH, states.OPEN, 2)]
    host.take()
    host.refuse = {"check_subscription": events.ON_SUBSCRIBE_REFUSED}
    machine.receive(zeps.Subscribe("(", 0))
    assert heard[1:] == [
        (states.OPEN, events.SUBSCRIBE, states.OPEN, 1),
        (states.OPEN, events.ON_SUBSCRIBE_REFUSED, states.OPEN, 2),
    ]
    machine.on_transition = None
    machine.receive(zeps.Ping())
    assert len(heard) == 3


def test_runs_of_publish_are_one_action() -> None:
    states, events = zeps_server.State, zeps_server.Event
    assert zeps_server.settled(states.OPEN, events.PUBLISH) == "store_message"
    assert zeps_server.settled(states.DETACHING, events.PUBLISH) == "store_message"
    assert zeps_server.settled(states.START, events.PUBLISH) is None
    assert zeps_server.settled(states.OPEN, events.SUBSCRIBE) is None
    assert zeps_server.settled(states.OPEN, events.CREDIT) is None


# --- client


def test_open_attaches_and_close_detaches() -> None:
    machine, host = client(attached=False)
    assert machine.open("weather")
    assert host.take() == [zeps.Attach("weather")]
    assert host.after(zeps.AttachOk()) == ["attached"]
    assert machine.close()
    assert host.after(zeps.DetachOk()) == [zeps.Detach(), "detached"]
    assert machine.state is zeps_client.State.START


def test_calls_become_commands() -> None:
    machine, host = client()
    assert machine.follow("uk.", 7)
    assert machine.grant(1000)
    assert machine.post("key", b"body")
    assert machine.probe()
    assert (machine.pending, machine.credit, machine.unanswered) == (1, 1000, 1)
    sent = [zeps.Subscribe("uk.", 7), zeps.Credit(1000), zeps.Publish("key", b"body"), zeps.Ping()]
    assert host.take() == sent
    assert host.after(zeps.SubscribeOk(), zeps.PingOk()) == ["subscribed", "answered"]
    assert (machine.pending, machine.unanswered) == (0, 0)


@pytest.mark.parametrize(
    ("amount", "error"),
    [(-5, ValueError), (2**64, ValueError), (1.5, TypeError), ("5", TypeError), (None, TypeError)],
)
def test_a_number_that_none_is_changes_nothing(amount: Any, error: type[Exception]) -> None:
    machine, host = client()
    with pytest.raises(error, match="octets"):
        machine.grant(amount)
    assert (machine.credit, host.take()) == (0, [])
    assert machine.grant(5)


@pytest.mark.parametrize("name", ["state", "terminated"])
def test_only_the_table_changes_the_state(name: str) -> None:
    machine, _ = client()
    with pytest.raises(AttributeError):
        setattr(machine, name, zeps_client.State.START)
    assert (machine.state, machine.terminated) == (zeps_client.State.OPEN, False)


def test_help_tells_what_the_model_says() -> None:
    assert "sequence: Sequenced per stream" in (zeps.Deliver.__doc__ or "")
    assert "BAD_PATTERN: Refuses SUBSCRIBE" in (zeps.OpenCode.__doc__ or "")
    assert "DETACHING: DETACH is sent" in (zeps_client.State.__doc__ or "")
    assert "ON_HEARTBEAT: Nothing was sent for a while." in (zeps_client.Event.__doc__ or "")
    assert "credit: Octets of DELIVER frames" in (ClientMachine.__doc__ or "")


def test_what_is_no_message_is_a_type_error() -> None:
    machine, _ = client()
    with pytest.raises(TypeError, match="str"):
        machine.receive("text")  # type: ignore[arg-type]


def test_deliver_uses_credit_up() -> None:
    message = zeps.Deliver(1, "key", b"body")
    machine, host = client()
    machine.grant(message.size() + 1)
    host.take()
    machine.receive(message)
    assert machine.credit == 1
    assert host.take() == ["take_message"]
    machine.receive(message)  # exceeds the granted credit: a broker must not send this
    assert host.take() == ["broker_lost"]
    assert machine.state is zeps_client.State.START


def test_an_ending_code_attaches_again() -> None:
    machine, host = client()
    machine.grant(5)
    machine.follow("x", 0)
    host.take()
    host.refuse = {"read_notice": zeps_client.Event.ON_ENDED}
    actions = host.after(zeps.Invalid("no-session ATTACH opens a session"))
    assert actions == ["read_notice", "session_lost", zeps.Attach("weather")]
    assert machine.state is zeps_client.State.ATTACHING
    assert (machine.credit, machine.pending, machine.unanswered) == (0, 0, 0)


def test_a_refused_subscribe_is_the_first_without_an_answer() -> None:
    machine, host = client()
    machine.follow("(", 0)
    machine.follow("x", 0)
    host.take()
    host.refuse = {"read_notice": zeps_client.Event.ON_SUBSCRIBE_REFUSED}
    assert host.after(zeps.Invalid("bad-pattern missing closing parenthesis")) == ["read_notice", "refused"]
    assert (machine.state, machine.pending) == (zeps_client.State.OPEN, 1)
    assert host.after(zeps.SubscribeOk()) == ["subscribed"]
    assert host.after(zeps.Invalid("bad-pattern without a request")) == ["read_notice"]
    assert (machine.state, machine.pending) == (zeps_client.State.OPEN, 0)


def test_a_notice_changes_nothing() -> None:
    machine, host = client()
    machine.grant(5)
    machine.follow("x", 0)
    host.take()
    assert host.after(zeps.Invalid("damage 7 9 the journal is damaged there")) == ["read_notice"]
    assert machine.state is zeps_client.State.OPEN
    assert (machine.credit, machine.pending, machine.unanswered) == (5, 1, 0)


def test_what_comes_while_detaching_is_read_too() -> None:
    machine, host = client()
    machine.follow("(", 0)
    machine.close()
    host.take()
    host.refuse = {"read_notice": zeps_client.Event.ON_SUBSCRIBE_REFUSED}
    assert host.after(zeps.Invalid("bad-pattern missing closing parenthesis")) == ["read_notice"]
    assert machine.state is zeps_client.State.DETACHING
    host.refuse = {"read_notice": zeps_client.Event.ON_ENDED}
    refusal = zeps.Invalid("malformed truncated: PUBLISH.body at octet 12")
    assert host.after(refusal) == ["read_notice", "detached"]
    assert machine.state is zeps_client.State.START


def test_silence_is_a_lost_broker() -> None:
    machine, host = client()
    for _ in range(3):
        assert machine.heartbeat()
    assert host.take() == [zeps.Ping()] * 3
    assert machine.heartbeat()
    assert host.take() == ["broker_lost"]
    assert machine.state is zeps_client.State.START


@pytest.mark.parametrize("opened", [True, False])
def test_a_client_answers_ping(opened: bool) -> None:
    machine, host = client(attached=opened)
    if not opened:
        machine.open("weather")
        host.take()
    assert host.after(zeps.Ping()) == [zeps.PingOk()]


def test_an_answer_to_nothing_is_no_broker() -> None:
    machine, host = client()
    assert host.after(zeps.SubscribeOk()) == ["broker_lost"]
    with pytest.raises(UnhandledEvent):
        machine.post("key", b"body")


def test_a_message_that_is_no_event_of_the_machine() -> None:
    machine = ServerMachine(Host())
    with pytest.raises(UnexpectedEvent, match="SEGMENT in state START"):
        machine.receive(journal.Segment(1, 2, "s"))
