"""Regular expressions: the limits of their cost, and the accounts that are charged."""

from __future__ import annotations

import pytest
from core_bench import ALL, NEW, PLENTY, Bench, MakeBench, columns
from hypothesis import given
from hypothesis import strategies as st

from zeps_broker.core import regex
from zeps_broker.core.matching import STYLES
from zeps_broker.core.settings import Settings
from zeps_broker.core.style import WORK_PER_STEP, Matching, TooManyPatternsError
from zeps_wire import zeps
from zeps_wire.zeps import Invalid, Publish, Subscribe, SubscribeOk

HOSTILE = "(?:a?){300}x"
"""For any byte `a` all of its instructions are visited."""


@pytest.fixture
def matching() -> Matching:
    return STYLES["regex"](Settings()).for_stream(1000)


@pytest.fixture
def regex_bench(make_bench: MakeBench) -> Bench:
    return make_bench(match="regex")


def hold_all(matching: Matching, patterns: list[bytes]) -> None:
    for pattern in patterns:
        matching.check(pattern, ())
        matching.hold(pattern)


# limits


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (r"\pL{40}", "is too large: RE2 needs more than 1280 instructions"),
        ("(?:a?){900}", "is too large: RE2 needs more than 1280 instructions"),
        ("[" + r"\pL" * 17 + "]", "has more than 16 classes of Unicode"),
    ],
)
def test_a_large_pattern_is_refused(regex_bench: Bench, pattern: str, text: str) -> None:
    regex_bench.attach("a")
    regex_bench.say("a", Subscribe(pattern, NEW), Subscribe(r"^\pL+$", NEW))
    refusal, granted = regex_bench.take("a")
    assert refusal.reason.startswith(f"bad-pattern the regular expression {text}")
    assert granted == SubscribeOk()


def subscribe_until_refused(bench: Bench, peer: str, number: int) -> tuple[int, str]:
    """Returns how many patterns are granted, and the reason of the refusal."""
    for count in range(100):
        bench.say(peer, Subscribe(f"{HOSTILE}{number}{count}", NEW))
        (answer,) = bench.take(peer)
        if isinstance(answer, Invalid):
            return count, answer.reason
    raise AssertionError("no limit")


def test_the_patterns_of_a_session_and_of_a_stream_are_limited(make_bench: MakeBench) -> None:
    bench = make_bench(match="regex", regex_session_weight_max=2048)
    granted = []
    for number, peer in enumerate("abc"):
        bench.attach(peer)
        granted.append(subscribe_until_refused(bench, peer, number))
    assert [count for count, _ in granted] == [3, 3, 0]
    assert granted[0][1].startswith("too-many-subscriptions the regular expressions of this session")
    assert granted[2][1].startswith("too-many-subscriptions the regular expressions of this stream")
    bench.attach("d", Subscribe(f"{HOSTILE}01", NEW), PLENTY)  # the stream has it
    bench.say("a", zeps.Detach())
    bench.take("c")
    assert subscribe_until_refused(bench, "c", 2)[0] == 2, (
        "patterns held only by the session that left are free"
    )
    bench.publish("c", "a" * 20 + "x01")
    assert bench.sequences("d") == [1]


def test_the_patterns_of_all_streams_are_limited(make_bench: MakeBench) -> None:
    bench = make_bench(match="regex", regex_session_weight_max=2048, regex_weight_max=3000)
    counts = []
    for number, peer in enumerate("ab"):
        bench.attach(peer, stream=peer)
        counts.append(subscribe_until_refused(bench, peer, 0))
        assert counts[number][0] == [3, 1][number]
    assert counts[1][1].startswith("too-many-subscriptions the regular expressions of this broker")


def test_the_limits_are_settings(make_bench: MakeBench) -> None:
    bench = make_bench(
        match="regex", regex_program_max=700, regex_session_weight_max=1300, regex_stream_weight_max=2000
    )
    bench.attach("a")
    bench.say("a", Subscribe("(?:a?){400}x", NEW))
    (answer,) = bench.take("a")
    assert answer.reason.startswith("bad-pattern the regular expression is too large")
    assert "more than 700 instructions" in answer.reason
    bench.attach("b")
    assert subscribe_until_refused(bench, "a", 0)[0] == 2
    count, reason = subscribe_until_refused(bench, "b", 1)
    assert count == 1
    assert "this stream would need more than 2000 instructions" in reason


def test_idle_groups_do_not_keep_patterns_of_sessions_that_left(regex_bench: Bench) -> None:
    bench = regex_bench
    bench.attach("b")
    bench.attach("a", Subscribe("^x", NEW), Subscribe("y$", NEW), PLENTY, settle=True)
    assert bench.broker.stats()["groups"] > 0
    bench.say("a", zeps.Detach())
    assert bench.broker.stats()["groups"] == 0
    work = bench.broker.session("b").stream.matching.work
    bench.publish("b", "a" * 250)
    assert bench.broker.session("b").stream.matching.work - work < 100, "no pattern was searched"


