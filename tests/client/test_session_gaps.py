"""The session alone, in virtual time: gaps, retention, and streams that lost their end or were reset."""

from __future__ import annotations

import pytest
from world import World, opened

from zeps_client.events import Attached, Message, Missing, Refused, StreamReset, Subscribed
from zeps_client.settings import Settings
from zeps_wire import zeps


def stocked(count: int, options: Settings | None = None) -> World:
    """Returns a world whose stream has this many messages."""
    world = World(options)
    for number in range(1, count + 1):
        world.broker.store("ab"[number % 2], b"%d" % number)
    return world


def gaps(world: World) -> list[Missing | StreamReset]:
    return world.events_of(Missing, StreamReset)


def subscribes(world: World) -> list[tuple[str, int]]:
    return [
        (message.pattern, message.latest)
        for message in world.sent_messages()
        if isinstance(message, zeps.Subscribe)
    ]


def test_a_notice_of_a_gap_is_an_event_and_delivery_goes_on() -> None:
    world = stocked(10)
    world.broker.damaged = {5, 6, 10}
    world.subscribe("", 2)
    assert world.sequences == [3, 4, 7, 8, 9]
    assert gaps(world) == [Missing(5, 6, "damage"), Missing(10, 10, "damage")]
    world.hang_up()
    world.run(1.0)
    assert subscribes(world) == [("", 2), ("", 10)]  # a notice counts as a message: no request of its range
    assert gaps(world)[2:] == []
    assert world.session.sessions == 2


def test_retention_that_overtakes_a_session_without_credit() -> None:
    world = stocked(10, Settings(window=40, credit_delay=0.0))
    world.session.subscribe(world.now, "", 1)
    world.run(0.0, consume=False)
    assert world.sequences == [2, 3]
    world.broker.expire(7)
    world.run(0.0, consume=False)
    assert gaps(world) == [Missing(4, 7, "retention")]  # it costs no credit
    world.waiting = 40
    world.run(1.0)
    assert world.sequences == [2, 3, 8, 9, 10]
    assert world.session.sessions == 1


def test_a_start_that_is_no_longer_retained() -> None:
    world = stocked(6)
    world.broker.expire(6)
    result = world.subscribe("", 2)
    assert (result.done, result.error) == (True, None)
    assert world.events == [Attached(False), Missing(3, 6, "not-retained"), Subscribed("")]
    world.hang_up()
    world.run(1.0)
    assert subscribes(world) == [("", 2), ("", 6), ("", 6)]
    world.broker.store("k", b"new")
    world.run(1.0)
    assert world.sequences == [7]
    assert gaps(world)[1:] == []


def test_retention_while_there_is_no_session() -> None:
    world = stocked(5)
    world.subscribe("", 1)
    world.reachable = False
    world.hang_up()
    for _ in range(20):
        world.broker.store("k", b"")
    world.broker.expire(18)
    world.drained()
    assert world.sequences == [2, 3, 4, 5, *range(19, 26)]
    assert gaps(world) == [Missing(6, 18, "not-retained")]


def test_starts_that_are_no_longer_retained_are_read_in_one_pass_all_the_same() -> None:
    world = stocked(20, Settings(credit_delay=0.0))
    world.broker.expire(10)
    for pattern, latest in (("a", 2), ("b", 2), ("", 4)):
        world.session.subscribe(world.now, pattern, latest)
    world.run(1.0)
    assert subscribes(world) == [("a", 2), ("b", 2), ("", 4), ("a", 10), ("b", 10), ("", 10)]
    commands = world.sent_messages()
    assert commands.index(zeps.Credit(credit=1 << 20)) > commands.index(zeps.Subscribe(pattern="", latest=10))
    assert gaps(world) == [Missing(3, 10, "not-retained"), Missing(5, 10, "not-retained")]
    assert world.sequences == list(range(11, 21))


def test_two_requests_for_one_pattern_that_are_both_refused_for_their_points() -> None:
    world = stocked(20)
    world.run()
    world.broker.expire(10)
    results = [world.session.subscribe(world.now, "a", latest) for latest in (5, 3)]
    world.run(1.0)
    assert [(result.done, result.error) for result in results] == [(True, None)] * 2
    assert subscribes(world) == [("a", 5), ("a", 3), ("a", 10)]
    assert gaps(world) == [Missing(6, 10, "not-retained"), Missing(4, 10, "not-retained")]
    assert world.sequences == [12, 14, 16, 18, 20]


