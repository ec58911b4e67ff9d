"""Prefixes as binding keys, and messages as AMQP messages: all matches are found, and packing is lossless."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from zeps_broker.devices.bridge.amqp_mapping import key_of, pack, topic_pattern, unpack

WORDS = st.sampled_from(
    [b"", b"a", b"stock", b"*", b"#", b"\xff", b"\xe2", "é€".encode(), b"x" * 120, b"\xfe" * 40]
)
TOPICS = st.one_of(st.lists(WORDS, max_size=5).map(b".".join), st.binary(max_size=300))


def topic_matches(pattern: str, key: str) -> bool:
    """Matches like a topic exchange of RabbitMQ; tests/system/bridge compares it with the real one."""

    def match(patterns: list[str], words: list[str]) -> bool:
        if not patterns:
            return not words
        if patterns[0] == "#":
            return any(match(patterns[1:], words[at:]) for at in range(len(words) + 1))
        return bool(words) and patterns[0] in ("*", words[0]) and match(patterns[1:], words[1:])

    return match(pattern.split("."), key.split(".") if key else [])


@pytest.mark.parametrize(
    ("prefix", "pattern"),
    [
        (b"", "#"),
        (b"st", "#"),
        (b"stock.", "stock.#"),
        (b"stock.AA", "stock.#"),
        (b"stock.AAPL.bid", "stock.AAPL.#"),
        (b".", ".#"),
        (b"a.*.b", "a.*.#"),
        (b"a.\xff.b", "a.*.#"),
        (b"x" * 252 + b".b.c", "x" * 252 + ".#"),
        (b"x" * 251 + b".b.c", "x" * 251 + ".b.#"),
        (b"x" * 254 + b".b", "#"),
    ],
)
def test_a_prefix_is_its_whole_words(prefix: bytes, pattern: str) -> None:
    assert topic_pattern(prefix) == pattern


@given(TOPICS, st.integers(0, 300))
@example(b"\xff" * 100 + b".a.b", 103)
@example("é".encode() * 126 + b".abc.d", 257)
def test_a_pattern_matches_every_key_that_begins_with_the_prefix(topic: bytes, length: int) -> None:
    pattern = topic_pattern(topic[:length])
    assert len(pattern.encode()) <= 255
    assert len(key_of(topic).encode()) <= 255
    assert topic_matches(pattern, key_of(topic))


@given(st.lists(st.one_of(TOPICS, st.binary(max_size=3)), min_size=1, max_size=4))
def test_what_is_unpacked_is_what_was_packed(frames: list[bytes]) -> None:
    packed = pack(frames)
    assert list(unpack(packed.key, packed.body, packed.sizes)) == frames


def test_a_topic_and_a_body_are_what_others_expect() -> None:
    assert pack([b"stock.AAPL", b"191"]) == ("stock.AAPL", b"191", None)
    assert pack([b"stock.AAPL 191"]) == ("stock.AAPL 191", b"stock.AAPL 191", [14])
    assert unpack("stock.AAPL", b"191", None) == [b"stock.AAPL", b"191"]
    assert unpack(b"\xff", b"191", None) == [b"\xff", b"191"]


@pytest.mark.parametrize("sizes", ["3", 3, [], [4], [-1, 4], [1.5, 1.5], [None], {"a": 3}, [1, 1]])
def test_a_header_that_makes_no_sense_is_none(sizes: object) -> None:
    assert unpack("key", b"abc", sizes) == [b"key", b"abc"]