# compiling


def count_compiled(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    compiled: list[bytes] = []
    compile_ = regex._compile
    monkeypatch.setattr(regex, "_compile", lambda *call: compiled.append(call[0]) or compile_(*call))
    return compiled


def test_a_pattern_is_compiled_once(monkeypatch: pytest.MonkeyPatch, regex_bench: Bench) -> None:
    """For all sessions, spans and streams."""
    compiled = count_compiled(monkeypatch)
    bench = regex_bench
    bench.publish("p", *(f"{n % 10}{n}" for n in range(100)))
    for stream in "st":
        for peer in "ab":
            bench.attach(peer + stream, stream=stream)
            for number in range(10):
                bench.say(peer + stream, Subscribe(f"^{number}", 90 - 9 * number if stream == "s" else NEW))
            bench.say(peer + stream, PLENTY)
    bench.settle()
    assert sorted(compiled) == [b"^%d" % number for number in range(10)]
    bench.say("as", zeps.Detach())
    bench.attach("as", Subscribe("^1", NEW))
    assert len(compiled) == 10


def test_the_cache_of_compiled_patterns_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regex, "CACHE_WEIGHT_MAX", 200)
    compiled = count_compiled(monkeypatch)
    style = regex.Regex(Settings())
    for number in range(50):
        style.program(b"%d" % number)
    style.program(b"49")
    assert len(compiled) == 50
    style.program(b"0")
    assert len(compiled) == 51


@pytest.mark.parametrize(
    ("cheap", "dear"),
    [(b"a", rb"\pL"), (rb"\pL", rb"\pL\PL\pL"), (b"a{2}", b"a{500}"), (b"abc", b"(?i)" + rb"\W" * 100)],
)
def test_the_cost_of_a_pattern_follows_what_is_dear(cheap: bytes, dear: bytes) -> None:
    style = regex.Regex(Settings())
    assert 0 < style.cost(cheap) < style.cost(dear) < 1000
    style.program(cheap)
    assert style.cost(cheap) == 1
    assert STYLES["prefix"](Settings()).cost(dear) == 0


# searching


def test_a_new_key_costs_no_more_than_the_weight_of_the_stream(matching: Matching) -> None:
    index = matching.index()
    patterns = [b"(?:a|b)*a(?:a|b){9}%d" % number for number in range(150)]
    hold_all(matching, patterns)
    for number, pattern in enumerate(patterns):
        index.add((pattern,), number)
    with pytest.raises(TooManyPatternsError):
        hold_all(matching, [b"(?:a|b)*a(?:a|b){9}c%d" % number for number in range(50)])
    index.find(b"ab" * 127)
    assert matching.work <= 256 * Settings().regex_stream_weight_max


def test_a_new_pattern_costs_one_search_in_a_known_key(matching: Matching) -> None:
    index = matching.index()
    patterns = [b" %d(?:a?){20}x" % number for number in range(20)]
    hold_all(matching, patterns)
    for number, pattern in enumerate(patterns[:19]):
        index.add((pattern,), number)
    assert index.find(b"a" * 100 + b" 3x") == [3]
    all_but_one = matching.work
    index.add((patterns[19],), 19)
    assert index.find(b"a" * 100 + b" 3x") == [3]
    assert matching.work - all_but_one < all_but_one / 10


def test_a_key_is_searched_once_for_live_messages_and_for_replays(matching: Matching) -> None:
    hold_all(matching, [b"x$", b"y$"])
    index = matching.index()
    index.add((b"x$", b"y$"), "member")
    index.find(b"k" * 200)
    work = matching.work
    for patterns in ((b"x$",), (b"x$", b"y$")):
        assert not matching.matcher(patterns).matches(b"k" * 200)
    assert matching.work - work < 200


def test_patterns_come_and_go(matching: Matching) -> None:
    """Slots are reassigned, and the known results of keys with them."""
    index = matching.index()
    for number in range(500):
        pattern = b"^%d$" % number
        hold_all(matching, [pattern])
        index.add((pattern,), number)
        assert index.find(b"%d" % number) == [number]
        assert index.find(b"%d" % (number + 1)) == []
        if number >= 5:
            old = b"^%d$" % (number - 5)
            index.remove((old,), number - 5)
            assert matching.release((old,)) == {old}
            assert index.find(b"%d" % (number - 5)) == []


@given(
    st.lists(st.text("ab/", max_size=4), min_size=1, max_size=50),
    st.lists(st.sampled_from(["a", "^b", "/", "ab$", ""]), min_size=1, max_size=3),
    st.integers(0, 2000),
)
def test_selecting_piece_by_piece_selects_the_same(keys: list[str], texts: list[str], work: int) -> None:
    block = columns(keys)
    patterns = tuple(text.encode() for text in texts)
    expected, _ = regex.Regex(Settings()).for_stream(64).matcher(patterns).select(block, range(len(keys)))
    matching = regex.Regex(Settings()).for_stream(64)
    matcher = matching.matcher(patterns)
    selected: list[int] = []
    at = 0
    while at < len(keys):
        matching.limit = matching.work + work
        indices, seen = matcher.select(block, range(at, len(keys)))
        assert seen.stop > at
        selected += [index for index in indices if index >= at]
        at = seen.stop
    assert selected == list(expected)


