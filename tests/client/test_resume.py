"""Resumption alone, with the model of a broker: its points, and that losses have no visible effect."""

from __future__ import annotations

from collections import deque
from itertools import takewhile

import pytest
from campaigns import sized
from hypothesis import given, settings
from hypothesis import strategies as st
from model_broker import ModelBroker

import zeps_client.resume
from zeps_client.errors import SubscribeRefused
from zeps_client.results import SubscribeResult
from zeps_client.resume import Plan, Resumption
from zeps_wire import zeps
from zeps_wire.zeps import LATEST_NEW

KEYS = ("a", "ab", "b", "c", "ba", "abc")
PATTERNS = ("", "a", "ab", "b", "abc", "c")


class Line:
    """A resumption and a broker connected only by a queue."""

    def __init__(self, before: int, *, drift: bool) -> None:
        self.broker = ModelBroker()
        self.resumption = Resumption()
        self.asked: list[tuple[str, int]] = []
        self.got: list[int] = []
        self.down: deque[bytes] = deque()
        self._drift = drift
        for number in range(before):
            self.publish(number * 7 + number // 3)
        self.attach()

    def publish(self, key: int) -> None:
        self.broker.store(KEYS[key % len(KEYS)], b"")

    def attach(self) -> None:
        """Starts a new session; everything under way is lost."""
        self.down.clear()
        self._handle(zeps.Attach(stream="s"))
        self.down.clear()
        for number, (pattern, latest) in enumerate(self.resumption.plan().subscriptions):
            self._handle(zeps.Subscribe(pattern=pattern, latest=latest))
            if self._drift and number == 0:
                self.publish(4)
                self.broker.deliver("c")  # without credit: moves the cursor only
        if len(self.resumption):
            self._handle(zeps.Credit(credit=1 << 40))

    def _handle(self, message: zeps.Message) -> None:
        self.down.extend(self.broker.handle("c", message.encode()))

    def subscribe(self, pattern: str, latest: int) -> None:
        latest = min(latest, self.broker.end)
        together = self.broker.peers["c"].credit == 0
        self.asked.append((pattern, latest))
        if self.resumption.subscribe(pattern, latest, together=together):
            self._handle(zeps.Subscribe(pattern=pattern, latest=latest))
            self._handle(zeps.Credit(credit=1 << 40))

    def bring(self, count: int) -> None:
        """The broker delivers this many messages; they wait in the queue."""
        self.down.extend(takewhile(bool, (self.broker.deliver("c") for _ in range(count))))

    def read(self, count: int = 10_000) -> None:
        for _ in range(min(count, len(self.down))):
            message = zeps.decode(self.down.popleft())
            if isinstance(message, zeps.SubscribeOk):
                self.resumption.confirmed()
            elif isinstance(message, zeps.Deliver) and self.resumption.take(message.sequence):
                self.got.append(message.sequence)

    def pump(self, count: int = 10_000) -> None:
        """The broker delivers this many messages, and the client reads everything."""
        self.bring(count)
        self.read()

    def step(self, name: str, first: int, second: int) -> None:
        match name:
            case "subscribe":
                self.subscribe(PATTERNS[first % len(PATTERNS)], second)
            case "publish":
                self.publish(first)
            case "bring":
                self.bring(first)
                self.read(first)
            case "queue":
                self.bring(first)
            case "read":
                self.read(first)
            case "lose":
                self.attach()

    def play(self, schedule: list[tuple[str, int, int]]) -> None:
        """Takes all steps of the schedule, and reads all messages; then no message is missing or repeated."""
        for step in schedule:
            self.step(*step)
        self.pump()
        self.attach()
        self.pump()
        assert sorted(self.got) == self.broker.matching(self.asked)
        assert self.resumption.resets == 0


NAMES = ("subscribe", "bring", "bring", "queue", "read", "lose", "publish")
SCHEDULES = st.lists(st.tuples(st.sampled_from(NAMES), st.integers(0, 6), st.integers(0, 20)), max_size=25)


@given(before=st.integers(0, 20), schedule=SCHEDULES)
@settings(max_examples=sized(250, 20_000))
def test_no_loss_shows(before: int, schedule: list[tuple[str, int, int]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(zeps_client.resume, "PROBATION", 0)
        Line(before, drift=False).play(schedule)


@given(before=st.integers(0, 20), schedule=SCHEDULES)
@settings(max_examples=sized(125, 20_000))
def test_not_even_if_the_cursor_moves_between_subscriptions(
    before: int, schedule: list[tuple[str, int, int]]
) -> None:
    Line(before, drift=True).play(schedule)


def plan(resumption: Resumption) -> tuple[tuple[str, int], ...]:
    return resumption.plan().subscriptions


def confirmed(pattern: str, latest: int = 0) -> Resumption:
    """Returns the resumption of a session with one confirmed subscription."""
    resumption = Resumption()
    resumption.subscribe(pattern, latest, together=True)
    assert plan(resumption) == ((pattern, latest),)
    assert resumption.confirmed() == pattern
    return resumption


def taken(resumption: Resumption, *sequences: int) -> list[bool]:
    """Returns of each message whether it is new."""
    return [resumption.take(sequence) for sequence in sequences]


def test_one_pattern_goes_on_after_its_last_message() -> None:
    resumption = confirmed("a", 7)
    assert taken(resumption, 9, 12) == [True, True]
    assert plan(resumption) == (("a", 12),)


def test_patterns_are_asked_for_from_the_lowest_on() -> None:
    resumption = Resumption()
    resumption.plan()
    for pattern, latest in (("a", 30), ("b", LATEST_NEW), ("c", 10), ("d", 20)):
        assert resumption.subscribe(pattern, latest, together=True)
    assert plan(resumption) == (("c", 10), ("d", 20), ("a", 30), ("b", LATEST_NEW))


def test_a_fill_in_progress_goes_on_where_it_was() -> None:
    line = Line(20, drift=False)
    line.subscribe("a", 0)
    line.pump()
    before = len(line.got)
    line.subscribe("", 0)
    line.pump(3)
    assert len(line.got) == before + 3
    assert line.resumption.points == {"a": max(line.got), "": line.got[-1]}
    line.attach()
    line.pump()
    assert sorted(line.got) == list(range(1, 21))
    assert line.resumption.repeats > 0


def test_nothing_says_anything_about_a_subscription_that_is_not_confirmed() -> None:
    resumption = confirmed("a")
    resumption.take(5)
    assert resumption.subscribe("b", 2, together=False)
    resumption.take(9)
    assert resumption.points == {"a": 9, "b": 2}
    resumption.confirmed()
    assert resumption.points == {"a": 9, "b": 2}
    resumption.take(3)
    assert resumption.points == {"a": 9, "b": 3}


def test_the_second_of_two_fills_waits_for_proof() -> None:
    resumption = confirmed("a")
    resumption.take(50)
    for pattern in ("b", "c"):
        resumption.subscribe(pattern, 0, together=False)
        resumption.confirmed()
    resumption.take(10)  # of b, or of c if b adds nothing
    assert resumption.points == {"a": 50, "b": 10, "c": 0}
    resumption.take(4)  # out of order: so b is complete
    assert resumption.points == {"a": 50, "b": 10, "c": 4}
    resumption.take(60)
    assert resumption.points == {"a": 60, "b": 60, "c": 60}


def test_the_same_again_brings_nothing_unless_it_is_older() -> None:
    resumption = Resumption()
    assert resumption.subscribe("a", 10, together=True)
    assert not resumption.subscribe("a", 10, together=True)
    assert not resumption.subscribe("a", LATEST_NEW, together=True)
    assert resumption.subscribe("a", 3, together=True)
    assert plan(resumption) == (("a", 3),)


def test_new_only_has_no_point_until_something_comes() -> None:
    resumption = Resumption()
    resumption.subscribe("a", LATEST_NEW, together=True)
    assert resumption.plan() == Plan((("a", LATEST_NEW),), ())
    resumption.confirmed()
    assert resumption.plan() == Plan((("a", LATEST_NEW),), ("a",))
    resumption.confirmed()
    resumption.take(70)
    assert resumption.plan() == Plan((("a", 70),), ())


def test_new_only_beside_a_replay_begins_no_later_than_what_came() -> None:
    resumption = confirmed("a")
    resumption.take(5)
    resumption.subscribe("b", LATEST_NEW, together=False)
    resumption.take(6)
    resumption.confirmed()
    assert resumption.points == {"a": 6, "b": None}
    resumption.take(8)
    assert resumption.points == {"a": 8, "b": 8}


def test_beyond_the_end_means_from_now_on() -> None:
    resumption = confirmed("", 1000)
    assert taken(resumption, 6, 7) == [True, True]
    assert resumption.resets == 0
    assert plan(resumption) == (("", 7),)


def test_a_stream_that_began_again_is_followed() -> None:
    resumption = confirmed("")
    taken(resumption, *range(1, 101))
    assert plan(resumption) == (("", 100),)
    resumption.confirmed()
    assert taken(resumption, 4, 5) == [True, True]
    assert resumption.resets == 1
    assert plan(resumption) == (("", 5),)


def test_out_of_order_in_one_pass_is_not_trusted() -> None:
    resumption = confirmed("a")
    assert taken(resumption, 5, 9, 7) == [True, True, True]
    # the first to learn what retention has removed, the last to learn whether the stream still ends there
    assert plan(resumption) == (("a", 1), ("a", 0), ("a", 9))
    assert resumption.learns
    assert resumption.refused("not-retained 2 3 gone") == "a"
    assert not resumption.learns
    assert resumption.confirmed() == "a"
    assert resumption.learns
    assert resumption.confirmed() is None
    assert taken(resumption, 5, 6, 7, 9, 10) == [False, True, False, False, True]


def test_a_refused_pattern_is_forgotten() -> None:
    resumption = Resumption()
    resumption.subscribe("(", 0, together=True)
    resumption.plan()
    assert resumption.waiting == "("
    assert resumption.refused("no") == "("
    assert plan(resumption) == ()
    assert "(" not in resumption


@pytest.mark.parametrize("latest", [20, LATEST_NEW])
def test_an_extension_that_ends_sessions_leaves_the_confirmed_subscription(latest: int) -> None:
    resumption = confirmed("a", latest)
    taken(resumption, 30, 40)
    result = SubscribeResult()
    resumption.subscribe("a", 10, result, together=False)
    assert plan(resumption)[0] == ("a", 10)
    resumption.forget(SubscribeRefused("a", "no"))
    assert isinstance(result.error, SubscribeRefused)
    assert plan(resumption)[0] == ("a", latest)
    if latest == 20:
        assert taken(resumption, 30, 40, 50) == [False, False, True]
    resumption.forget(SubscribeRefused("a", "no"))
    assert "a" not in resumption


def test_points_of_several_patterns_stand_still_for_a_while() -> None:
    line = Line(0, drift=False)
    for pattern in ("c", "a", "b"):
        line.resumption.subscribe(pattern, 0, together=True)
    line.attach()
    broker = line.broker
    broker.peers["c"].credit = 0
    broker.peers["c"].history.clear()  # as if the broker handled the second and third SUBSCRIBE late
    broker.handle("c", zeps.Subscribe(pattern="c", latest=0).encode())
    for key in ("b", "a", "c"):
        broker.store(key, b"")
    assert broker.deliver("c") is None  # has passed b and a
    for pattern in ("a", "b"):
        broker.handle("c", zeps.Subscribe(pattern=pattern, latest=0).encode())
    broker.handle("c", zeps.Credit(credit=1 << 40).encode())
    line.pump(1)
    assert line.got == [2]  # and 1 is still to come
    line.attach()
    line.pump()
    assert line.got == [2, 1, 3]
    for _ in range(zeps_client.resume.PROBATION):
        line.publish(0)
    line.pump()
    assert set(line.resumption.points.values()) == {broker.end}
