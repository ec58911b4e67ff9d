"""The session alone, in virtual time: its output, and the times of it."""

from __future__ import annotations

import math

import pytest
from world import World, opened

from zeps_client.credit import Window
from zeps_client.errors import AttachRefused, BrokerLost
from zeps_client.events import (
    Attached,
    Confirmed,
    Detached,
    EndFound,
    Failed,
    Lost,
    PublishesLost,
    Refused,
    Subscribed,
)
from zeps_client.results import end_of
from zeps_client.resume import BEYOND_END
from zeps_client.session import ClientSession
from zeps_client.settings import LARGEST_FRAME, Options, Settings
from zeps_wire import zeps
from zeps_wire.errors import EncodeError
from zeps_wire.zeps_client import TABLE, Event, State


def test_runs_do_what_the_rows_say() -> None:
    """Runs of DELIVER and PUBLISH bypass the machine: these are the rows whose work they do."""
    deliver, _ = [row for row in TABLE if (row.state, row.event) == (State.OPEN, Event.DELIVER)]
    assert deliver.guard == "credit >= size(DELIVER)"
    assert deliver.steps == ("credit := credit - size(DELIVER)", "take_message")
    assert deliver.next is None
    post = next(row for row in TABLE if (row.state, row.event) == (State.OPEN, Event.ON_POST))
    assert post.guard is None
    assert [step.split("(")[0] for step in post.steps] == ["send PUBLISH"]
    assert post.next is None


def test_opening() -> None:
    world = World()
    for _ in range(9):
        world.broker.store("x", b"")
    world.session.subscribe(world.now, "b", 9)
    world.session.subscribe(world.now, "a", 3)
    world.publish(b"1")
    world.run()
    assert world.sent_messages() == [
        zeps.Attach(stream="s"),
        zeps.Subscribe(pattern="a", latest=3),
        zeps.Subscribe(pattern="b", latest=9),
        zeps.Publish(key="k", body=b"1"),
    ]
    world.run(0.1)  # credit a moment later, in case of further subscriptions; and confirmation
    assert world.sent_messages()[4:] == [zeps.Credit(credit=1 << 20), zeps.Ping()]
    assert world.events == [Attached(False), Subscribed("a"), Subscribed("b"), Confirmed(1)]


def test_no_credit_without_a_subscription() -> None:
    world = World()
    world.run(1.0)
    assert world.sent_messages() == [zeps.Attach(stream="s")]


@pytest.mark.parametrize("name", ["", "a\nb", "x" * 256])
def test_bad_names(name: str) -> None:
    with pytest.raises((EncodeError, ValueError)):
        ClientSession(name, Settings(), 0.0)


def test_heartbeats_when_there_is_nothing_else_to_send() -> None:
    world = World(Settings(heartbeat=2.0))
    world.run(9.0)
    assert [type(message) for message in world.sent_messages()] == [zeps.Attach] + [zeps.Ping] * 4
    assert world.session.sessions == 1


def test_three_pings_without_an_answer_and_then_another_connection() -> None:
    world = opened(heartbeat=2.0)
    world.alive = False
    world.run(7.9)
    assert [type(message) for message in world.sent_messages()] == [zeps.Attach] + [zeps.Ping] * 3
    assert world.session.open
    world.run(0.4)
    assert world.line == 2
    assert world.session.open
    assert [event.reason for event in world.events_of(Lost)] == ["no answer to 3 PINGs"]


def test_a_message_that_may_be_arriving_delays_the_loss_by_its_time() -> None:
    """ZEPS-PING-11."""
    world = World(Settings(heartbeat=2.0, window=100_000, quiet=1e6, rate_min=1000))
    world.subscribe()
    assert world.session.credit == 100_000
    world.alive = False
    world.run(105.0)
    assert world.line == 1
    pings = sum(message == zeps.Ping() for message in world.sent_messages())
    assert pings >= 50  # the broker sees that the client is alive
    world.run(5.0)
    assert world.line == 2


def test_a_message_that_may_be_leaving_delays_the_loss_by_its_time() -> None:
    world = opened(heartbeat=2.0, rate_min=1000)
    world.alive = False
    world.publish(bytes(50_000))
    world.run(54.0)
    assert world.line == 1
    world.run(6.0)
    assert world.line == 2


def test_anything_heard_counts_as_life() -> None:
    world = World(Settings(heartbeat=2.0))
    world.subscribe()
    for _ in range(20):  # the broker delivers, and does not answer yet
        world.now += 1.5
        world.broker.store("k", b"")
        world.settle()
        world.send()
        world.up.clear()
        world.deliver()
        world.receive()
    assert world.session.sessions == 1
    assert world.sent_messages().count(zeps.Ping()) == 1


