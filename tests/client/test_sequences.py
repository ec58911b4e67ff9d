"""The set of sequences compared with Python's own set, and its memory."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from zeps_client.sequences import SequenceSet

_run = st.tuples(st.integers(0, 200_000), st.integers(1, 9000))
_one = st.tuples(st.integers(0, 200_000), st.just(1))
_far = st.tuples(st.integers(2**64 - 70_000, 2**64 - 10_000), st.integers(1, 9000))


def add_runs(mine: SequenceSet, plain: set[int], runs: list[tuple[int, int]]) -> None:
    """Adds runs of sequences, each from `first` on, to both sets; each reports what is new."""
    for first, count in runs:
        for sequence in range(first, first + count):
            assert mine.add(sequence) is (sequence not in plain)
            plain.add(sequence)


@given(
    st.lists(st.one_of(_one, _one, _run, _far), max_size=20), st.lists(st.integers(0, 210_000), max_size=50)
)
def test_like_a_set(runs: list[tuple[int, int]], probes: list[int]) -> None:
    mine, plain = SequenceSet(), set[int]()
    add_runs(mine, plain, runs)
    assert mine.highest == max(plain, default=0)
    edges = [first + offset for first, count in runs for offset in (-1, 0, count - 1, count)]
    for sequence in probes + edges:
        assert (sequence in mine) is (sequence in plain)


@given(
    st.lists(st.one_of(_one, _run), max_size=12),
    st.integers(0, 210_000),
    st.lists(st.one_of(_one, _run), max_size=4),
)
def test_truncated_like_a_set(
    runs: list[tuple[int, int]], highest: int, later: list[tuple[int, int]]
) -> None:
    mine, plain = SequenceSet(), set[int]()
    add_runs(mine, plain, [(first + 1, count) for first, count in runs])
    assert mine.lowest == min(plain, default=0)
    mine.truncate(highest)
    plain = {sequence for sequence in plain if sequence <= highest}
    add_runs(mine, plain, [(first + 1, count) for first, count in later])
    if plain:
        assert mine.lowest == min(plain)
    for edge in {1, highest, highest + 1, *(first + count for first, count in runs + later)}:
        assert (edge in mine) is (edge in plain)
        absent = edge
        while absent in plain:
            absent += 1
        assert mine.next_absent(edge) == absent


def test_a_run_costs_next_to_nothing() -> None:
    sequences = SequenceSet()
    for sequence in range(1, 1_000_001):
        sequences.add(sequence)
    assert sequences.memory_bytes == 0
    sequences.add(2_000_000)
    assert sequences.memory_bytes < 20 * 1024
    assert all(sequence in sequences for sequence in (1, 65_535, 65_536, 999_999, 1_000_000, 2_000_000))
    assert not any(sequence in sequences for sequence in (0, 1_000_001, 1_999_999, 2_000_001))


def test_memory_is_bounded_and_says_what_it_forgot() -> None:
    sequences = SequenceSet(100_000)
    for sequence in range(3, 30_000_000, 97):
        sequences.add(sequence)
    assert 50_000 < sequences.memory_bytes <= 101_000
    assert 0 < sequences.forgotten < 30_000_000
    assert 3 not in sequences
    assert sequences.highest in sequences


def test_every_chunk_form() -> None:
    sequences = SequenceSet()
    for sequence in range(0, 131_072, 2):  # arrays, then bitmaps
        sequences.add(sequence)
    for sequence in range(1, 65_536, 2):  # fills the first chunk
        assert sequences.add(sequence)
    sequences.add(10**9)
    assert sequences.memory_bytes < 2 * 8192 + 1000
    assert 65_535 in sequences
    assert 65_537 not in sequences
    assert not sequences.add(1)
