"""Spans, fills and rewinding, compared with a session that examines one message at a time."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from zeps_broker.core.matching import STYLES
from zeps_broker.core.reading import Progress, Reading
from zeps_broker.core.settings import Settings

MATCHING = STYLES["prefix"](Settings()).for_stream(64)
KEYS = ("a", "ab", "b", "c")
PATTERNS = st.sampled_from(("", "a", "ab", "b", "c"))


class Plain:
    """A literal implementation of the contract: a position, subscriptions with starts, and fills sent first."""

    def __init__(self) -> None:
        self.position = 0
        self.subscriptions: list[tuple[str, int]] = []
        self.queue: list[int] = []

    def subscribe(self, pattern: str, start: int, keys: list[str]) -> None:
        before = list(self.subscriptions)
        if not before:
            self.position = start
        elif any(other == pattern and known <= start for other, known in before):
            return
        else:
            self.queue += [
                sequence
                for sequence in range(start + 1, self.position + 1)
                if keys[sequence - 1].startswith(pattern) and not self.covered(before, sequence, keys)
            ]
        self.subscriptions.append((pattern, start))

    @staticmethod
    def covered(subscriptions: list[tuple[str, int]], sequence: int, keys: list[str]) -> bool:
        return any(sequence > start and keys[sequence - 1].startswith(p) for p, start in subscriptions)

    def take(self, count: int, keys: list[str]) -> list[int]:
        """Returns the next messages, at most `count`."""
        taken: list[int] = []
        while len(taken) < count:
            if self.queue:
                taken.append(self.queue.pop(0))
            elif self.position < len(keys):
                self.position += 1
                if self.covered(self.subscriptions, self.position, keys):
                    taken.append(self.position)
            else:
                break
        return taken


def take(reading: Reading, count: int, keys: list[str]) -> list[int]:
    """Drives a reading as low gear does, but message by message, and not beyond the last message taken."""
    taken: list[int] = []
    while len(taken) < count and not reading.caught_up(len(keys)):
        span = reading.span()
        upto = len(keys) if span.upto is None else span.upto
        at = reading.cursor + 1
        assert at <= upto
        key = keys[at - 1].encode()
        included = span.includes is not None and span.includes.matches(key)
        if included and not (span.excludes is not None and span.excludes.matches(key)):
            taken.append(at)
        reading.advance(at)
    return taken


Step = tuple[str, Any, int]
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("subscribe"), PATTERNS, st.integers(0, 40)),
        st.tuples(st.just("publish"), st.lists(st.sampled_from(KEYS), max_size=6), st.just(0)),
        st.tuples(st.just("take"), st.just(""), st.integers(0, 6)),
    ),
    max_size=25,
)


def play(steps: list[Step], keys: list[str], reading: Reading, plain: Plain) -> None:
    """Makes the same steps with `reading` and with `plain`, which must take the same messages."""
    for kind, what, number in steps:
        if kind == "publish":
            keys += what
        elif kind == "subscribe":
            start = min(number, len(keys))
            plain.subscribe(what, start, keys)
            reading.subscribe(what.encode(), start)
        elif reading.subscribed:
            assert take(reading, number, keys) == plain.take(number, keys)


@given(STEPS)
def test_a_reading_brings_what_the_contract_says_in_its_order(steps: list[Step]) -> None:
    plain, reading = Plain(), Reading(MATCHING)
    play([*steps, ("take", "", 1000)], [], reading, plain)
    assert set(reading.patterns()) == set(MATCHING.reduce(p.encode() for p, _ in plain.subscriptions))
    assert len(reading) == len({pattern for pattern, _ in plain.subscriptions})


@given(STEPS, st.lists(st.integers(0, 5), max_size=6), st.data())
def test_going_back_to_any_place_brings_the_same_again(
    steps: list[Step], counts: list[int], data: st.DataObject
) -> None:
    keys: list[str] = []
    reading = Reading(MATCHING)
    play(steps, keys, reading, Plain())
    if not reading.subscribed:
        return
    places: list[tuple[Progress, list[int]]] = [
        (reading.progress(), take(reading, count, keys)) for count in counts
    ]
    rest = take(reading, 1000, keys)
    if places:
        back = data.draw(st.integers(0, len(places) - 1))
        progress, brought = places[back]
        reading.rewind(progress)
        again = [sequence for _, batch in places[back:] for sequence in batch] + rest
        assert take(reading, 1000, keys) == again
        if brought and not progress[1]:
            reading.rewind(progress, brought[0])
            assert take(reading, 1000, keys) == again[1:]


def test_a_covered_fill_reads_nothing() -> None:
    reading = Reading(MATCHING)
    reading.subscribe(b"a", 0)
    reading.advance(50)
    reading.subscribe(b"ab", 0)
    assert reading.span().include == ()


def test_asking_again_for_less_changes_nothing() -> None:
    reading = Reading(MATCHING)
    reading.subscribe(b"a", 5)
    reading.advance(9)
    reading.subscribe(b"a", 7)
    assert not reading.filling
    assert reading.position == 9