def test_publishing_does_not_hide_that_nobody_answers() -> None:
    world = opened(heartbeat=2.0)
    world.alive = False
    for _ in range(100):
        world.publish(b"x")
        world.run(0.1)
    assert world.session.sessions == 2
    world.run(1.0)
    assert len(world.broker.log) == 100


def test_pauses_grow_and_differ() -> None:
    pauses = []
    for seed in range(2):
        world = World(Settings(backoff_min=0.1, backoff_max=3.0), seed)
        world.reachable = False
        for _ in range(12):
            before = world.now
            world.settle()
            world.session.disconnected(world.now, "no listener at the endpoint")
            assert world.session.connect_at is not None
            pauses.append(world.session.connect_at - before)
            world.now = world.session.connect_at
        assert world.events_of(Lost)[1:] == []  # reported once
    first, second = pauses[:12], pauses[12:]
    assert first != second
    assert first[0] <= 0.1
    for number, pause in enumerate(first[1:]):
        full = min(3.0, 0.1 * 2**number)
        assert full / 2 <= pause <= full


def test_a_session_that_was_worth_something_is_tried_again_at_once() -> None:
    world = World(Settings(backoff_min=0.1, backoff_max=100.0))
    world.publish(b"1")
    world.run(1.0)
    for _ in range(10):
        world.publish(b"x")
        world.run(1.0)
        world.hang_up()
        assert world.session.connect_at is not None
        assert world.session.connect_at - world.now <= 0.1
        world.run(0.2)


def test_giving_up() -> None:
    world = World(Settings(give_up=7.0))
    world.reachable = False
    world.run(30.0)
    assert isinstance(world.session.error, BrokerLost)
    assert str(world.session.error) == "no session for 7 s: no answer to ATTACH"
    assert world.session.deadline() is None
    assert isinstance(world.events[-1], Failed)


def test_attach_refused_at_first_is_final_and_later_needs_three() -> None:
    world = World()
    world.settle()
    world.refuse()
    assert isinstance(world.session.error, AttachRefused)

    world = opened()
    world.hang_up()
    for number in range(3):
        assert world.session.error is None
        world.reconnect()
        world.refuse()
        assert len(world.events_of(Refused)) == min(number + 1, 2)
    assert isinstance(world.session.error, AttachRefused)


@pytest.mark.parametrize("code", ["stream-unavailable", "too-many-sessions", "stopping"])
def test_an_attach_that_is_refused_for_now_is_tried_again(code: str) -> None:
    world = World(Settings(backoff_min=0.1, backoff_max=1.0))
    for _ in range(10):
        world.reconnect()
        world.refuse(f"{code} come again")
    assert world.session.error is None
    assert world.session.last_error == f"the broker refuses the stream: {code} come again"
    assert world.events_of(Refused) == [Refused(f"{code} come again")]
    world.run(2.0)
    assert world.session.open
    assert world.session.last_error == ""


def test_refusals_for_now_are_given_up_in_time() -> None:
    world = World(Settings(give_up=7.0))
    while world.session.error is None:
        world.reconnect()
        world.refuse("stopping now")
    assert str(world.session.error) == "no session for 7 s: the broker refuses the stream: stopping now"


def test_what_is_no_trouble_is_not_blamed() -> None:
    world = World(Settings(heartbeat=2.0))
    world.subscribe(seconds=9.0)
    world.publish(b"1")
    world.run(1.0)
    assert world.session.last_error == ""
    world.session.close(world.now, 1.0)
    world.run(2.0)
    assert (world.session.closed, world.session.last_error) == (True, "")


def test_a_broker_that_does_not_answer_is_blamed_for_that() -> None:
    world = opened(heartbeat=2.0, attach_timeout=50.0)
    world.publish(b"1")
    world.alive = False
    world.session.close(world.now, 1.0)
    world.run(2.0)
    assert (world.session.closed, world.session.last_error) == (True, "no answer to DETACH")


def test_only_refusals_in_a_row_count() -> None:
    world = World()
    for _ in range(5):
        world.run(5.0)
        assert world.session.open
        for _ in range(2):
            world.hang_up()
            world.reconnect()
            world.refuse()
    world.run(5.0)
    assert world.session.open


def test_giving_up_counts_from_the_loss() -> None:
    world = World(Settings(give_up=7.0))
    world.run(100.0)
    world.reachable = False
    world.hang_up()
    world.run(6.9)
    assert world.session.error is None
    world.run(0.2)
    assert world.session.error is not None


