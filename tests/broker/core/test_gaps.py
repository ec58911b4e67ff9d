"""Lost messages are announced in their place, once, and never in place of messages that can be delivered."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from core_bench import ALL, NEW, PLENTY, Bench, MakeBench, names, size
from hypothesis import given
from hypothesis import strategies as st

from zeps_broker.core.reasons import parse
from zeps_wire.zeps import Attach, Credit, Deliver, Invalid, OpenCode, Ping, Publish, Subscribe

FRAME = size("k")
Notice = tuple[str, int, int]


def history(bench: Bench, count: int, keys: Sequence[str] = ("k",)) -> None:
    """Publishes `count` messages with `keys` in turn from "p" to a stream "s"; a tick stores them in blocks."""
    bench.attach("p", *[Publish(keys[number % len(keys)], b"") for number in range(count)])
    bench.tick()


def story(bench: Bench, peer: str, *ignored: str) -> list[int | Notice]:
    """Returns the sequences and gaps sent to the peer since the last call; fails on other messages but `ignored`."""
    entries: list[int | Notice] = []
    for message in bench.take(peer):
        if isinstance(message, Deliver):
            entries.append(message.sequence)
        elif message.NAME not in ignored:
            assert isinstance(message, Invalid), message
            code, sequences, _ = parse(message.reason)
            assert sequences is not None
            entries.append((code, *sequences))
    return entries


@pytest.fixture
def bench(make_bench: MakeBench) -> Bench:
    """Returns a core whose journal can lose single messages, and that caches only one block."""
    return make_bench(block_messages_max=1, cache_bytes_max=1)


@pytest.fixture
def large_blocks(make_bench: MakeBench) -> Bench:
    """Returns a core with default settings."""
    return make_bench()


# Retention


def test_a_reader_that_retention_overtakes_is_told(bench: Bench) -> None:
    """ZEPS-RETAIN-1, ZEPS-GAP-1: once, in its place, and delivery continues in the same session."""
    bench.attach("a", Subscribe("", NEW), Credit(2 * FRAME))
    history(bench, 400)
    bench.settle()
    assert story(bench, "a") == [1, 2]
    bench.platter.tracks["s"].expire(98)
    bench.settle()
    assert story(bench, "a") == []
    bench.say("a", Credit(3 * FRAME), settle=True)
    assert story(bench, "a") == [("retention", 3, 98), 99, 100, 101]
    assert bench.broker.session("a").machine.credit == 0
    bench.say("a", PLENTY, settle=True)
    assert story(bench, "a") == [*range(102, 401)]
    assert bench.broker.stats()["high_gear"] == 1
    assert bench.broker.stats()["gaps"] == 1


def test_everything_begins_with_what_is_retained(bench: Bench) -> None:
    """ZEPS-SUBSCRIBE-2, ZEPS-GAP-2: messages removed before are not a gap; messages removed later are."""
    history(bench, 50)
    bench.platter.tracks["s"].expire(20)
    bench.attach("a", Subscribe("", ALL))
    bench.attach("b", Subscribe("", ALL), PLENTY, settle=True)
    assert story(bench, "b") == [*range(21, 51)]
    bench.platter.tracks["s"].expire(30)
    bench.say("a", PLENTY, settle=True)
    assert story(bench, "a") == [("retention", 21, 30), *range(31, 51)]


def test_a_resumption_that_comes_too_late_is_refused(bench: Bench) -> None:
    """ZEPS-RETAIN-2: the refusal names the missing range; the last sequence before the retained ones is not refused."""
    history(bench, 50)
    bench.platter.tracks["s"].expire(20)
    bench.attach("a", PLENTY)
    bench.say("a", Subscribe("", 1), Subscribe("", 19))
    assert story(bench, "a") == [("not-retained", 2, 20), ("not-retained", 20, 20)]
    bench.settle()
    bench.publish("p", "k")
    assert story(bench, "a") == []
    bench.attach("b", Subscribe("", 20), PLENTY, settle=True)
    assert story(bench, "b") == [*range(21, 52)]


def test_what_high_gear_has_had_may_go(bench: Bench) -> None:
    bench.attach("a", Subscribe("", NEW), Credit(50 * FRAME))
    history(bench, 50)
    bench.platter.tracks["s"].expire(49)
    bench.say("p", Publish("k", b""))
    assert story(bench, "a") == [*range(1, 51)]
    bench.say("a", PLENTY, settle=True)
    assert story(bench, "a") == [51]


def test_credit_that_was_too_little_may_be_enough_after_retention(bench: Bench) -> None:
    """ZEPS-GAP-1: a session that waits for a large message's credit stops waiting after retention removed it."""
    bench.attach("p", Publish("k", bytes(500)), Publish("k", b""))
    bench.attach("a", Subscribe("", ALL), Credit(FRAME), settle=True)
    bench.attach("b", Subscribe("", 1), PLENTY, settle=True)
    assert story(bench, "a") == []
    bench.platter.tracks["s"].expire(1)
    bench.tick(6.0)
    bench.settle()
    messages = [message for message in bench.take("a") if message.NAME != "PING"]
    assert names(messages) == ["INVALID", "DELIVER"]


