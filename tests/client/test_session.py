"""The session alone, in virtual time: what it sends, and when."""

from __future__ import annotations

import math

import pytest
from world import World

from zeps_client.credit import Window
from zeps_client.errors import AttachRefused, BrokerLost
from zeps_client.events import (
    Attached,
    Confirmed,
    Detached,
    EndFound,
    Failed,
    Lost,
    Message,
    Missing,
    PublishesLost,
    Refused,
    StreamReset,
    Subscribed,
)
from zeps_client.results import end_of
from zeps_client.resume import BEYOND_END
from zeps_client.session import ClientSession
from zeps_client.settings import LARGEST_FRAME, Options, Settings
from zeps_wire import zeps
from zeps_wire.errors import EncodeError
from zeps_wire.zeps_client import TABLE, Event, State


def sent(world: World) -> list[zeps.Message]:
    return [zeps.decode(frame) for frame in world.sent]


def publish(world: World, *bodies: bytes) -> None:
    world.session.publish([zeps.Publish(key="k", body=body).encode() for body in bodies])


def test_runs_do_what_the_rows_say() -> None:
    """DELIVER and PUBLISH go by runs, past the machine: these are the rows whose work that is."""
    rows = {(row.state, row.event): row for row in TABLE}
    assert sum((row.state, row.event) == (State.OPEN, Event.DELIVER) for row in TABLE) == 2
    deliver = next(row for row in TABLE if (row.state, row.event) == (State.OPEN, Event.DELIVER))
    assert deliver.guard == "credit >= size(DELIVER)"
    assert deliver.steps == ("credit := credit - size(DELIVER)", "take_message")
    assert deliver.next is None
    post = rows[State.OPEN, Event.ON_POST]
    assert post.guard is None
    assert [step.split("(")[0] for step in post.steps] == ["send PUBLISH"]
    assert post.next is None


def test_opening() -> None:
    world = World()
    for _ in range(9):
        world.broker.store("x", b"")
    world.session.subscribe(world.now, "b", 9)
    world.session.subscribe(world.now, "a", 3)
    publish(world, b"1")
    world.run()
    assert sent(world) == [
        zeps.Attach(stream="s"),
        zeps.Subscribe(pattern="a", latest=3),
        zeps.Subscribe(pattern="b", latest=9),
        zeps.Publish(key="k", body=b"1"),
    ]
    world.run(0.1)  # credit a moment later, in case that more is subscribed to; and confirmation
    assert sent(world)[4:] == [zeps.Credit(credit=1 << 20), zeps.Ping()]
    assert world.events == [Attached(False), Subscribed("a"), Subscribed("b"), Confirmed(1)]


def test_no_credit_without_a_subscription() -> None:
    world = World()
    world.run(1.0)
    assert sent(world) == [zeps.Attach(stream="s")]


@pytest.mark.parametrize("name", ["", "a\nb", "x" * 256])
def test_bad_names(name: str) -> None:
    with pytest.raises((EncodeError, ValueError)):
        ClientSession(name, Settings(), 0.0)


def test_heartbeats_when_there_is_nothing_else_to_send() -> None:
    world = World(Settings(heartbeat=2.0))
    world.run(9.0)
    assert [type(message) for message in sent(world)] == [zeps.Attach] + [zeps.Ping] * 4
    assert world.session.sessions == 1


def test_three_pings_without_an_answer_and_then_another_connection() -> None:
    world = World(Settings(heartbeat=2.0))
    world.run()
    world.alive = False
    world.run(7.9)
    assert [type(message) for message in sent(world)] == [zeps.Attach] + [zeps.Ping] * 3
    assert world.session.open
    world.run(0.4)
    assert world.line == 2
    assert world.session.open
    assert [event.reason for event in world.events if isinstance(event, Lost)] == ["no answer to 3 PINGs"]


