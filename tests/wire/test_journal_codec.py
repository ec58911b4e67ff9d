"""The journal's codec: blocks and segments, their heads, and damage to them."""

from __future__ import annotations

from typing import Any

import pytest
from campaigns import sized
from hypothesis import given, settings
from hypothesis import strategies as st

from zeps_wire import journal
from zeps_wire.errors import DecodeError, EncodeError

U64 = st.integers(0, 2**64 - 1)
U32 = st.integers(0, 2**32 - 1)


@st.composite
def blocks(draw: st.DrawFn) -> journal.Block:
    count = draw(st.integers(0, 5))
    heads = (draw(kind) for kind in (U32, U32, U64, U64, U64))
    columns = (
        tuple(draw(st.lists(kind, min_size=count, max_size=count)))
        for kind in (U64, U32, st.integers(0, 2**16 - 1))
    )
    lists = (tuple(draw(st.lists(U32, max_size=3))) for _ in ("page checksums", "ends of keys"))
    return journal.Block(
        *heads, *columns, *lists, draw(st.binary(max_size=20)), draw(st.binary(max_size=200))
    )


segments = st.builds(journal.Segment, U64, U64, st.text("abc é.", max_size=40))


@settings(max_examples=sized(100, 20_000))
@given(blocks() | segments)
def test_what_is_encoded_decodes_to_itself(message: Any) -> None:
    encoded = message.encode()
    assert journal.decode(encoded) == message
    assert message.size() == len(encoded)


@settings(max_examples=sized(40, 20_000))
@given(blocks() | segments)
def test_cut_or_extended(message: Any) -> None:
    encoded = message.encode()
    for size in range(len(encoded)):
        with pytest.raises(DecodeError, match="truncated"):
            journal.decode(encoded[:size])
    with pytest.raises(DecodeError, match="trailing"):
        journal.decode(encoded + b"\0")


@settings(max_examples=sized(60, 20_000))
@given(blocks(), st.binary(max_size=9))
def test_heads(block: journal.Block, before: bytes) -> None:
    sizes = map(len, (block.times, block.frames, block.page_checksums, block.key_ends, block.keys))
    times = (block.first_time, block.last_time)
    head = (block.checksum, block.index_checksum, block.first_sequence, *times, *sizes)
    encoded = block.encode()
    assert encoded.startswith(journal.block_head(*head))
    assert len(journal.block_head(*head)) == journal.BLOCK_HEAD_SIZE
    assert journal.unpack_block_head(before + encoded, len(before)) == head
    assert journal.unpack_block_head(memoryview(before + encoded), len(before)) == head
    times, times_end, ends, ends_end, *_, keys, keys_end, frames, end = journal.scan_block(encoded)
    assert (times_end - times, ends_end - ends) == (8 * len(block.times), 4 * len(block.ends))
    assert (encoded[keys:keys_end], encoded[frames:end]) == (block.keys, block.frames)


@settings(max_examples=sized(100, 20_000))
@given(blocks(), st.integers(0, 55), st.integers(1, 255))
def test_a_damaged_head_is_a_head_or_a_named_error(block: journal.Block, at: int, change: int) -> None:
    damaged = bytearray(block.encode() + bytes(4))
    damaged[at] ^= change
    try:
        head = journal.unpack_block_head(bytes(damaged))
    except DecodeError as error:
        expected = "bad-constant" if at < 4 else "too-long"
        assert (error.code, error.message) == (expected, "BLOCK")  # noqa: PT017
    else:
        assert journal.block_head(*head) == damaged[: journal.BLOCK_HEAD_SIZE]


@pytest.mark.parametrize(
    ("head", "code", "field"),
    [
        (b"", "truncated", "magic"),
        (b"ZB", "truncated", "magic"),
        (b"ZBLX" + bytes(52), "bad-constant", "magic"),
        (b"ZBLK" + bytes(34), "truncated", "count"),
        (b"ZBLK" + bytes(39), "truncated", "frames_size"),
        (b"ZBLK" + bytes(51), "truncated", "keys_size"),
        (b"ZBLK" + bytes(32) + b"\x00\x01\x00\x01" + bytes(16), "too-long", "count"),
        (b"ZBLK" + bytes(36) + b"\x10\x00\x00\x01" + bytes(12), "too-long", "frames_size"),
        (b"ZBLK" + bytes(40) + b"\x00\x01\x00\x01" + bytes(8), "too-long", "page_count"),
    ],
)
def test_bad_heads(head: bytes, code: str, field: str) -> None:
    with pytest.raises(DecodeError) as caught:
        journal.unpack_block_head(b"before" + head, 6)
    assert (caught.value.code, caught.value.field) == (code, field)


@pytest.mark.parametrize(
    ("data", "code"),
    [(b"", "truncated"), (b"ZE", "truncated"), (b"ZX", "unknown-message"), (b"JUNKJUNK", "unknown-message")],
)
def test_unknown_beginnings(data: bytes, code: str) -> None:
    with pytest.raises(DecodeError) as caught:
        journal.decode(data)
    assert caught.value.code == code


def test_a_later_version_is_named() -> None:
    with pytest.raises(DecodeError) as caught:
        journal.decode(b"ZEPSJRNL\x00\x02" + bytes(17))
    assert (caught.value.code, caught.value.field, caught.value.offset) == ("bad-constant", "version", 8)


@pytest.mark.parametrize(("times", "ends", "code"), [((4,), (), "truncated"), ((), (4,), "too-long")])
def test_a_block_counts_alike(times: tuple[int, ...], ends: tuple[int, ...], code: str) -> None:
    with pytest.raises(EncodeError) as caught:
        journal.Block(0, 0, 1, 2, 3, times, ends, (0,) * len(times), (), (), b"", b"").encode()
    assert (caught.value.code, caught.value.field) == (code, "ends")


def test_a_block_has_its_limits() -> None:
    many = tuple(range(65537))
    with pytest.raises(EncodeError, match=r"too-long: BLOCK\.times"):
        journal.Block(0, 0, 1, 2, 3, many, many, many, (), (), b"", b"").encode()
    with pytest.raises(EncodeError, match=r"too-long: BLOCK\.times"):
        journal.Block(0, 0, 1, 2, 3, (2**64,), (0,), (0,), (), (), b"", b"").encode()