# Damage


def test_damage_is_announced_where_it_is(bench: Bench) -> None:
    """ZEPS-DAMAGE-1: in the middle, and at the end, where no message follows."""
    history(bench, 50)
    bench.platter.tracks["s"].damaged |= {1, 11, 12, 13, 49, 50}
    bench.attach("a", Subscribe("", ALL), PLENTY)
    bench.attach("b", Subscribe("", 12), PLENTY, settle=True)
    rest = [("damage", 49, 50)]
    assert story(bench, "a") == [("damage", 1, 1), *range(2, 11), ("damage", 11, 13), *range(14, 49), *rest]
    assert story(bench, "b") == [("damage", 13, 13), *range(14, 49), *rest]
    assert bench.broker.stats()["high_gear"] == 2
    bench.publish("p", "k")
    assert story(bench, "a") == story(bench, "b") == [51]


def test_the_reasons_of_one_gap_are_announced_apart(bench: Bench) -> None:
    history(bench, 50)
    bench.attach("a", Subscribe("", 5))
    bench.platter.tracks["s"].expire(20)
    bench.platter.tracks["s"].damaged |= {21, 22, 40}
    bench.say("a", PLENTY, settle=True)
    expected = [("retention", 6, 20), ("damage", 21, 22), *range(23, 40), ("damage", 40, 40), *range(41, 51)]
    assert story(bench, "a")[1:] == expected[1:]


def test_known_keys_that_are_not_wanted_are_no_gap(large_blocks: Bench) -> None:
    """ZEPS-GAP-2: the journal knows the keys of damaged messages; only messages of a subscription are lost."""
    history(large_blocks, 9, "ab")
    large_blocks.platter.tracks["s"].damaged |= {3, 6}
    large_blocks.attach("b", Subscribe("b", ALL), PLENTY, settle=True)
    assert story(large_blocks, "b") == [2, 4, ("damage", 6, 6), 8]


# One notice for each gap


def test_subscriptions_that_begin_inside_a_gap_do_not_cut_it(large_blocks: Bench) -> None:
    history(large_blocks, 1)
    history(large_blocks, 49, "bca")
    large_blocks.platter.tracks["s"].damaged |= set(range(11, 31))
    large_blocks.attach("a", Subscribe("a", 4), Subscribe("b", 15), Subscribe("c", 25), PLENTY, settle=True)
    assert story(large_blocks, "a")[:4] == [7, 10, ("damage", 11, 30), 31]


def test_a_fill_and_what_follows_it_share_a_gap(make_bench: MakeBench) -> None:
    """The fill ends inside the gap, at the session's position; the main course continues there."""
    bench = make_bench(cache_bytes_max=1)
    history(bench, 1, "a")
    history(bench, 19, "ba")
    bench.attach("a", Subscribe("a", ALL), Credit(10 * FRAME), settle=True)
    assert story(bench, "a") == [*range(1, 21, 2)]
    bench.say("p", Publish("b", b""))
    bench.say("p", *[Publish("b", b"")] * 9)
    bench.platter.tracks["s"].damaged |= set(range(15, 25))
    bench.attach("b", Subscribe("", 24), PLENTY, settle=True)
    bench.say("a", Subscribe("b", ALL), PLENTY, settle=True)
    assert story(bench, "a", "SUBSCRIBE-OK") == [*range(2, 15, 2), ("damage", 15, 24), *range(25, 31)]


def test_a_fill_that_adds_nothing_tells_nothing(bench: Bench) -> None:
    """ZEPS-GAP-2: messages brought by an earlier subscription are not lost to a narrower one."""
    history(bench, 20)
    bench.attach("a", Subscribe("", ALL), PLENTY, settle=True)
    assert story(bench, "a") == [*range(1, 21)]
    bench.platter.tracks["s"].damaged |= {5, 6}
    bench.say("a", Subscribe("k", ALL), settle=True)
    assert names(bench.take("a")) == ["SUBSCRIBE-OK"]


# Pipes