# publishing and replaying


def test_publishing_stops_at_a_number_of_steps(regex_bench: Bench) -> None:
    bench = regex_bench
    bench.attach("a", *(Subscribe(f"{HOSTILE}{number}", NEW) for number in range(3)), PLENTY)
    stream = bench.broker.session("a").stream
    frames = [Publish(f"{number:04}" + "a" * 200, b"").encode() for number in range(500)]
    per_key = 3 * 610 * 205 // WORK_PER_STEP
    steps = stream.steps
    taken = stream.publish(frames, steps_max=10 * per_key)
    assert 5 <= taken <= 11
    assert stream.steps - steps <= 11 * per_key
    assert stream.publish(frames[:taken], steps_max=10 * per_key) == taken, "known keys cost nothing"
    assert stream.publish([*frames[:1], b"no frame"], steps_max=10**9) == 1


@pytest.mark.parametrize("live", [0, 1000])
def test_a_tick_of_replays_does_a_bounded_number_of_steps(make_bench: MakeBench, live: int) -> None:
    """The volume published in the meantime does not matter."""
    bench = make_bench(match="regex", low_gear_bytes=1 << 20)
    bench.attach("q", stream="other")
    bench.attach("p")
    for block in range(4):
        bench.publish("p", *(f"{block}{number:03}" + "a" * 200 + "x1" for number in range(100)))
    bench.attach("a", *(Subscribe(f"{HOSTILE}{number}$", ALL) for number in range(3)), PLENTY)
    stream = bench.broker.session("a").stream
    key_steps = 3 * 610 * 210 // WORK_PER_STEP + 1
    ticks = 0
    while bench.broker.timeout(bench.now) == 0:
        steps = stream.steps
        if live and ticks < 20:
            bench.publish("q", *["k"] * live, body=bytes(1000))
        bench.tick()
        assert stream.steps - steps < (1 << 20) // 4 // WORK_PER_STEP + 8 * key_steps
        ticks += 1
    assert ticks > 40
    assert bench.sequences("a") == list(range(1, 401))


def test_many_starts_take_turns(make_bench: MakeBench) -> None:
    """Each span between two starts examines all subscriptions; a tick makes only some spans."""
    bench = make_bench(match="regex", low_gear_bytes=1 << 18)
    bench.publish("p", *(f"{number % 100}" for number in range(200)))
    bench.attach("a", *(Subscribe(f"^{number}$", number + 1) for number in range(100)), PLENTY)
    bench.tick()
    assert len(bench.sequences("a")) < 50
    bench.settle()
    assert bench.broker.stats()["high_gear"] == 1


def test_a_new_group_is_not_matched_with_messages_that_wait(regex_bench: Bench) -> None:
    bench = regex_bench
    bench.attach("p")
    bench.attach("a")
    keys = [f"{number}" + "a" * 100 for number in range(200)]
    bench.handle(
        *(("p", Publish(key, b"")) for key in keys),
        ("a", Subscribe("7a", NEW)),
        ("a", Subscribe(HOSTILE, NEW)),
        ("a", PLENTY),
        *(("p", Publish(key, b"")) for key in keys),
    )
    work = bench.broker.session("a").stream.matching.work
    assert work < 1000 * 64, "the keys of the batch were not searched"
    bench.take("a")
    bench.publish("p", "7a", "b", "ax", settle=True)
    stream = bench.broker.session("a").stream
    got = bench.sequences("a")
    assert got[-2:] == [stream.end - 2, stream.end]
    assert bench.broker.stats()["high_gear"] == 1


def test_a_piece_begins_at_the_cursor_whatever_is_left_out(make_bench: MakeBench) -> None:
    """A reader of all messages except those of an earlier subscription, in a block that takes several turns."""
    bench = make_bench(match="regex", low_gear_bytes=20_000, low_gear_turn_bytes=20_000, route_keys_max=1)
    bench.publish("p", "head")
    bench.publish("p", *(f"{number % 2}{number:03}" for number in range(300)))
    bench.attach("a", Subscribe("^1", ALL), PLENTY, settle=True)
    first = bench.sequences("a")
    bench.say("a", Subscribe("", ALL), settle=True)
    granted, *second = bench.take("a")
    assert granted == SubscribeOk()
    assert len(first) == 150
    assert [message.sequence for message in second] == sorted({*range(1, 302)} - {*first})
    bench.publish("p", "1")
    assert bench.sequences("a") == [302]