def test_a_message_that_may_be_arriving_delays_the_loss_by_its_time() -> None:
    """ZEPS-PING-7."""
    world = World(Settings(heartbeat=2.0, window=100_000, quiet=1e6, rate_min=1000))
    world.session.subscribe(world.now, "", 0)
    world.run(1.0)
    assert world.session.credit == 100_000
    world.alive = False
    world.run(105.0)
    assert world.line == 1
    pings = sum(message == zeps.Ping() for message in sent(world))
    assert pings >= 50  # the broker sees that the client is there
    world.run(5.0)
    assert world.line == 2


def test_a_message_that_may_be_leaving_delays_the_loss_by_its_time() -> None:
    world = World(Settings(heartbeat=2.0, rate_min=1000))
    world.run()
    world.alive = False
    publish(world, bytes(50_000))
    world.run(54.0)
    assert world.line == 1
    world.run(6.0)
    assert world.line == 2


def test_anything_heard_counts_as_life() -> None:
    world = World(Settings(heartbeat=2.0))
    world.session.subscribe(world.now, "", 0)
    world.run(1.0)
    for _ in range(20):  # the broker delivers, and does not come to answer
        world.now += 1.5
        world.broker.store("k", b"")
        world.settle()
        world.send()
        world.up.clear()
        world.deliver()
        world.receive()
    assert world.session.sessions == 1
    assert sent(world).count(zeps.Ping()) == 1


def test_publishing_does_not_hide_that_nobody_answers() -> None:
    world = World(Settings(heartbeat=2.0))
    world.run()
    world.alive = False
    for _ in range(100):
        publish(world, b"x")
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
            world.session.disconnected(world.now, "nobody listens there")
            assert world.session.connect_at is not None
            pauses.append(world.session.connect_at - before)
            world.now = world.session.connect_at
        assert [event for event in world.events if isinstance(event, Lost)][1:] == []  # told once
    first, second = pauses[:12], pauses[12:]
    assert first != second
    assert first[0] <= 0.1
    for number, pause in enumerate(first[1:]):
        full = min(3.0, 0.1 * 2**number)
        assert full / 2 <= pause <= full


def test_a_session_that_was_worth_something_is_tried_again_at_once() -> None:
    world = World(Settings(backoff_min=0.1, backoff_max=100.0))
    publish(world, b"1")
    world.run(1.0)
    for _ in range(10):
        publish(world, b"x")
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
    refusal = zeps.Invalid(reason="no").encode()
    world = World()
    world.settle()
    world.session.receive(world.now, [refusal])
    assert isinstance(world.session.error, AttachRefused)

    world = World()
    world.run()
    world.hang_up()
    for number in range(3):
        assert world.session.error is None
        assert world.session.connect_at is not None
        world.now = world.session.connect_at
        world.settle()
        world.session.receive(world.now, [refusal])
        world.settle()
        assert sum(isinstance(event, Refused) for event in world.events) == min(number + 1, 2)
    assert isinstance(world.session.error, AttachRefused)


@pytest.mark.parametrize("code", ["stream-unavailable", "too-many-sessions", "stopping"])
def test_an_attach_that_is_refused_for_now_is_tried_again(code: str) -> None:
    world = World(Settings(backoff_min=0.1, backoff_max=1.0))
    refused = zeps.Invalid(reason=f"{code} come again").encode()
    for _ in range(10):
        assert world.session.connect_at is not None
        world.now = world.session.connect_at
        world.settle()
        world.session.receive(world.now, [refused])
        world.settle()
    assert world.session.error is None
    assert world.session.trouble == f"the broker refuses the stream: {code} come again"
    assert [event for event in world.events if isinstance(event, Refused)] == [Refused(f"{code} come again")]
    world.run(2.0)
    assert world.session.open
    assert world.session.trouble == ""


def test_refusals_for_now_are_given_up_in_time() -> None:
    world = World(Settings(give_up=7.0))
    while world.session.error is None:
        assert world.session.connect_at is not None
        world.now = world.session.connect_at
        world.settle()
        world.session.receive(world.now, [zeps.Invalid(reason="stopping now").encode()])
        world.settle()
    assert str(world.session.error) == "no session for 7 s: the broker refuses the stream: stopping now"


