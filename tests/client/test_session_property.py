"""For every loss at every time: every message arrives once, in order, and no publish is lost."""

from __future__ import annotations

from campaigns import sized
from hypothesis import example, given, settings
from hypothesis import strategies as st
from model_broker import Peer
from world import World

from zeps_client.events import Missing
from zeps_client.settings import Settings
from zeps_wire import zeps
from zeps_wire.zeps import LATEST_NEW

KEYS = ("a", "ab", "b", "c", "ba")
PATTERNS = ("", "a", "ab", "b", "x")

SMALL = Settings(window=200, rate_min=1e9, credit_delay=0.0, confirm_interval=0.01, backoff_min=0.01)

_few = st.integers(1, 4)
_progress = st.tuples(st.just("pump"), st.integers(0, 5))
_line = st.one_of(*(st.tuples(st.just(name), _few) for name in ("send", "serve", "deliver", "receive")))
_loss = st.tuples(
    st.sampled_from(("hang up", "hang up", "swallow", "expire", "invalid", "detach", "unreachable")),
    st.just(0),
)
_load = st.tuples(st.sampled_from(("others", "others", "publish")), st.integers(0, len(KEYS) - 1))
_rest = st.one_of(
    st.tuples(st.sampled_from(("run", "consume", "drift")), st.just(0)),
    st.tuples(st.just("wait"), st.sampled_from((0.01, 0.2, 3.0, 11.0))),
)
_subscribe = st.tuples(st.just("subscribe"), st.integers(0, len(PATTERNS) - 1), st.integers(0, 25))
_gap = st.tuples(st.sampled_from(("retain", "retain", "damage")), st.integers(1, 40))
_subscribe_after = st.tuples(st.just("subscribe"), st.integers(0, len(PATTERNS) - 1), st.integers(1, 25))
WITHOUT = st.one_of(_progress, _progress, _line, _loss, _load, _rest)
STEPS = st.one_of(_progress, _progress, _line, _loss, _load, _rest, _subscribe)


class Run:
    """One schedule, and the application's expectations."""

    def __init__(self, options: Settings, before: int = 0) -> None:
        self.world = World(options)
        self.asked: list[tuple[str, int]] = []
        self.published: list[bytes] = []
        self.invalids = 0
        self.since_reset = 0
        for number in range(before):
            self.world.broker.store(KEYS[number * number % len(KEYS)], b"b%d" % number)

    def step(self, name: str, *values: int) -> None:
        world, broker = self.world, self.world.broker
        peer: Peer | None = broker.peers.get(world.line)
        value = values[0]
        match name:
            case "others":
                broker.store(KEYS[value], b"o%d" % broker.end)
            case "publish":
                body = b"p%d" % len(self.published)
                self.published.append(body)
                world.publish(body, key=KEYS[value])
            case "subscribe":
                self.subscribe(PATTERNS[value], min(values[1], broker.end))
            case "hang up":
                world.hang_up()
            case "swallow":
                world.alive = False
            case "expire" if self.invalids < 2:
                self.invalids += 1
                broker.forget(world.line)
            case "invalid" if self.invalids < 2 and world.alive and peer is not None and peer.attached:
                # A broker that refuses without a reason. After more refusals in a row, the client would accept them.
                self.invalids += 1
                broker.forget(world.line)
                world.down.append(zeps.Invalid(reason="no reason").encode())
            case "detach" if world.alive and peer is not None and peer.attached:
                world.down.append(zeps.Detach().encode())
            case "drift" if peer is not None:
                # A cursor that passes messages without a subscription without credit.
                credit, peer.credit = peer.credit, 0
                if (notice := broker.deliver(world.line)) is not None and world.alive:
                    world.down.append(notice)
                peer.credit = credit
            case "retain":
                broker.expire(value)
            case "reset":
                self.reset(min(value, broker.end))
            case "damage":
                broker.damaged.add(value)
            case "wait":
                self.wait(value)
            case "unreachable":
                world.reachable = not world.reachable
            case "pump":
                self.pump(value)
            case "send" | "serve" | "deliver" | "receive":
                getattr(world, name)(value)
            case "run":
                world.run()
                if world.session.open and world.session.resumption.waiting is None:
                    self.invalids = 0
            case "consume":
                world.consume()
        world.settle()

    def reset(self, end: int) -> None:
        """The stream ends at `end`; nothing is published before the client has learned of that."""
        world = self.world
        world.reachable = True
        world.broker.reset(end)
        world.hang_up()
        world.run(60.0)
        assert world.session.open
        self.since_reset = len(world.messages)

    def pump(self, count: int) -> None:
        """Connects if necessary, answers everything, and then delivers this many messages."""
        world = self.world
        if world.session.connect_at is not None:
            self.wait(max(0.0, world.session.connect_at - world.now))
        for _ in range(3):
            world.send()
            world.serve()
            world.receive()
        world.deliver(count)
        world.receive()
        world.consume()

    def wait(self, seconds: float) -> None:
        """Lets time pass as a host sees it: deadline by deadline."""
        end = self.world.now + seconds
        while (due := self.world.session.deadline()) is not None and due <= end:
            self.world.now = max(self.world.now, due)
            self.world.settle()
            if due == self.world.session.deadline():
                break
        self.world.now = end

    def subscribe(self, pattern: str, latest: int) -> None:
        self.asked.append((pattern, latest))
        self.world.session.subscribe(self.world.now, pattern, latest)

    def play(self, schedule: list[tuple[str, int]]) -> None:
        """Takes all steps of the schedule, ends all faults, and waits until all work is done."""
        for step in schedule:
            self.step(*step)
        self.world.drained()
        assert self.world.session.open

    @property
    def got(self) -> list[int]:
        return self.world.sequences

    @property
    def missing(self) -> set[int]:
        """Returns the sequences that the client has reported as missing."""
        gaps = self.world.events_of(Missing)
        return {sequence for gap in gaps for sequence in range(gap.first, gap.last + 1)}

    def expected(self) -> list[int]:
        """Returns the sequences that must be delivered, according to the subscriptions."""
        return self.world.broker.matching(self.asked)

    @property
    def stored(self) -> list[bytes]:
        """Returns the bodies of this client's publishes that are in the stream, in order."""
        return [body for _, body in self.world.broker.log if body.startswith(b"p")]


