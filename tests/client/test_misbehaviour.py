"""The client with brokers that are silent, refuse, forget, shut down, or violate the protocol."""

from __future__ import annotations

import pytest
from model_broker import invalid
from scripted_broker import ScriptedBroker, silent
from waiting import until

from zeps_client import (
    ALL,
    AttachRefused,
    BrokerLost,
    Client,
    Closed,
    Message,
    PublishLost,
    SubscribeRefused,
    Timeout,
)
from zeps_client.events import Event, Lost
from zeps_wire import zeps

QUICK = {"backoff_min": 0.001, "backoff_max": 0.02, "confirm_interval": 0.005, "rate_min": 1e9}
BODIES = [(f"k{number}", b"%d" % number) for number in range(1, 51)]


def collect(client: Client, count: int) -> list[Message]:
    """Expects this many messages, and that no further message arrives soon."""
    got = [client.receive(20) for _ in range(count)]
    with pytest.raises(Timeout):
        client.receive(0.05)
    return got


def whole(messages: list[Message], count: int = len(BODIES)) -> bool:
    return [(m.sequence, m.key, m.body) for m in messages] == [
        (number, *BODIES[number - 1]) for number in range(1, count + 1)
    ]


def test_nobody_there() -> None:
    with Client("tcp://127.0.0.1:1", "s", **QUICK) as client:
        with pytest.raises(Timeout, match=r"no session with tcp://127.0.0.1:1: no listener at the endpoint"):
            client.wait(0.1)
        assert not client.statistics().attached


def test_silent_from_the_start(scripted: ScriptedBroker) -> None:
    scripted.script = silent
    with Client(scripted.endpoint, "s", attach_timeout=0.02, give_up=0.5, **QUICK) as client:
        with pytest.raises(BrokerLost, match="no answer to ATTACH"):
            client.wait(20)
        with pytest.raises(BrokerLost):
            client.publish("k", b"")
        with pytest.raises(BrokerLost):
            client.subscribe("")
    assert len(scripted.peers) > 1  # it tried with new connections


def test_attach_refused(scripted: ScriptedBroker) -> None:
    scripted.script = lambda peer, message: [zeps.Invalid(reason="not for you").encode()]
    with Client(scripted.endpoint, "s", **QUICK) as client:
        with pytest.raises(AttachRefused, match="not for you"):
            client.subscribe("")
        with pytest.raises(AttachRefused):
            client.receive()


def test_a_broker_that_is_stopping_is_tried_again(scripted: ScriptedBroker) -> None:
    stopping = invalid("stopping", "the broker is stopping")
    scripted.answer(zeps.Attach, [stopping], lambda _: len(scripted.peers) < 4)
    with Client(scripted.endpoint, "s", **QUICK) as client:
        client.subscribe("", timeout=20)
        assert client.statistics().sessions == 1
    assert len(scripted.peers) == 4


def test_invalid_in_the_middle(scripted: ScriptedBroker) -> None:
    scripted.store(*BODIES[:20])
    with Client(scripted.endpoint, "s", **QUICK) as client:
        client.subscribe("")
        first = collect(client, 20)
        scripted.forget()
        scripted.store(*BODIES[20:])
        client.publish("k", b"")  # is answered with INVALID, since no session exists
        client.flush(20)
        assert whole((first + collect(client, 31))[:-1])
        assert client.statistics().sessions == 2
    assert scripted.model.log[-1] == ("k", b"")


def test_detach_is_answered_and_resumed(scripted: ScriptedBroker) -> None:
    scripted.answer(zeps.Ping, [zeps.PingOk().encode(), zeps.Detach().encode()], scripted.first)
    with Client(scripted.endpoint, "s", **QUICK) as client:
        client.publish(*BODIES[0])
        client.flush(20)
        until(lambda: scripted.seen(zeps.DetachOk))
        client.subscribe("", ALL, timeout=20)
        assert whole(collect(client, 1), 1)


