"""The reconciler: every interleaving of loss, repetition, disorder, a late start, and restarts of either flow."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from zeps_client import ALL, NEW
from zeps_client.events import Missing, StreamReset
from zeps_client.multicast.reconcile import Bounds, Reconciler
from zeps_wire.zeps import Deliver

BOUNDS = Bounds(room=2000, aside=3000, patience=0.05, silence=3.0)
BODY = bytes(100)


def message(sequence: int) -> Deliver:
    return Deliver(sequence, "ab"[sequence % 2], BODY)


class World(RuleBasedStateMachine):
    """A journal, a multicast flow with every fault, sessions that end at any time, an application at its own pace."""

    @initialize(before=st.integers(0, 30), start=st.one_of(st.just(ALL), st.just(NEW), st.integers(1, 20)))
    def begin(self, before: int, start: int) -> None:
        self.now = 0.0
        self.end = before
        self.first = 1  # the first retained sequence
        self.start = start if start == NEW else min(start, before)
        self.flight: list[int] = []
        self.cursor: int | None = None  # of the session, or None
        self.owed = False  # whether messages missing at the session's cursor must be announced: not at the start of ALL
        self.new_from: int | None = None  # for NEW: the first message that must be delivered
        self.given: list[int] = []
        self.dropped = 0
        self.missing: set[int] = set()
        self.unannounced = 0  # up to this sequence a session for everything found no messages
        self.reconciler = Reconciler(self.start, self.now, bounds=BOUNDS)
        self.look()

    # The flows

    @rule(count=st.integers(1, 12), lost=st.sets(st.integers(0, 11)))
    def publish(self, count: int, lost: set[int]) -> None:
        for place in range(count):
            self.end += 1
            if place not in lost:
                self.flight.append(self.end)

    @rule(data=st.data(), count=st.integers(1, 20))
    def arrive(self, data: st.DataObject, count: int) -> None:
        """Some messages under way arrive, in order or out of order."""
        batch, self.flight = self.flight[:count], self.flight[count:]
        if batch and data.draw(st.booleans(), "disorder"):
            batch = data.draw(st.permutations(batch), "arrives")
        self.reconciler.live(self.now, [message(sequence) for sequence in batch])

    @precondition(lambda self: self.end)
    @rule(back=st.integers(0, 40), count=st.integers(1, 10))
    def repeat(self, back: int, count: int) -> None:
        """A sent message arrives again, or arrives although it was lost; a repair, or a restarted sender."""
        low = max(1, self.end - back)
        self.reconciler.live(
            self.now, [message(sequence) for sequence in range(low, min(self.end + 1, low + count))]
        )

    @precondition(lambda self: self.cursor is not None)
    @rule(count=st.integers(1, 25))
    def history(self, count: int) -> None:
        """The session delivers more, if the client has buffer space."""
        self.bring(count)

    def bring(self, count: int) -> None:
        if self.cursor is None or not self.reconciler.has_room:
            return
        low = max(self.cursor + 1, self.first)
        if low > self.cursor + 1 and self.owed:
            if self.new_from is None and self.start == NEW:
                self.new_from = self.cursor + 1
            self.reconciler.lost(self.now, Missing(self.cursor + 1, low - 1, "retention"))
        elif not self.owed:
            self.unannounced = low - 1
        self.cursor, self.owed = low - 1, True
        high = min(self.end, low + count - 1)
        if low <= high:
            if self.new_from is None and self.start == NEW:
                self.new_from = low
            self.cursor = high
            self.reconciler.past(self.now, [message(sequence) for sequence in range(low, high + 1)])

    @rule()
    def retain(self) -> None:
        """The journal removes its older half."""
        self.first += (self.end - self.first) // 2 if self.end > self.first else 0

    @rule()
    def retain_nothing(self) -> None:
        self.first = self.end + 1

    @rule(seconds=st.sampled_from([0.01, 0.06, 3.1]))
    def pass_time(self, seconds: float) -> None:
        self.now += seconds

    @rule()
    def look(self) -> None:
        """The host checks whether a session is needed."""
        needed = self.reconciler.wants_history(self.now)
        if needed and self.cursor is None:
            self.ask()
        elif not needed:
            self.cursor = None

    @rule()
    def crash(self) -> None:
        """Broker and sender restart; the host asks again. A subscription to new messages starts anew."""
        self.flight.clear()
        if self.cursor is not None:
            self.ask()

    def ask(self) -> None:
        asked = self.reconciler.ask()
        self.cursor, self.owed = self.end if asked == NEW else asked, asked != ALL

    @rule(count=st.integers(1, 30))
    def take(self, count: int) -> None:
        self.given += [deliver.sequence for deliver in self.reconciler.take(count)]

    # Invariants

    def expected(self) -> list[int]:
        begin = self.new_from if self.start == NEW else self.start + 1
        if begin is None:
            return []
        return [sequence for sequence in range(begin, self.end + 1) if sequence not in self.missing]

    def note_missing(self) -> None:
        """Messages reported as missing were not in the journal when history passed them."""
        for event in self.reconciler.events:
            assert isinstance(event, Missing)
            assert event.reason == "retention" or (
                event.reason == "unannounced" and event.last <= self.unannounced
            )
            gone = set(range(event.first, event.last + 1))
            assert event.last < self.first
            self.missing |= gone
        self.reconciler.events.clear()

    @invariant()
    def in_order_without_repeat_or_loss(self) -> None:
        if not hasattr(self, "reconciler"):
            return
        self.note_missing()
        given = self.given + [deliver.sequence for deliver in self.reconciler.ready]
        expected = self.expected()
        if self.start == ALL and given:
            expected = [sequence for sequence in expected if sequence >= given[0]]  # retained from there
            assert given[0] <= self.first
        assert given == expected[: len(given)]

    @invariant()
    def bounded(self) -> None:
        if hasattr(self, "reconciler"):
            reconciler = self.reconciler
            assert reconciler.aside <= BOUNDS.aside
            assert len(reconciler._order) <= 2 * len(reconciler._aside) + 66
            # one read of history, and one message, may exceed the bound
            assert len(reconciler.ready) * 401 <= BOUNDS.room + 26 * 401

    def teardown(self) -> None:
        """At rest everything is delivered, and a working flow needs no session."""
        if not hasattr(self, "reconciler"):
            return
        self.flight.clear()
        self.end += 1  # the stream continues, and so does real time, without faults from now on
        for _ in range(400):
            self.now += 1.0
            self.look()
            self.bring(25)
            self.given += [deliver.sequence for deliver in self.reconciler.take(100)]
            self.reconciler.live(self.now, [message(self.end)])
            if self.given[-1:] == [self.end] and self.cursor is None:
                break
        self.in_order_without_repeat_or_loss()
        assert self.given
        assert self.given[-1] == self.end
        assert not self.reconciler.ready
        self.look()
        assert self.cursor is None


def test_every_interleaving() -> None:
    run_state_machine_as_test(World, settings=settings(stateful_step_count=40))


def sequences(reconciler: Reconciler) -> list[int]:
    return [deliver.sequence for deliver in reconciler.take(1000)]


def caught_up(**bounds: float) -> Reconciler:
    """Returns a reconciler at place 10, with a working flow, at time 0."""
    reconciler = Reconciler(10, 0.0, bounds=Bounds(**bounds))  # type: ignore[arg-type]
    reconciler.live(0.0, [message(10)])
    assert not reconciler.wants_history(0.0)
    return reconciler


def test_what_comes_in_order_needs_no_history() -> None:
    reconciler = caught_up()
    for sequence in range(11, 100):
        reconciler.live(sequence / 10, [message(sequence)])
        assert not reconciler.wants_history(sequence / 10)
    assert sequences(reconciler) == list(range(11, 100))


def test_disorder_is_waited_for_and_a_gap_is_not() -> None:
    reconciler = caught_up(patience=0.05)
    reconciler.live(1.0, [message(12), message(13)])
    assert not reconciler.wants_history(1.0)
    assert reconciler.deadline() == 1.05
    reconciler.live(1.04, [message(11)])
    assert not reconciler.wants_history(1.1)
    reconciler.live(1.2, [message(15)])
    assert sequences(reconciler) == [11, 12, 13]
    assert not reconciler.wants_history(1.24)
    assert reconciler.wants_history(1.26)
    assert reconciler.ask() == 13
    reconciler.past(1.3, [message(14)])
    assert sequences(reconciler) == [14, 15]
    assert not reconciler.wants_history(1.3)
    assert reconciler.from_history == 1


def test_silence_is_filled_by_history_until_the_flow_is_back() -> None:
    reconciler = caught_up(silence=3.0)
    assert reconciler.deadline() == 3.0
    assert reconciler.wants_history(3.0)
    assert reconciler.ask() == 10
    reconciler.past(4.0, [message(11), message(12)])
    assert reconciler.wants_history(4.0)
    reconciler.live(5.0, [message(12)])
    assert not reconciler.wants_history(5.0)


def test_a_flow_that_hangs_behind_is_silent() -> None:
    """It brings messages all the time, each ten seconds after history has brought it."""
    reconciler = caught_up(silence=3.0)
    requests = 0
    for second in range(1, 100):
        requests += reconciler.wants_history(float(second))
        reconciler.past(float(second), [message(10 + second)])
        if second > 10:
            reconciler.live(float(second), [message(second)])
    assert requests >= 95


def test_what_neither_flow_has_is_told() -> None:
    reconciler = caught_up()
    reconciler.live(1.0, [message(14)])
    assert reconciler.wants_history(2.0)
    reconciler.ask()
    reconciler.lost(2.0, Missing(11, 19, "damage"))
    reconciler.past(2.0, [message(20)])
    assert sequences(reconciler) == [14, 20]
    assert list(reconciler.events) == [Missing(11, 13, "damage"), Missing(15, 19, "damage")]


def test_what_was_brought_before_a_notice_is_given_first() -> None:
    """The application has no buffer space for it yet, and the notice has already arrived."""
    reconciler = caught_up()
    reconciler.ask()
    reconciler.lost(2.0, Missing(13, 19, "damage"))
    assert not reconciler.events
    reconciler.past(2.0, [message(11), message(12), message(20)])
    assert sequences(reconciler) == [11, 12, 20]
    assert list(reconciler.events) == [Missing(13, 19, "damage")]


def test_history_is_not_wanted_for_a_lost_end_of_the_stream() -> None:
    """Real time has announced sequence 12; then nothing is published, and nothing is retained."""
    reconciler = caught_up(aside=100)
    reconciler.live(1.0, [message(12)])
    assert reconciler.dropped == 1
    assert reconciler.wants_history(2.0)
    reconciler.ask()
    reconciler.lost(2.0, Missing(11, 12, "not-retained"))
    assert not reconciler.wants_history(2.0)
    assert list(reconciler.events) == [Missing(11, 12, "not-retained")]
    assert reconciler.place == 12


def test_a_loss_after_the_first_message_is_told_though_a_session_for_everything_announces_none() -> None:
    reconciler = Reconciler(ALL, 0.0)
    assert reconciler.ask() == ALL
    reconciler.live(0.0, [message(1)])
    reconciler.past(0.0, [message(3)])
    assert sequences(reconciler) == [1, 3]
    assert list(reconciler.events) == [Missing(2, 2, "unannounced")]


def test_a_notice_gives_the_reason_also_before_anything_was_given() -> None:
    """A session for everything begins after 1, and announces losses while real time has brought 2."""
    reconciler = Reconciler(ALL, 0.0)
    reconciler.ask()
    reconciler.live(0.0, [message(2)])
    reconciler.lost(0.0, Missing(2, 3, "retention"))
    reconciler.past(0.0, [message(4)])
    assert sequences(reconciler) == [2, 4]
    assert list(reconciler.events) == [Missing(3, 3, "retention")]


def test_where_a_stream_begins_that_retains_less_is_no_loss() -> None:
    reconciler = Reconciler(ALL, 0.0)
    reconciler.ask()
    reconciler.past(0.0, [message(500), message(501)])
    assert sequences(reconciler) == [500, 501]
    assert not reconciler.events


def test_a_stream_that_is_another_one_is_told_and_followed() -> None:
    reconciler = caught_up(silence=3.0)
    reconciler.live(1.0, [message(1)])
    reconciler.live(4.0, [message(2)])
    assert reconciler.wants_history(4.0)
    assert reconciler.ask() == 10
    reconciler.reset(4.0, 2)
    assert list(reconciler.events) == [StreamReset(10, 2)]
    assert reconciler.place == 2
    reconciler.past(4.0, [message(3)])
    reconciler.live(4.1, [message(4)])
    assert sequences(reconciler) == [3, 4]
    assert not reconciler.wants_history(5.0)


def test_a_message_too_long_to_keep_is_asked_for() -> None:
    reconciler = caught_up(aside=1000)
    reconciler.live(1.0, [Deliver(12, "a", bytes(5000))])
    assert reconciler.dropped == 1
    assert reconciler.aside == 0
    assert reconciler.wants_history(2.0)


def test_an_application_that_does_not_read_costs_a_bounded_amount() -> None:
    reconciler = caught_up(room=4000, aside=4000)
    for sequence in range(11, 2000):
        reconciler.live(1.0, [message(sequence)])
    assert not reconciler.wants_history(1.5)  # the buffer is full
    got = sequences(reconciler)
    assert got == list(range(11, 11 + len(got)))
    assert reconciler.wants_history(2.0)
    after = reconciler.ask()
    assert after == got[-1]
    for low in range(after + 1, 2000, 100):
        reconciler.past(2.0, [message(number) for number in range(low, min(low + 100, 2000))])
        got += sequences(reconciler)
    assert got == list(range(11, 2000))


def test_keys_are_filtered_here() -> None:
    reconciler = Reconciler(0, 0.0, prefix="a")
    reconciler.ask()
    reconciler.past(0.0, [message(sequence) for sequence in range(1, 5)])
    reconciler.live(0.0, [message(sequence) for sequence in range(5, 9)])
    assert sequences(reconciler) == [2, 4, 6, 8]