@given(before=st.integers(0, 25), schedule=st.lists(STEPS, max_size=60))
@settings(max_examples=sized(250, 20_000))
def test_each_message_once(before: int, schedule: list[tuple[str, int]]) -> None:
    run = Run(SMALL, before)
    run.play(schedule)
    log = run.world.broker.log
    assert sorted(run.got) == run.expected()
    assert all(log[m.sequence - 1] == (m.key, m.body) for m in run.world.messages)
    assert run.world.session.resumption.resets == 0


@given(
    pattern=st.sampled_from(PATTERNS),
    latest=st.integers(0, 5),
    before=st.integers(0, 25),
    schedule=st.lists(WITHOUT, max_size=60),
)
@settings(max_examples=sized(75, 20_000))
def test_one_pattern_ascends(pattern: str, latest: int, before: int, schedule: list[tuple[str, int]]) -> None:
    run = Run(SMALL, before)
    run.subscribe(pattern, min(latest, before))
    run.play(schedule)
    assert run.got == run.expected()


@given(schedule=st.lists(WITHOUT, max_size=60))
@settings(max_examples=sized(75, 20_000))
def test_new_only_misses_nothing_once_something_came(schedule: list[tuple[str, int]]) -> None:
    run = Run(SMALL)
    run.subscribe("", LATEST_NEW)
    run.play(schedule)
    got = run.got
    assert got == list(range(got[0], run.world.broker.end + 1)) if got else True


@given(schedule=st.lists(STEPS, max_size=60))
@settings(max_examples=sized(75, 20_000))
def test_nothing_published_is_lost(schedule: list[tuple[str, int]]) -> None:
    run = Run(SMALL)
    run.play(schedule)
    assert list(dict.fromkeys(run.stored)) == run.published  # the first copies are in order
    assert run.world.session.outgoing.settled == len(run.published)


@given(schedule=st.lists(STEPS, max_size=60))
@settings(max_examples=sized(75, 20_000))
def test_at_most_once_stores_nothing_twice(schedule: list[tuple[str, int]]) -> None:
    run = Run(Settings(window=200, rate_min=1e9, backoff_min=0.01, republish=False, confirm_interval=0.01))
    run.play(schedule)
    stored = run.stored
    assert len(set(stored)) == len(stored)
    reported = sum(event.count for event in run.world.events if hasattr(event, "count"))
    assert len(run.published) - len(stored) <= reported
    assert run.world.session.outgoing.settled == len(run.published)