def test_beyond_the_credit(scripted: ScriptedBroker) -> None:
    """The client grants no credit before its subscription is confirmed."""
    scripted.answer(zeps.Subscribe, [zeps.Deliver(1, "k1", b"1").encode()], scripted.first)
    scripted.store(*BODIES)
    events: list[Event] = []
    with Client(scripted.endpoint, "s", on_event=events.append, **QUICK) as client:
        client.subscribe("")
        assert whole(collect(client, 50))
    assert any(isinstance(event, Lost) and "more than its credit" in event.reason for event in events)


@pytest.mark.parametrize(
    "rubbish",
    [
        [b""],
        [b"\xaa\xa5"],
        [b"\xaa\xa5\x63"],
        [zeps.Deliver(sequence=9, key="k", body=b"body").encode()[:-1]],
        [zeps.Deliver(sequence=9, key="k", body=b"body").encode() + b"!"],
        [zeps.Ping().encode() + b"!"],
        [zeps.Attach(stream="s").encode()],
        [zeps.SubscribeOk().encode()],
        [[zeps.Ping().encode(), b"more"]],
        [[b"", zeps.Ping().encode()]],
    ],
)
def test_rubbish_in_a_session(scripted: ScriptedBroker, rubbish: list[bytes | list[bytes]]) -> None:
    scripted.answer(zeps.Ping, rubbish, scripted.first)
    with Client(scripted.endpoint, "s", **QUICK) as client:
        client.subscribe("")
        client.publish_many(BODIES)
        client.flush(20)  # its PING triggered the invalid frame
        assert client.statistics().sessions == 2
        # Stored twice, as version 1 cannot report stored messages; each copy is delivered once.
        got = collect(client, 100)
        assert [m.sequence for m in got] == list(range(1, 101))
        assert [(m.key, m.body) for m in got] == BODIES * 2


def test_silence_in_a_session(scripted: ScriptedBroker) -> None:
    scripted.store(*BODIES[:10])
    with Client(scripted.endpoint, "s", heartbeat=0.02, **QUICK) as client:
        client.subscribe("")
        first = collect(client, 10)
        scripted.script = lambda peer, message: [] if peer == scripted.peers[0] else None
        scripted.forget()
        scripted.store(*BODIES[10:])
        assert whole(first + collect(client, 40))
    lost = [number for number, command in enumerate(scripted.commands) if isinstance(command, zeps.Attach)][1]
    pings = [isinstance(command, zeps.Ping) for command in scripted.commands[:lost]]
    assert sum(pings) >= 3  # ZEPS-PING-5, -13: a few, and then it attaches again


def test_ping_is_answered(scripted: ScriptedBroker) -> None:
    scripted.answer(zeps.Subscribe, [zeps.SubscribeOk().encode(), zeps.Ping().encode()])
    with Client(scripted.endpoint, "s", **QUICK) as client:
        client.subscribe("")
        client.flush(20)
        client.publish("k", b"")
        client.flush(20)
    assert scripted.seen(zeps.PingOk) == 1


def test_the_connection_breaks() -> None:
    first = ScriptedBroker()
    first.store(*BODIES[:10])
    with Client(first.endpoint, "s", **QUICK) as client:
        client.subscribe("")
        got = collect(client, 10)
        first.close()
        with ScriptedBroker(endpoint=first.endpoint) as second:
            second.store(*BODIES)
            assert whole(got + collect(client, 40))
            client.close()


def test_a_refused_pattern(scripted: ScriptedBroker) -> None:
    scripted.model.refused_patterns.add("(")
    scripted.store(*BODIES)
    with Client(scripted.endpoint, "s", **QUICK) as client:
        client.subscribe("k")
        client.publish("x", b"1")
        with pytest.raises(SubscribeRefused, match="bad-pattern no such syntax") as refusal:
            client.subscribe("(", timeout=20)
        assert refusal.value.pattern == "("
        client.publish("x", b"2")
        client.flush(20)
        assert whole(collect(client, 50))
        assert client.statistics().sessions == 1  # ZEPS-SUBSCRIBE-13
    assert scripted.model.log[len(BODIES) :] == [("x", b"1"), ("x", b"2")]