@pytest.mark.parametrize("reports_all", [True, False])
@pytest.mark.parametrize("space", range(8))
def test_a_full_pipe_neither_loses_nor_repeats_a_notice(bench: Bench, space: int, reports_all: bool) -> None:
    bench.reports_all = reports_all
    history(bench, 8)
    bench.platter.tracks["s"].damaged |= {1, 4, 5, 8}
    bench.attach("a", Credit(4 * FRAME + 1000))
    bench.room["a"] = space
    bench.say("a", Subscribe("", ALL), Ping(), settle=True)
    for _ in range(10):
        bench.flow("a", 1)
    gaps = [("damage", 1, 1), ("damage", 4, 5), ("damage", 8, 8)]
    assert story(bench, "a", "SUBSCRIBE-OK", "PING-OK") == [gaps[0], 2, 3, gaps[1], 6, 7, gaps[2]]
    assert bench.broker.session("a").machine.credit == 1000
    assert bench.broker.stats()["gaps"] == 3


def test_a_thousand_holes_do_not_overflow_an_outbox(make_bench: MakeBench) -> None:
    bench = make_bench(block_messages_max=1, outbox_messages_max=3)
    history(bench, 2001)
    bench.platter.tracks["s"].damaged |= set(range(2, 2001, 2))
    bench.attach("a", PLENTY)
    bench.room["a"] = 3
    bench.say("a", Subscribe("", ALL))
    entries: list[int | Notice] = []
    while bench.broker.stats()["high_gear"] == 0:
        bench.settle()
        entries += story(bench, "a", "SUBSCRIBE-OK")
        bench.flow("a", 61)
    entries += story(bench, "a")
    expected: list[int | Notice] = [1]
    for sequence in range(2, 2001, 2):
        expected += [("damage", sequence, sequence), sequence + 1]
    assert entries == expected
    assert bench.broker.stats()["dropped"] == 0


def test_gaps_are_work_too(make_bench: MakeBench) -> None:
    """ZEPS-FAIR-1: a tick passes a bounded number of holes."""
    bench = make_bench(block_messages_max=1, low_gear_bytes=1000, low_gear_turn_bytes=500)
    history(bench, 401)
    bench.platter.tracks["s"].damaged |= set(range(2, 401, 2))
    bench.attach("a", Subscribe("", ALL), PLENTY)
    bench.tick()
    assert 0 < len(story(bench, "a")) < 50


# Resets


def test_what_is_beyond_the_end_is_refused(large_blocks: Bench) -> None:
    """ZEPS-SUBSCRIBE-5: the refusal names the end, subscribes to nothing. The end is a valid point, 2^64-1 is not."""
    history(large_blocks, 5)
    large_blocks.attach("a", PLENTY)
    large_blocks.say("a", Subscribe("", 6), Subscribe("", NEW - 1))
    invalid, _ = list(large_blocks.got["a"])
    assert parse(invalid.reason) == (OpenCode.BEYOND_END, (6, 6), "the stream ends at 5")
    assert story(large_blocks, "a") == [("beyond-end", 6, 6), ("beyond-end", 6, NEW - 1)]
    large_blocks.publish("p", "k", "k", settle=True)
    assert story(large_blocks, "a") == []
    large_blocks.attach("b", Subscribe("", 7), PLENTY)
    large_blocks.attach("c", Subscribe("", NEW), PLENTY)
    large_blocks.publish("p", "k", settle=True)
    assert story(large_blocks, "b") == story(large_blocks, "c") == [8]


def test_the_end_counts_what_the_same_client_published_before(large_blocks: Bench) -> None:
    large_blocks.attach("a", PLENTY)
    message = Publish("k", b"")
    large_blocks.say("a", message, message, Subscribe("", 2), Subscribe("", 3), message, settle=True)
    assert names(large_blocks.take("a")) == ["SUBSCRIBE-OK", "INVALID", "DELIVER"]


def test_a_stream_without_messages_has_an_end(large_blocks: Bench) -> None:
    large_blocks.attach("a", PLENTY)
    large_blocks.say("a", Subscribe("", 1))
    assert story(large_blocks, "a") == [("beyond-end", 1, 1)]
    large_blocks.say("a", Attach("s"), Subscribe("", ALL))
    assert names(large_blocks.take("a")) == ["ATTACH-OK", "SUBSCRIBE-OK"]


def test_what_is_read_in_between_parts_two_gaps(large_blocks: Bench) -> None:
    """A fill's last gap and the next gap are one notice only if no other fill was read between them."""
    history(large_blocks, 1, "x")
    history(large_blocks, 19, "x")
    large_blocks.platter.tracks["s"].damaged |= set(range(11, 21))
    large_blocks.attach("a", Subscribe("q", 15), Subscribe("x", 10), Subscribe("xz", 5), PLENTY, settle=True)
    assert story(large_blocks, "a") == [("damage", 11, 15), ("damage", 16, 20)]


