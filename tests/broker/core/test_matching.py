"""Matching and selecting compared with a simple oracle."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest
from core_bench import columns
from hypothesis import given
from hypothesis import strategies as st

from zeps_broker.core.columns import Columns
from zeps_broker.core.matching import STYLES, PrefixMatcher
from zeps_broker.core.settings import Settings
from zeps_broker.core.style import Matcher, Matching, PatternError
from zeps_wire.zeps import Deliver

PREFIX, REGEX = (STYLES[name](Settings()).for_stream(64) for name in ("prefix", "regex"))
LETTERS = "ab/é"
KEYS = st.text(LETTERS, max_size=5)
EXPRESSIONS = ("", "a", "^a", "b$", "a.b", "[ab]/", "^(a|é)+$", "a{2}", "^$", ".", "(?i)A", "/é?b")


def select(matcher: Matcher, block: Columns) -> Sequence[int]:
    """Returns the matcher's selection from the whole block."""
    indices, seen = matcher.select(block, range(block.count))
    assert seen == range(block.count)
    return indices


def plain(style: Matching, patterns: list[str], key: str) -> bool:
    if style is PREFIX:
        return any(key.encode().startswith(pattern.encode()) for pattern in patterns)
    return any(re.search(pattern, key) for pattern in patterns)


def encode_patterns(patterns: list[str]) -> tuple[bytes, ...]:
    return tuple(pattern.encode() for pattern in patterns)


CASES = st.one_of(
    st.tuples(st.just(PREFIX), st.lists(KEYS, min_size=1, max_size=5)),
    st.tuples(st.just(REGEX), st.lists(st.sampled_from(EXPRESSIONS), min_size=1, max_size=4)),
)


@given(CASES, st.lists(KEYS, min_size=1, max_size=300), st.binary(max_size=9), st.integers(1, 2**63))
def test_all_ways_to_match_agree(
    case: tuple[Matching, list[str]], keys: list[str], body: bytes, first: int
) -> None:
    style, patterns = case
    expected = [index for index, key in enumerate(keys) if plain(style, patterns, key)]
    block = columns(keys, [body] * len(keys), first)
    for encoded_patterns in (encode_patterns(patterns), style.reduce(encode_patterns(patterns))):
        matcher = style.matcher(encoded_patterns)
        assert list(select(matcher, block)) == expected
        assert [index for index, key in enumerate(keys) if matcher.matches(key.encode())] == expected


@given(CASES, st.lists(st.lists(KEYS, min_size=1, max_size=4), max_size=8), st.lists(KEYS, max_size=20))
def test_an_index_finds_whom_matching_finds(
    case: tuple[Matching, list[str]], sets: list[list[str]], keys: list[str]
) -> None:
    style, expressions = case
    reduced_sets = {
        number: style.reduce(encode_patterns(patterns if style is PREFIX else expressions[: number + 1]))
        for number, patterns in enumerate(sets)
    }
    index = style.index()
    for number, patterns in reduced_sets.items():
        index.add(patterns, number)
    for number in [number for number in reduced_sets if number % 3 == 2]:
        index.remove(reduced_sets.pop(number), number)
    for key in keys:
        expected = [
            n for n, patterns in reduced_sets.items() if style.matcher(patterns).matches(key.encode())
        ]
        assert sorted(index.find(key.encode())) == expected


@given(st.lists(KEYS, max_size=8), KEYS)
def test_a_reduced_set_is_canonical_and_equal(patterns: list[str], key: str) -> None:
    reduced = PREFIX.reduce(encode_patterns(patterns))
    assert PREFIX.reduce(reversed(reduced)) == reduced
    assert any(key.encode().startswith(p) for p in reduced) == plain(PREFIX, patterns, key)
    assert not any(a != b and a.startswith(b) for a in reduced for b in reduced)


@given(
    st.lists(
        st.tuples(KEYS, st.sampled_from(("", "frame", "key", "head", "frame+"))), min_size=130, max_size=160
    ),
    st.lists(KEYS.filter(bool), min_size=1, max_size=3),
)
def test_comparing_whole_blocks_is_not_fooled_by_bodies(
    messages: list[tuple[str, str]], patterns: list[str]
) -> None:
    """Bodies that contain whole frames, heads and keys."""
    fake = Deliver(7, patterns[0] + "zz", b"").encode()
    contents = {"": b"", "frame": fake, "key": patterns[0].encode(), "head": fake[:3], "frame+": fake[:12]}
    keys = ["-"] * 64 + [key for key, _ in messages]
    bodies = [b""] * 64 + [contents[kind] for _, kind in messages]
    block = columns(keys, bodies)
    matcher = PrefixMatcher(encode_patterns(patterns))
    expected = [index for index, key in enumerate(keys) if plain(PREFIX, patterns, key)]
    assert list(select(matcher, columns(["-"]))) == []
    assert list(select(matcher, block)) == expected


def test_everything_is_a_range() -> None:
    block = columns(["a", "ab", "b"])
    assert select(PREFIX.matcher((b"",)), block) == range(3)
    assert select(PREFIX.matcher((b"a", b"b")), block) == range(3)
    assert select(REGEX.matcher((b"",)), block) == range(3)


@pytest.mark.parametrize("pattern", ["(", "a{2", "*", "[", "\\1", "(?=a)", "((((a{100}){100}){100}){100}"])
def test_a_pattern_outside_the_syntax_is_refused(pattern: str) -> None:
    if pattern == "a{2":  # RE2 takes it literally, as Perl does
        REGEX.check(pattern.encode(), ())
        return
    with pytest.raises(PatternError, match="not a regular expression"):
        REGEX.check(pattern.encode(), ())
    PREFIX.check(pattern.encode(), ())


def test_expressions_run_in_linear_time() -> None:
    matcher: Any = REGEX.matcher((b"^(a*)*$",))
    assert not matcher.matches(b"a" * 254 + b"!")


@given(st.lists(st.tuples(KEYS, st.binary(max_size=20)), min_size=1, max_size=20), st.data())
def test_columns_cut_frames_where_they_are(messages: list[tuple[str, bytes]], data: st.DataObject) -> None:
    frames = [Deliver(n, key, body).encode() for n, (key, body) in enumerate(messages, 5)]
    block = columns([key for key, _ in messages], [body for _, body in messages], 5)
    low = data.draw(st.integers(0, len(frames)))
    high = data.draw(st.integers(0, len(frames)))
    assert block.frames(low, high) == frames[low:high]
    assert [block.data[start:end] for start, end in block.places(range(low, block.count))] == frames[low:]
    assert block.keys() == [key.encode() for key, _ in messages]
    assert (block.first, block.last) == (5, 4 + len(frames))