def test_a_broker_without_codes_that_ends_the_session_for_a_pattern(scripted: ScriptedBroker) -> None:
    def script(peer: bytes, message: zeps.Message) -> list[bytes] | None:
        if isinstance(message, zeps.Subscribe) and message.pattern == "(":
            scripted.model.forget(peer)
            return [zeps.Invalid(reason="What is this?").encode()]
        return None

    scripted.script = script
    scripted.store(*BODIES)
    with Client(scripted.endpoint, "s", **QUICK) as client:
        client.subscribe("k")
        with pytest.raises(SubscribeRefused, match=r"What is this\?"):
            client.subscribe("(", timeout=20)
        assert whole(collect(client, 50))


def test_a_broker_without_codes_that_ends_the_session_for_an_extension(scripted: ScriptedBroker) -> None:
    def script(peer: bytes, message: zeps.Message) -> list[bytes] | None:
        if isinstance(message, zeps.Subscribe) and message.latest < 20:
            scripted.model.forget(peer)
            return [zeps.Invalid(reason="Too old!").encode()]
        return None

    scripted.script = script
    scripted.store(*BODIES[:40])
    with Client(scripted.endpoint, "s", **QUICK) as client:
        client.subscribe("k", 20, timeout=20)
        with pytest.raises(SubscribeRefused, match="Too old!"):
            client.subscribe("k", 10, timeout=20)
        scripted.store(*BODIES[40:])
        assert [message.sequence for message in collect(client, 30)] == [*range(21, 51)]


def test_a_refused_publish(scripted: ScriptedBroker) -> None:
    scripted.model.refused_keys.add("bad")
    with Client(scripted.endpoint, "s", **QUICK) as client:
        client.publish_many([BODIES[0], ("bad", b""), BODIES[1]])
        with pytest.raises(PublishLost, match="the broker refuses it: malformed bad key") as loss:
            client.flush(20)
        assert loss.value.count == 1
        client.publish(*BODIES[2])
        client.flush(20)  # reported once
    assert list(dict.fromkeys(scripted.model.log)) == BODIES[:3]


def test_at_most_once(scripted: ScriptedBroker) -> None:
    scripted.answer(zeps.Ping, [], scripted.first)
    with Client(scripted.endpoint, "s", heartbeat=0.02, republish=False, **QUICK) as client:
        client.publish_many(BODIES[:10])
        with pytest.raises(PublishLost, match="10 published messages"):
            client.flush(20)
        client.publish_many(BODIES[10:20])
        client.flush(20)
    assert scripted.model.log == BODIES[:20]  # they had been stored, which the client could not know


def test_close_tells_what_is_not_confirmed() -> None:
    client = Client("tcp://127.0.0.1:1", "s", **QUICK)
    client.publish_many(BODIES)
    with pytest.raises(PublishLost, match=r"50 published messages .*no listener at the endpoint"):
        client.close(0.05)
    client.close()
    with pytest.raises(Closed):
        client.publish("k", b"")


def test_close_blames_no_frame_that_was_in_order(scripted: ScriptedBroker) -> None:
    scripted.answer(zeps.Ping, [])
    client = Client(scripted.endpoint, "s", **QUICK)
    client.wait(20)
    client.publish("k", b"")
    with pytest.raises(PublishLost) as lost:
        client.close(0.05)
    assert str(lost.value).endswith("the client was closed before they were confirmed (no answer)")


def test_a_full_buffer_waits(scripted: ScriptedBroker) -> None:
    scripted.script = silent
    with Client(scripted.endpoint, "s", buffer_messages=10, attach_timeout=0.05, **QUICK) as client:
        for message in BODIES[:10]:
            client.publish(*message)
        with pytest.raises(Timeout, match="the buffer is full"):
            client.publish(*BODIES[10], timeout=0.05)
        scripted.script = None
        for message in BODIES[10:]:
            client.publish(*message, timeout=20)
        client.flush(20)
    assert scripted.model.log == BODIES


def test_bytes_fill_the_buffer_and_a_long_message_goes_alone(scripted: ScriptedBroker) -> None:
    with Client(scripted.endpoint, "s", buffer_octets=1000, **QUICK) as client:
        for size in (10, 5000, 10, 900, 900, 4000):
            client.publish("k", bytes(size), timeout=20)
        client.flush(20)
    assert [len(body) for _, body in scripted.model.log] == [10, 5000, 10, 900, 900, 4000]
