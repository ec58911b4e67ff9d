"""The caches of the codec: they do not change messages or errors, and never exceed their memory bounds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeps_wire import zeps
from zeps_wire.caches import OctetTable, TextTable, packers, unpackers
from zeps_wire.errors import DecodeError, EncodeError
from zeps_wire.text import is_printable, is_utf8


@given(st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=60), st.binary(max_size=300))
def test_a_second_frame_like_the_first(key: str, body: bytes) -> None:
    first, second = zeps.Deliver(7, key, body), zeps.Deliver(8, key, bytes(reversed(body)))
    if len(key.encode()) > 255:
        return
    for message in (first, second, first):
        encoded = message.encode()
        head = b"\xaa\xa5\x07" + message.sequence.to_bytes(8, "big") + bytes([len(key.encode())])
        assert encoded == head + key.encode() + len(body).to_bytes(4, "big") + message.body
        assert zeps.decode(encoded) == message
        assert type(zeps.decode(encoded)) is zeps.Deliver


def test_a_frame_like_an_earlier_one_that_is_wrong() -> None:
    encoded = zeps.Deliver(7, "key", b"body").encode()
    assert zeps.decode(encoded)
    for place, code in ((0, "bad-signature"), (12, "bad-text"), (11, "too-long"), (18, "truncated")):
        damaged = bytearray(encoded)
        damaged[place] ^= 1 if place != 12 else 0x80
        with pytest.raises(DecodeError) as caught:
            zeps.decode(bytes(damaged))
        assert caught.value.code == code, place


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (zeps.Deliver(2**64, "key", b""), "too-long"),
        (zeps.Deliver(-1, "key", b""), "too-long"),
        (zeps.Deliver(1, "k\n", b""), "bad-text"),
        (zeps.Deliver(1, "\ud800", b""), "bad-text"),
        (zeps.Deliver(1, "k" * 256, b""), "too-long"),
        (zeps.Publish("key", bytes(16 * 1024 * 1024 + 1)), "too-long"),
    ],
)
def test_what_cannot_be_encoded(message: zeps.Message, code: str) -> None:
    for _ in range(2):
        with pytest.raises(EncodeError) as caught:
            message.encode()
        assert caught.value.code == code


def test_a_body_may_be_a_bytearray_or_a_view() -> None:
    for body in (bytearray(b"body"), memoryview(b"body")):
        assert zeps.Publish("key", body).encode() == zeps.Publish("key", b"body").encode()  # type: ignore[arg-type]


def test_tables_are_bounded() -> None:
    texts, encoded_texts = TextTable(is_printable), OctetTable(is_printable)
    for number in range(20_000):
        assert texts[str(number).encode()] == str(number)
        assert encoded_texts[str(number)] == str(number).encode()
    assert len(texts) <= 8192
    assert len(encoded_texts) <= 8192
    assert texts[b"x" * 100] == "x" * 100
    assert b"x" * 100 not in texts
    pack, unpack = packers(">B{}sH"), unpackers(">x{}sH")
    for size in range(256):
        frame = pack[size](size, bytes(size), 7)
        assert frame == bytes([size]) + bytes(size) + b"\x00\x07"
        assert unpack[size](frame) == (bytes(size), 7)
    with pytest.raises(KeyError):
        pack[256]
    assert len(pack) == len(unpack) == 256


def test_what_is_in_no_table() -> None:
    for data in (b"\xff", b"\x00"):
        with pytest.raises(KeyError):
            TextTable(is_printable)[data]
    assert TextTable(is_utf8)[b"\x00"] == "\x00"
    for text in ("\x7f", "\ud800"):
        with pytest.raises(KeyError):
            OctetTable(is_printable)[text]