def test_the_streams_end_is_what_a_refused_subscription_names() -> None:
    world = World()
    for _ in range(3):
        world.broker.store("k", b"")
    early = world.session.ask_end(world.now)
    world.subscribe("", 1)
    world.broker.store("k", b"")
    later = world.session.ask_end(world.now)
    assert not later.done
    world.run(1.0)
    assert (end_of(early), end_of(later)) == (3, 4)
    assert world.sequences == [2, 3, 4]
    assert world.events == [Attached(False), Subscribed(""), EndFound(), EndFound()]


def test_the_streams_end_is_asked_for_again_after_a_loss() -> None:
    world = World()
    world.subscribe()
    asked = [world.session.ask_end(world.now) for _ in range(3)]
    world.settle()
    world.send()
    world.hang_up()
    world.broker.store("k", b"")
    world.run(1.0)
    assert [end_of(request) for request in asked] == [1, 1, 1]
    assert (
        sum(message == zeps.Subscribe(pattern="", latest=BEYOND_END) for message in world.sent_messages())
        == 3 + 1
    )
    assert world.session.resumption.points == {"": 1}


@pytest.mark.parametrize("republish", [True, False])
def test_without_reattach_the_first_loss_ends_the_client(republish: bool) -> None:
    world = World(Settings(reattach=False, republish=republish))
    world.run(10.0)
    world.publish(b"1")
    world.settle()
    world.send()
    world.hang_up()
    world.run(30.0)
    assert isinstance(world.session.error, BrokerLost)
    assert str(world.session.error) == "the connection broke"
    assert world.session.deadline() is None
    assert world.line == 1
    assert world.broker.log == []


def test_without_reattach_there_is_one_attempt() -> None:
    world = World(Settings(reattach=False, attach_timeout=4.0))
    world.reachable = False
    world.run(30.0)
    assert isinstance(world.session.error, BrokerLost)
    assert str(world.session.error) == "no answer to ATTACH"
    assert world.line == 1


def test_a_broker_that_forgets_is_not_one_that_objects() -> None:
    world = World(Settings(confirm_interval=0.001))
    for number in range(6):
        world.publish(b"%d" % number)
        world.broker.forget(world.line)
        world.run(1.0)
    assert [body for _, body in world.broker.log] == [b"%d" % number for number in range(6)]
    assert not world.events_of(PublishesLost)


def test_confirmation_by_a_quarter_of_the_buffer_or_a_moment_or_on_demand() -> None:
    world = opened(buffer_messages=40, confirm_interval=5.0, heartbeat=100.0)
    world.publish(*[b""] * 9)
    world.run(1.0)
    assert zeps.Ping() not in world.sent_messages()
    world.publish(b"")
    world.run()
    assert world.sent_messages()[-1] == zeps.Ping()
    assert world.session.outgoing.settled == 10
    world.publish(b"")
    world.run(4.9)
    assert world.session.outgoing.settled == 10
    world.run(0.2)
    assert world.session.outgoing.settled == 11
    world.publish(b"")
    world.session.confirm(12)
    world.run()
    assert world.session.outgoing.settled == 12
    assert world.sent_messages().count(zeps.Ping()) == 3


def test_one_question_at_a_time() -> None:
    world = opened(buffer_messages=4, confirm_interval=0.001)
    for _ in range(5):
        world.publish(b"1")
        world.settle()
        world.send()
        world.now += 0.01
    assert world.sent_messages().count(zeps.Ping()) == 1
    world.run(0.1)
    assert world.sent_messages().count(zeps.Ping()) == 2
    assert world.session.outgoing.settled == 5


def test_what_is_not_confirmed_is_sent_again_in_order() -> None:
    world = opened(confirm_interval=1000.0, heartbeat=1000.0)
    world.publish(b"1", b"2", b"3")
    world.run()
    world.hang_up()
    world.publish(b"4")
    world.run(1.0)
    assert [body for _, body in world.broker.log] == [b"1", b"2", b"3", b"1", b"2", b"3", b"4"]


def test_at_most_once_sends_again_what_was_never_handed_over() -> None:
    world = opened(confirm_interval=1000.0, republish=False)
    world.publish(b"1", b"2", b"3")
    world.settle()
    world.send(2)
    world.hang_up()
    world.run(1.0)
    assert [body for _, body in world.broker.log] == [b"3"]
    assert [event.count for event in world.events_of(PublishesLost)] == [2]