def test_what_is_no_trouble_is_not_blamed() -> None:
    world = World(Settings(heartbeat=2.0))
    world.session.subscribe(world.now, "", 0)
    world.run(9.0)
    publish(world, b"1")
    world.run(1.0)
    assert world.session.trouble == ""
    world.session.close(world.now, 1.0)
    world.run(2.0)
    assert (world.session.closed, world.session.trouble) == (True, "")


def test_a_broker_that_does_not_answer_is_blamed_for_that() -> None:
    world = World(Settings(heartbeat=2.0, attach_timeout=50.0))
    world.run()
    publish(world, b"1")
    world.alive = False
    world.session.close(world.now, 1.0)
    world.run(2.0)
    assert (world.session.closed, world.session.trouble) == (True, "no answer to DETACH")


def refuse(world: World) -> None:
    """The connection breaks, and the next ATTACH is refused."""
    world.hang_up()
    assert world.session.connect_at is not None
    world.now = world.session.connect_at
    world.settle()
    world.session.receive(world.now, [zeps.Invalid(reason="no").encode()])
    world.settle()


def test_only_refusals_in_a_row_count() -> None:
    world = World()
    for _ in range(5):
        world.run(5.0)
        assert world.session.open
        refuse(world)
        refuse(world)
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
    world.session.subscribe(world.now, "", 1)
    world.run(1.0)
    world.broker.store("k", b"")
    later = world.session.ask_end(world.now)
    assert not later.done
    world.run(1.0)
    assert (end_of(early), end_of(later)) == (3, 4)
    assert [message.sequence for message in world.messages] == [2, 3, 4]
    assert world.events == [Attached(False), Subscribed(""), EndFound(), EndFound()]


def test_the_streams_end_is_asked_for_again_after_a_loss() -> None:
    world = World()
    world.session.subscribe(world.now, "", 0)
    world.run(1.0)
    asked = [world.session.ask_end(world.now) for _ in range(3)]
    world.settle()
    world.send()
    world.hang_up()
    world.broker.store("k", b"")
    world.run(1.0)
    assert [end_of(each) for each in asked] == [1, 1, 1]
    assert sum(each == zeps.Subscribe(pattern="", latest=BEYOND_END) for each in sent(world)) == 3 + 1
    assert world.session.resumption.points == {"": 1}


@pytest.mark.parametrize("republish", [True, False])
def test_without_reattach_the_first_loss_ends_the_client(republish: bool) -> None:
    world = World(Settings(reattach=False, republish=republish))
    world.run(10.0)
    publish(world, b"1")
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
        publish(world, b"%d" % number)
        world.broker.forget(world.line)
        world.run(1.0)
    assert [body for _, body in world.broker.log] == [b"%d" % number for number in range(6)]
    assert not any(isinstance(event, PublishesLost) for event in world.events)


def test_confirmation_by_a_quarter_of_the_buffer_or_a_moment_or_on_demand() -> None:
    world = World(Settings(buffer_messages=40, confirm_interval=5.0, heartbeat=100.0))
    world.run()
    publish(world, *[b""] * 9)
    world.run(1.0)
    assert zeps.Ping() not in sent(world)
    publish(world, b"")
    world.run()
    assert sent(world)[-1] == zeps.Ping()
    assert world.session.outgoing.settled == 10
    publish(world, b"")
    world.run(4.9)
    assert world.session.outgoing.settled == 10
    world.run(0.2)
    assert world.session.outgoing.settled == 11
    publish(world, b"")
    world.session.confirm(12)
    world.run()
    assert world.session.outgoing.settled == 12
    assert sent(world).count(zeps.Ping()) == 3


def test_one_question_at_a_time() -> None:
    world = World(Settings(buffer_messages=4, confirm_interval=0.001))
    world.run()
    for _ in range(5):
        publish(world, b"1")
        world.settle()
        world.send()
        world.now += 0.01
    assert sent(world).count(zeps.Ping()) == 1
    world.run(0.1)
    assert sent(world).count(zeps.Ping()) == 2
    assert world.session.outgoing.settled == 5


