"""Differences between two answers."""

from __future__ import annotations

import pytest

from zeps_conformance.codec.compare import difference
from zeps_conformance.codec.driver_protocol import Decode, Encode, blob, encode_values, many, name
from zeps_conformance.codec.oracle import Oracle
from zeps_conformance.model.definitions import Field, Message, Model

HASHED = Message("HASHED", 1, (Field("pairs", "hash", 0),))
RAW = Message("RAW", 2, (Field("raw", "rest"),))
MODEL = Model("p", "P", "octet", 0, 1, (HASHED, RAW), {}, ())
ORACLE = Oracle([MODEL], [])
PAIR, OTHER = bytes.fromhex("016b 00000001 76"), bytes.fromhex("016b 00000001 77")


def decoded(pairs: list[tuple[bytes, bytes]], encoded: bytes) -> bytes:
    """Builds a driver's answer."""
    value = ("h", tuple((("s", key), ("s", text)) for key, text in pairs))
    return b"+" + name("HASHED") + encode_values([value]) + blob(encoded)


def test_every_pair_of_a_hash_counts_and_their_order() -> None:
    example = Decode("p", (b"\x01" + PAIR + OTHER,))
    pairs = [(b"k", b"v"), (b"k", b"w")]
    expected = ORACLE.answer(example)
    assert expected == decoded(pairs, example.frames[0])
    for seen, kind in (
        (decoded(pairs[1:], b"\x01" + OTHER), "values"),
        (decoded(pairs[::-1], example.frames[0]), "values"),
        (decoded(pairs, b"\x01" + OTHER), "re-encoded bytes"),
    ):
        finding = difference(ORACLE, example, expected, seen)
        assert finding is not None
        assert finding.kind == kind


def test_an_answer_that_is_nested_deeply_is_unreadable() -> None:
    example = Decode("p", (b"\x02",))
    nested = b"+" + name("RAW") + many([(b"l" + (1).to_bytes(4, "big")) * 5000])
    finding = difference(ORACLE, example, ORACLE.answer(example), nested)
    assert finding is not None
    assert finding.kind == "an unreadable answer"


@pytest.mark.parametrize("at", [1, 3000])
def test_long_bytes_that_differ_anywhere_differ(at: int) -> None:
    """Also after the shown beginning."""
    example = Encode("p", "RAW", (("b", bytes(4000)),))
    expected = ORACLE.answer(example)
    place = len(expected) - 4000 + at
    finding = difference(ORACLE, example, expected, expected[:place] + b"\x01" + expected[place + 1 :])
    assert finding is not None
    assert finding.kind == "encoded bytes"