# Everything together


def expected_story(
    keys: Sequence[str],
    lost: dict[int, str],
    knows: Callable[[int], bool],
    first: int,
    subscriptions: Sequence[tuple[str, int]],
) -> list[int | Notice]:
    """Returns the deliveries and notices for a session with these subscriptions, made before any delivery. The position
    is the start of the first subscription; additional messages of the others before it come first, in order. A message
    is not lost if no subscription can match it, or if the journal `knows` the key and no subscription matches it. A
    notice ends where a message that is not lost is examined, in any course.
    """
    starts = [first - 1 if latest == ALL else latest for _, latest in subscriptions]
    position, courses = starts[0], []
    seen: dict[str, int] = {}
    covers: list[tuple[str, int]] = []
    for (pattern, _), start in zip(subscriptions, starts, strict=True):
        known = seen.get(pattern)
        if known is not None and known <= start:
            continue
        if start < position and covers:
            courses.append(
                (pattern, start, position if known is None else min(known, position), list(covers))
            )
        seen[pattern] = start
        covers.append((pattern, start))
    entries: list[int | Notice] = []

    open_gap = False

    def walk(sequence: int, include: Sequence[str], exclude: Sequence[str]) -> None:
        nonlocal open_gap
        key = keys[sequence - 1]
        matches = key.startswith(tuple(include)) and not key.startswith(tuple(exclude))
        if sequence not in lost or not (matches or not knows(sequence)):
            open_gap = False
            if sequence not in lost and matches:
                entries.append(sequence)
            return
        before = entries[-1] if entries else 0
        gap = before if open_gap and isinstance(before, tuple) else ("", 0, 0)
        if (gap[0], gap[2]) == (lost[sequence], sequence - 1):
            entries[-1] = (gap[0], gap[1], sequence)
        else:
            entries.append((lost[sequence], sequence, sequence))
        open_gap = True

    for pattern, start, upto, earlier in courses:
        for sequence in range(start + 1, upto + 1):
            had = [other for other, at in earlier if sequence > at]
            if not pattern.startswith(tuple(had)):
                walk(sequence, (pattern,), had)
    for sequence in range(position + 1, len(keys) + 1):
        walk(sequence, [pattern for pattern, start in covers if sequence > start], ())
    return entries


@given(st.data())
def test_every_gap_is_announced_once_in_its_place(make_bench: MakeBench, data: st.DataObject) -> None:
    batch = st.lists(st.sampled_from(("a", "ab", "b")), min_size=1, max_size=4)
    batches = data.draw(st.lists(batch, min_size=1, max_size=10))
    keys = [key for batch in batches for key in batch]
    bench = make_bench(
        block_messages_max=data.draw(st.sampled_from((1, 3, 7))),
        low_gear_turn_bytes=data.draw(st.sampled_from((1, 100, 10_000))),
        cache_bytes_max=data.draw(st.sampled_from((1, 10_000))),
        outbox_messages_max=50,
    )
    bench.reports_all = data.draw(st.booleans())
    for batch in batches:
        bench.publish("p", *batch)
    track = bench.platter.tracks["s"]
    bench.attach("x")
    bench.room["x"] = 0
    bench.say("x", Ping())  # fills the pipe: nothing is read yet
    end = len(keys)
    places = st.one_of(st.just(ALL), st.integers(1, end))
    subscription = st.tuples(st.sampled_from(("", "a", "ab", "b")), places)
    subscriptions = data.draw(st.lists(subscription, min_size=1, max_size=4))
    first = bench.store.open("s").first_sequence
    bench.say("x", *[Subscribe(*subscription) for subscription in subscriptions], PLENTY)
    track.damaged |= data.draw(st.sets(st.integers(1, end)))
    track.expire(data.draw(st.integers(0, end)))
    indexed = {
        sequence
        for block in track.blocks
        for sequence in range(block.first_sequence, block.last_sequence + 1)
        if block.first_sequence % 2
    }
    lost = dict.fromkeys(track.damaged, "damage") | dict.fromkeys(range(1, track.floor + 1), "retention")
    entries: list[int | Notice] = []
    for room in [*data.draw(st.lists(st.integers(0, 5), max_size=10)), 1000]:
        bench.flow("x", room)
        entries += story(bench, "x", "SUBSCRIBE-OK", "PING-OK")
    assert entries == expected_story(keys, lost, indexed.__contains__, first, subscriptions)