def test_what_is_not_confirmed_is_sent_again_in_order() -> None:
    world = World(Settings(confirm_interval=1000.0, heartbeat=1000.0))
    world.run()
    publish(world, b"1", b"2", b"3")
    world.run()
    world.hang_up()
    publish(world, b"4")
    world.run(1.0)
    assert [body for _, body in world.broker.log] == [b"1", b"2", b"3", b"1", b"2", b"3", b"4"]


def test_at_most_once_sends_again_what_was_never_handed_over() -> None:
    world = World(Settings(confirm_interval=1000.0, republish=False))
    world.run()
    publish(world, b"1", b"2", b"3")
    world.settle()
    world.send(2)
    world.hang_up()
    world.run(1.0)
    assert [body for _, body in world.broker.log] == [b"3"]
    assert [event.count for event in world.events if isinstance(event, PublishesLost)] == [2]


def test_close_confirms_first() -> None:
    world = World(Settings(confirm_interval=1000.0))
    world.run()
    publish(world, b"1")
    world.session.close(world.now, 5.0)
    world.run()
    assert [type(message) for message in sent(world)][-3:] == [zeps.Publish, zeps.Ping, zeps.Detach]
    assert world.events[-1] == Detached()
    assert world.session.closed
    assert world.session.error is None


@pytest.mark.parametrize("reachable", [True, False])
def test_close_waits_no_longer_than_it_may(reachable: bool) -> None:
    world = World(Settings(attach_timeout=50.0))
    world.reachable = reachable
    world.run()
    world.alive = False
    publish(world, b"1")
    world.session.close(world.now, 3.0)
    world.run(2.9)
    assert not world.session.closed
    world.run(0.4)
    assert world.session.closed


def test_close_without_a_connection() -> None:
    world = World()
    world.reachable = False
    world.settle()
    world.session.disconnected(world.now, "nobody listens there")
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
        world.broker.store("k", bytes(83))  # 100 octets as a DELIVER
    world.session.subscribe(world.now, "", 0)
    world.run(5.0, consume=False)
    assert len(world.messages) == 10  # and quiet grants nothing while the application has something to read
    world.session.consumed(world.now, 400)
    world.run(5.0, consume=False)
    assert len(world.messages) == 10
    world.session.consumed(world.now, 100)
    world.run(0.0, consume=False)
    assert len(world.messages) == 15
    world.waiting = 1000
    world.run(0.0)
    assert len(world.messages) == 100


def test_a_message_longer_than_the_window_arrives() -> None:
    world = World(Settings(window=1000, quiet=0.5))
    world.broker.store("k", bytes(5000))
    world.broker.store("k", bytes(16_777_216))
    world.session.subscribe(world.now, "", 0)
    world.run(0.4)
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
    world.session.subscribe(world.now, "", 0)
    world.run(100.0)
    assert sum(isinstance(message, zeps.Credit) for message in sent(world)) == 2


def test_subscribing_again_to_the_same_is_confirmed_at_once() -> None:
    world = World()
    world.session.subscribe(world.now, "a", 0)
    world.run(1.0)
    world.session.subscribe(world.now, "a", 5)
    world.run(1.0)
    assert world.events[-1] == Subscribed("a", again=True)
    assert sum(isinstance(message, zeps.Subscribe) for message in sent(world)) == 1


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
    ):
        with pytest.raises(ValueError, match=next(iter(bad))):
            Settings(**bad)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        Settings(windows=1)  # type: ignore[call-arg]


def stocked(count: int, options: Settings | None = None) -> World:
    """A world whose stream has so many messages."""
    world = World(options)
    for number in range(1, count + 1):
        world.broker.store("ab"[number % 2], b"%d" % number)
    return world


def got(world: World) -> list[int]:
    return [message.sequence for message in world.messages]


def gaps(world: World) -> list[Missing | StreamReset]:
    return [event for event in world.events if isinstance(event, Missing | StreamReset)]


def subscribes(world: World) -> list[tuple[str, int]]:
    return [(each.pattern, each.latest) for each in sent(world) if isinstance(each, zeps.Subscribe)]


