"""Connections from segments in any order: repeated, split, overlapping, missing."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeps_conformance.captures.segments import ACK, FIN, RST, SYN, Address, Segment
from zeps_conformance.captures.tcp_streams import Connection, Streams

HERE, THERE = Address(bytes((127, 0, 0, 1)), 40_000), Address(bytes((127, 0, 0, 1)), 5670)
DATA = bytes(range(256)) * 2


class Wire:
    """Segments with consecutive packet numbers."""

    def __init__(self, isn: int = 100, other_isn: int = 500, ports: frozenset[int] = frozenset()) -> None:
        self.isn, self.other_isn = isn, other_isn
        self.streams = Streams(lambda data: None, ports)
        self.packet = 0

    def add(
        self,
        flags: int,
        at: int = 0,
        payload: bytes = b"",
        acknowledged: int = 0,
        back: bool = False,
        lacking: int = 0,
    ) -> None:
        """Adds a segment from HERE, or `back` from THERE; `at` and `acknowledged` are offsets."""
        self.packet += 1
        own, other = (self.other_isn, self.isn) if back else (self.isn, self.other_isn)
        source, target = (THERE, HERE) if back else (HERE, THERE)
        sequence = (own + at + (not flags & SYN)) % (1 << 32)
        number = (other + 1 + acknowledged) % (1 << 32)
        segment = Segment(
            self.packet, float(self.packet), source, target, sequence, number, flags, 100, payload, lacking
        )
        self.streams.add(segment)

    def open(self) -> Wire:
        self.add(SYN)
        self.add(SYN | ACK, back=True)
        self.add(ACK)
        return self

    @property
    def connection(self) -> Connection:
        (connection,) = self.streams
        return connection

    @property
    def data(self) -> bytes:
        return bytes(self.connection.directions[0].data)


@given(seed=st.integers(0, 2**32), isn=st.sampled_from([100, 2**32 - 10, 2**31 - 200]))
def test_segments_in_any_order_with_overlaps_and_repetitions(seed: int, isn: int) -> None:
    rng = random.Random(seed)
    pieces = []
    at = 0
    while at < len(DATA):
        size = rng.randint(1, 60)
        pieces.append((at, at + size))
        at += size
    pieces += [(start, start + rng.randint(1, 90)) for start in rng.sample(range(len(DATA)), 5)]
    pieces += rng.sample(pieces, 5)
    rng.shuffle(pieces)
    wire = Wire(isn).open()
    first_with: dict[int, int] = {}
    for start, end in pieces:
        wire.add(ACK, start, DATA[start:end])
        first_with.setdefault(wire.packet, min(end, len(DATA)))
    direction = wire.connection.directions[0]
    assert wire.data == DATA
    assert not direction.gap
    for offset in range(len(DATA)):
        shown = next(packet for packet, end in sorted(first_with.items()) if end > offset)
        assert direction.sent_by(offset) == shown
    have: set[int] = set()
    complete = 0
    for number, (start, end) in enumerate(pieces, 4):
        have |= set(range(start, min(end, len(DATA))))
        while complete in have:
            complete += 1
            assert direction.complete_at(complete).packet == number


def test_an_acknowledgement_shows_that_bytes_had_been_sent() -> None:
    wire = Wire().open()
    wire.add(ACK, 0, b"answer", acknowledged=5, back=True)
    wire.add(ACK, 0, b"query", acknowledged=6)
    query, answer = wire.connection.directions
    assert query.sent_by(0) == answer.complete_at(6).packet == 4
    assert query.complete_at(5).packet == 5


def test_without_syn_it_has_not_begun() -> None:
    wire = Wire()
    wire.add(ACK, 10, b"x")
    assert not wire.connection.begun
    assert wire.connection.has_data


def test_the_answer_to_syn_is_enough() -> None:
    wire = Wire()
    wire.add(SYN | ACK, back=True)
    wire.add(ACK, 0, b"x")
    assert wire.connection.begun
    opener = wire.connection.opener
    assert opener is not None
    assert (opener.source, bytes(opener.data)) == (HERE, b"x")


def test_a_syn_that_is_captured_after_data() -> None:
    wire = Wire()
    wire.add(ACK, 1, b"b")
    wire.add(SYN)
    wire.add(SYN | ACK, back=True)
    wire.add(ACK, 0, b"a")
    assert wire.data == b"ab"


@pytest.mark.parametrize("end", [FIN, RST])
def test_the_same_addresses_again_are_another_connection(end: int) -> None:
    wire = Wire().open()
    wire.add(ACK, 0, b"old")
    wire.add(end | ACK, 3)
    wire.isn, wire.other_isn = 70_000, 90_000
    wire.open()
    wire.add(SYN)  # a repetition
    wire.add(ACK, 0, b"new")
    old, new = wire.streams
    assert [bytes(one.directions[0].data) for one in (old, new)] == [b"old", b"new"]
    assert (old.number, new.number) == (0, 1)
    assert (old.closed, new.closed) == (5.0, None)


@pytest.mark.parametrize("acknowledged", [False, True])
def test_a_gap_ends_the_data(acknowledged: bool) -> None:
    wire = Wire().open()
    wire.add(ACK, 0, b"abc")
    if acknowledged:
        wire.add(ACK, back=True, acknowledged=9)
    else:
        wire.add(ACK, 5, b"fgh")
    direction = wire.connection.directions[0]
    assert direction.gap
    assert wire.data == b"abc"
    assert direction.sent_by(3) == 5


def test_bytes_that_the_capture_leaves_out_are_a_gap() -> None:
    wire = Wire().open()
    wire.add(ACK, 0, b"abc", lacking=4)
    wire.add(ACK, 7, b"x")
    assert wire.connection.directions[0].gap
    assert wire.data == b"abc"


def test_only_connections_with_a_port() -> None:
    assert list(Wire(ports=frozenset({5670})).open().streams)
    assert not list(Wire(ports=frozenset({5671})).open().streams)


def test_other_protocols_are_not_kept() -> None:
    wire = Wire()
    wire.streams = Streams(lambda data: False if data else None)
    wire.open()
    wire.add(ACK, 0, b"GET /")
    wire.add(ACK, 0, b"200", back=True)
    wire.add(ACK, 5, b"more")
    assert wire.connection.foreign
    assert not wire.data