def check_gaps(run: Run, expected: set[int]) -> None:
    """Every expected message arrived once, or is reported as missing."""
    assert len(run.got) == len(set(run.got))
    assert set(run.got) <= set(run.expected())
    assert expected - set(run.got) <= run.missing
    assert run.world.session.resumption.resets == 0


@given(
    before=st.integers(1, 25),
    schedule=st.lists(
        st.one_of(_progress, _progress, _line, _loss, _load, _rest, _gap, _subscribe_after), max_size=60
    ),
)
@settings(max_examples=sized(500, 20_000))
def test_no_gap_is_silent(before: int, schedule: list[tuple[str, int]]) -> None:
    run = Run(SMALL, before)
    run.play(schedule)
    check_gaps(run, set(run.expected()))


@given(
    patterns=st.lists(st.sampled_from(PATTERNS), min_size=1, max_size=3, unique=True),
    before=st.integers(0, 25),
    schedule=st.lists(st.one_of(_progress, _progress, _line, _loss, _load, _rest, _gap), max_size=60),
)
@settings(max_examples=sized(250, 20_000))
def test_no_gap_in_everything_retained_is_silent(
    patterns: list[str], before: int, schedule: list[tuple[str, int]]
) -> None:
    """The retained messages begin somewhere; from the first message on no message is missing silently."""
    run = Run(SMALL, before)
    for pattern in patterns:
        run.subscribe(pattern, 0)
    run.play(schedule)
    check_gaps(run, {sequence for sequence in run.expected() if run.got and sequence > min(run.got)})


@given(
    pattern=st.sampled_from(PATTERNS),
    latest=st.integers(1, 5),
    before=st.integers(5, 25),
    schedule=st.lists(st.one_of(WITHOUT, WITHOUT, _gap), max_size=60),
)
@example(  # a refused point is not a point of the session
    pattern="a", latest=1, before=5, schedule=[("retain", 2), ("run", 0), ("hang up", 0), ("retain", 5)]
)
@settings(max_examples=sized(150, 20_000))
def test_of_one_pattern_nothing_is_both_missing_and_given(
    pattern: str, latest: int, before: int, schedule: list[tuple[str, int]]
) -> None:
    run = Run(SMALL, before)
    run.subscribe(pattern, latest)
    run.play(schedule)
    check_gaps(run, set(run.expected()))
    assert not run.missing & set(run.got)
    assert run.got == sorted(run.got)
    broker = run.world.broker
    assert run.missing <= set(range(latest + 1, broker.first)) | broker.damaged


@given(schedule=st.lists(st.one_of(WITHOUT, WITHOUT, _gap), max_size=60))
@settings(max_examples=sized(150, 20_000))
def test_new_only_has_no_silent_gap_once_something_came(schedule: list[tuple[str, int]]) -> None:
    run = Run(SMALL)
    run.subscribe("", LATEST_NEW)
    run.play(schedule)
    if run.got:
        assert set(range(run.got[0], run.world.broker.end + 1)) <= set(run.got) | run.missing


@given(
    asked=st.lists(
        st.tuples(st.sampled_from(PATTERNS), st.integers(0, 30)),
        min_size=1,
        max_size=3,
        unique_by=lambda subscription: subscription[0],
    ),
    before=st.integers(0, 25),
    schedule=st.lists(st.one_of(WITHOUT, st.tuples(st.just("reset"), st.integers(0, 25))), max_size=60),
)
@settings(max_examples=sized(250, 20_000))
def test_after_a_reset_everything_that_is_new_is_given(
    asked: list[tuple[str, int]], before: int, schedule: list[tuple[str, int]]
) -> None:
    """Messages after the reported end are delivered, though other messages had these sequences before."""
    run = Run(SMALL, before)
    for pattern, latest in asked:
        run.subscribe(pattern, latest)
    for step in [*schedule, ("reset", 12)]:
        run.step(*step)
    end = run.world.broker.end
    run.play([step for step in schedule if step[0] != "reset"])
    log = run.world.broker.log
    expected = [
        (sequence, *log[sequence - 1])
        for sequence in run.world.broker.matching([(pattern, end) for pattern, _ in asked])
    ]
    messages = run.world.messages[run.since_reset :]
    assert sorted((message.sequence, message.key, message.body) for message in messages) == expected