def test_a_notice_of_a_gap_is_an_event_and_delivery_goes_on() -> None:
    world = stocked(10)
    world.broker.damaged = {5, 6, 10}
    world.session.subscribe(world.now, "", 2)
    world.run(1.0)
    assert got(world) == [3, 4, 7, 8, 9]
    assert gaps(world) == [Missing(5, 6, "damage"), Missing(10, 10, "damage")]
    world.hang_up()
    world.run(1.0)
    assert subscribes(world) == [
        ("", 2),
        ("", 10),
    ]  # a notice counts like a message: it is not asked for again
    assert gaps(world)[2:] == []
    assert world.session.sessions == 2


def test_retention_that_overtakes_a_session_without_credit() -> None:
    world = stocked(10, Settings(window=40, credit_delay=0.0))
    world.session.subscribe(world.now, "", 1)
    world.run(0.0, consume=False)
    assert got(world) == [2, 3]
    world.broker.expire(7)
    world.run(0.0, consume=False)
    assert gaps(world) == [Missing(4, 7, "retention")]  # it costs no credit
    world.waiting = 40
    world.run(1.0)
    assert got(world) == [2, 3, 8, 9, 10]
    assert world.session.sessions == 1


def test_a_start_that_is_no_longer_retained() -> None:
    world = stocked(6)
    world.broker.expire(6)
    result = world.session.subscribe(world.now, "", 2)
    world.run(1.0)
    assert (result.done, result.error) == (True, None)
    assert world.events == [Attached(False), Missing(3, 6, "not-retained"), Subscribed("")]
    world.hang_up()
    world.run(1.0)
    assert subscribes(world) == [("", 2), ("", 6), ("", 6)]
    world.broker.store("k", b"new")
    world.run(1.0)
    assert got(world) == [7]
    assert gaps(world)[1:] == []


def test_retention_while_there_is_no_session() -> None:
    world = stocked(5)
    world.session.subscribe(world.now, "", 1)
    world.run(1.0)
    world.reachable = False
    world.hang_up()
    for _ in range(20):
        world.broker.store("k", b"")
    world.broker.expire(18)
    world.drained()
    assert got(world) == [2, 3, 4, 5, *range(19, 26)]
    assert gaps(world) == [Missing(6, 18, "not-retained")]


def test_starts_that_are_no_longer_retained_are_read_in_one_pass_all_the_same() -> None:
    world = stocked(20, Settings(credit_delay=0.0))
    world.broker.expire(10)
    for pattern, latest in (("a", 2), ("b", 2), ("", 4)):
        world.session.subscribe(world.now, pattern, latest)
    world.run(1.0)
    assert subscribes(world) == [("a", 2), ("b", 2), ("", 4), ("a", 10), ("b", 10), ("", 10)]
    commands = sent(world)
    assert commands.index(zeps.Credit(credit=1 << 20)) > commands.index(zeps.Subscribe(pattern="", latest=10))
    assert gaps(world) == [Missing(3, 10, "not-retained"), Missing(5, 10, "not-retained")]
    assert got(world) == list(range(11, 21))


def test_two_requests_for_one_pattern_that_are_both_refused_for_their_points() -> None:
    world = stocked(20)
    world.run()
    world.broker.expire(10)
    results = [world.session.subscribe(world.now, "a", latest) for latest in (5, 3)]
    world.run(1.0)
    assert [(each.done, each.error) for each in results] == [(True, None)] * 2
    assert subscribes(world) == [("a", 5), ("a", 3), ("a", 10)]
    assert gaps(world) == [Missing(6, 10, "not-retained"), Missing(4, 10, "not-retained")]
    assert got(world) == [12, 14, 16, 18, 20]


def test_what_was_given_of_a_range_is_not_missing() -> None:
    world = stocked(20, Settings(window=100))
    world.session.subscribe(world.now, "a", 1)
    world.session.subscribe(world.now, "", 2)
    world.run(0.02, consume=False)
    assert got(world) == [2, 3, 4, 5, 6]
    world.hang_up()  # so early that the points are those that were asked for
    world.broker.expire(9)
    world.waiting = 100
    world.run(1.0)
    assert subscribes(world)[2:] == [("a", 1), ("", 2), ("", 6), ("a", 9), ("", 9)]
    assert gaps(world) == [Missing(7, 9, "not-retained")]
    assert got(world) == [2, 3, 4, 5, 6, *range(10, 21)]