def test_what_was_given_of_a_range_is_not_missing() -> None:
    world = stocked(20, Settings(window=100))
    world.session.subscribe(world.now, "a", 1)
    world.session.subscribe(world.now, "", 2)
    world.run(0.02, consume=False)
    assert world.sequences == [2, 3, 4, 5, 6]
    world.hang_up()  # so early that the points are the requested ones
    world.broker.expire(9)
    world.waiting = 100
    world.run(1.0)
    assert subscribes(world)[2:] == [("a", 1), ("", 2), ("", 6), ("a", 9), ("", 9)]
    assert gaps(world) == [Missing(7, 9, "not-retained")]
    assert world.sequences == [2, 3, 4, 5, 6, *range(10, 21)]


def test_what_was_given_of_everything_that_is_retained() -> None:
    world = stocked(20, Settings(window=100))
    world.broker.expire(3)
    world.session.subscribe(world.now, "a", 0)
    world.session.subscribe(world.now, "", 0)
    world.run(0.02, consume=False)
    assert world.sequences == [4, 5, 6, 7, 8]
    assert gaps(world) == []  # the start of the retained messages is not a loss
    world.hang_up()
    world.broker.expire(9)
    world.waiting = 100
    world.run(1.0)
    assert gaps(world) == [Missing(9, 9, "not-retained")]
    assert world.sequences == list(range(4, 9)) + list(range(10, 21))


def test_a_stream_that_lost_its_tail() -> None:
    world = stocked(10)
    world.session.subscribe(world.now, "a", 0)
    world.subscribe("b")
    world.broker.reset(5)
    world.broker.store("a", b"another 6")
    world.run(30.0)
    # The points lag, and the client asks from 0. But it learns that delivered messages are not there.
    assert gaps(world) == [StreamReset(10, 6)]
    assert world.sequences == list(range(1, 11))  # messages up to there count as known
    world.broker.store("a", b"another 7")
    world.run(1.0)
    assert world.messages[-1] == Message(7, "a", b"another 7")
    assert world.session.resumption.resets == 1
    world.hang_up()
    world.run(1.0)
    assert gaps(world)[1:] == []


@pytest.mark.parametrize("end", [5, 0])
def test_a_stream_that_lost_its_tail_or_all_of_it_with_points_that_do_not_lag(end: int) -> None:
    world = stocked(10)
    world.subscribe("", 3)
    world.broker.reset(end)
    world.run(30.0)
    assert gaps(world) == [StreamReset(10, end)]
    assert subscribes(world) == [("", 3), ("", 10), ("", end)]
    world.broker.store("a", b"another")
    world.broker.store("a", b"and the next")
    world.run(1.0)
    assert world.messages[-2:] == [Message(end + 1, "a", b"another"), Message(end + 2, "a", b"and the next")]


def test_a_start_beyond_the_end_that_only_the_user_knows() -> None:
    world = stocked(5)
    world.subscribe()
    result = world.subscribe("", 1000)
    assert result.done
    assert gaps(world) == []  # it is not older than the subscription
    other = stocked(5)
    other.subscribe("a", 1000)
    assert gaps(other) == [StreamReset(1000, 5)]
    assert subscribes(other) == [("a", 1000), ("a", 5)]
    other.broker.store("a", b"6")
    other.run(1.0)
    assert other.sequences == [6]


@pytest.mark.parametrize("reason", ["not-retained 2 5 gone", "beyond-end 100 5 gone", "beyond-end 0 5 gone"])
def test_a_refusal_of_a_point_that_leads_nowhere(reason: str) -> None:
    """A broker that would refuse the request is asked once."""
    world = opened()
    result = world.session.subscribe(world.now, "a", 5)
    world.settle()
    world.refuse(reason)
    assert str(result.error) == f"the broker refuses the pattern 'a': {reason}"
    assert world.events[-1] == Refused(reason, "a")
    assert world.session.open