def test_close_confirms_first() -> None:
    world = opened(confirm_interval=1000.0)
    world.publish(b"1")
    world.session.close(world.now, 5.0)
    world.run()
    assert [type(message) for message in world.sent_messages()][-3:] == [zeps.Publish, zeps.Ping, zeps.Detach]
    assert world.events[-1] == Detached()
    assert world.session.closed
    assert world.session.error is None


@pytest.mark.parametrize("reachable", [True, False])
def test_close_waits_no_longer_than_it_may(reachable: bool) -> None:
    world = World(Settings(attach_timeout=50.0))
    world.reachable = reachable
    world.run()
    world.alive = False
    world.publish(b"1")
    world.session.close(world.now, 3.0)
    world.run(2.9)
    assert not world.session.closed
    world.run(0.4)
    assert world.session.closed


def test_close_without_a_connection() -> None:
    world = World()
    world.reachable = False
    world.settle()
    world.session.disconnected(world.now, "no listener at the endpoint")
    world.session.close(world.now, 3.0)
    world.settle()
    assert world.session.closed


def test_the_window() -> None:
    window = Window(Settings(window=1000))
    assert window.due(0) == 1000
    assert window.due(501) == 0
    assert window.due(500) == 500
    window.buffered = 600
    assert window.due(0) == 0
    window.buffered = 500
    assert window.due(0) == 500
    window.buffered = 0
    window.largest = 5000
    assert window.due(600) == 9400
    assert window.due_when_quiet(10) == LARGEST_FRAME + 990
    assert window.due_when_quiet(LARGEST_FRAME) == 0
    window.buffered = 1
    assert window.due_when_quiet(10) == 0


def test_credit_follows_the_application() -> None:
    world = World(Settings(window=1000, credit_delay=0.0))
    for _ in range(100):
        world.broker.store("k", bytes(83))  # 100 bytes as a DELIVER
    world.session.subscribe(world.now, "", 0)
    world.run(5.0, consume=False)
    assert len(world.messages) == 10  # and no credit is granted while the application has messages to read
    world.session.acknowledge(world.now, 400)
    world.run(5.0, consume=False)
    assert len(world.messages) == 10
    world.session.acknowledge(world.now, 100)
    world.run(0.0, consume=False)
    assert len(world.messages) == 15
    world.waiting = 1000
    world.run(0.0)
    assert len(world.messages) == 100


def test_a_message_longer_than_the_window_arrives() -> None:
    world = World(Settings(window=1000, quiet=0.5))
    world.broker.store("k", bytes(5000))
    world.broker.store("k", bytes(16_777_216))
    world.subscribe(seconds=0.4)
    assert world.messages == []
    world.run(0.2)
    assert len(world.messages) == 1
    world.run(0.6)
    assert len(world.messages) == 2


def test_quiet_begins_when_the_application_has_consumed() -> None:
    world = World(Settings(window=1000, quiet=0.5, credit_delay=0.0))
    world.session.subscribe(world.now, "", 0)
    world.broker.store("k", bytes(83))
    world.run(10.0, consume=False)
    world.consume()
    world.run(0.4)
    assert world.session.credit == 900
    world.run(0.2)
    assert world.session.credit == LARGEST_FRAME + 1000


def test_an_idle_session_grants_once() -> None:
    world = World(Settings(heartbeat=2.0))
    world.subscribe(seconds=100.0)
    assert sum(isinstance(message, zeps.Credit) for message in world.sent_messages()) == 2


def test_subscribing_again_to_the_same_is_confirmed_at_once() -> None:
    world = World()
    world.subscribe("a")
    world.subscribe("a", 5)
    assert world.events[-1] == Subscribed("a", again=True)
    assert sum(isinstance(message, zeps.Subscribe) for message in world.sent_messages()) == 1


def test_settings_are_checked_and_complete() -> None:
    assert set(Options.__annotations__) == set(Settings.__dataclass_fields__)
    for bad in (
        {"window": 0},
        {"window": 1 << 63},
        {"heartbeat": 0.0},
        {"heartbeat": math.nan},
        {"rate_min": 0},
        {"rate_min": -1.0},
        {"rate_min": math.nan},
        {"rate_min": math.inf},
        {"give_up": math.nan},
        {"backoff_max": math.inf},
        {"backoff_min": 3.0, "backoff_max": 2.0},
        {"buffer_messages": 0},
        {"history_octets": -1},
    ):
        with pytest.raises(ValueError, match=next(iter(bad))):
            Settings(**bad)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        Settings(windows=1)  # type: ignore[call-arg]