def test_what_was_given_of_everything_that_is_retained() -> None:
    world = stocked(20, Settings(window=100))
    world.broker.expire(3)
    world.session.subscribe(world.now, "a", 0)
    world.session.subscribe(world.now, "", 0)
    world.run(0.02, consume=False)
    assert got(world) == [4, 5, 6, 7, 8]
    assert gaps(world) == []  # where it begins is no loss
    world.hang_up()
    world.broker.expire(9)
    world.waiting = 100
    world.run(1.0)
    assert gaps(world) == [Missing(9, 9, "not-retained")]
    assert got(world) == list(range(4, 9)) + list(range(10, 21))


def test_a_stream_that_lost_its_tail() -> None:
    world = stocked(10)
    world.session.subscribe(world.now, "a", 0)
    world.session.subscribe(world.now, "b", 0)
    world.run(1.0)
    world.broker.reset(5)
    world.broker.store("a", b"another 6")
    world.run(30.0)
    # The points lag, and the client asks from 0. But it learns that what it was given is not there.
    assert gaps(world) == [StreamReset(10, 6)]
    assert got(world) == list(range(1, 11))  # what stands up to there is taken for known
    world.broker.store("a", b"another 7")
    world.run(1.0)
    assert world.messages[-1] == Message(7, "a", b"another 7")
    assert world.session.resumption.resets == 1
    world.hang_up()
    world.run(1.0)
    assert gaps(world)[1:] == []


def test_a_stream_that_lost_its_tail_with_points_that_do_not_lag() -> None:
    world = stocked(10)
    world.session.subscribe(world.now, "", 3)
    world.run(1.0)
    world.broker.reset(5)
    world.run(30.0)
    assert gaps(world) == [StreamReset(10, 5)]
    assert subscribes(world) == [("", 3), ("", 10), ("", 5)]
    for body in (b"another 6", b"another 7"):
        world.broker.store("a", body)
    world.run(1.0)
    assert [message.body for message in world.messages[-2:]] == [b"another 6", b"another 7"]


def test_a_stream_that_was_wiped() -> None:
    world = stocked(10)
    world.session.subscribe(world.now, "", 3)
    world.run(1.0)
    world.broker.reset(0)
    world.run(30.0)
    assert gaps(world) == [StreamReset(10, 0)]
    world.broker.store("a", b"another 1")
    world.run(1.0)
    assert world.messages[-1] == Message(1, "a", b"another 1")


def test_a_start_beyond_the_end_that_only_the_user_knows() -> None:
    world = stocked(5)
    world.session.subscribe(world.now, "", 0)
    world.run(1.0)
    result = world.session.subscribe(world.now, "", 1000)
    world.run(1.0)
    assert result.done
    assert gaps(world) == []  # it is no older than what is subscribed to
    other = stocked(5)
    other.session.subscribe(other.now, "a", 1000)
    other.run(1.0)
    assert gaps(other) == [StreamReset(1000, 5)]
    assert subscribes(other) == [("a", 1000), ("a", 5)]
    other.broker.store("a", b"6")
    other.run(1.0)
    assert got(other) == [6]


@pytest.mark.parametrize("reason", ["not-retained 2 5 gone", "beyond-end 100 5 gone", "beyond-end 0 5 gone"])
def test_a_refusal_of_a_point_that_leads_nowhere(reason: str) -> None:
    """A broker that would refuse what it asks for is asked once."""
    world = World()
    world.run()
    result = world.session.subscribe(world.now, "a", 5)
    world.settle()
    world.session.receive(world.now, [zeps.Invalid(reason=reason).encode()])
    world.settle()
    assert str(result.error) == f"the broker refuses the pattern 'a': {reason}"
    assert world.events[-1] == Refused(reason, "a")
    assert world.session.open
