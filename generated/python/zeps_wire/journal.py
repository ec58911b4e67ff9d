"""ZEPS journal.

A stream's journal is a folder of segments. A segment is a file: one SEGMENT header, then BLOCKs
back to back. A block holds the messages that were written together, as the DELIVER frames that
subscribers receive, so that replay is slicing. An index with checksums of its own precedes the
frames: a reader of some keys only reads the index, and of the frames no more than the pages that
hold those messages. All numbers are unsigned and in network byte order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from struct import Struct, pack, unpack_from
from typing import Any, ClassVar

from . import layout as _layout
from . import operations as _op
from .caches import (
    PRINTABLE_OCTETS,
    PRINTABLE_TEXTS,
    packers,
    unpackers,
)
from .layout import FAULTS
from .support import (
    setters,
    trailing,
    twin,
    unknown,
)
from .text import octets_of

__all__ = [
    "BLOCK_HEAD",
    "BLOCK_HEAD_SIZE",
    "MESSAGES",
    "SEGMENT_HEAD",
    "SEGMENT_HEAD_SIZE",
    "Block",
    "Message",
    "Segment",
    "block_head",
    "decode",
    "encode",
    "scan_block",
    "scan_segment",
    "segment_head",
    "unpack_block_head",
    "unpack_segment_head",
]


_pack_10s_u8_u8 = Struct(">10sQQ").pack
_pack_10s_u8_u8_u1_ns = packers(">10sQQB{}s")
_pack_4s_u4_u4_u8_u8_u8_u4_u4_u4_u4_u4 = Struct(">4sIIQQQIIIII").pack
_unpack_from_10s8x8x_u1 = Struct(">10s8x8xB").unpack_from
_unpack_from_10s_u8_u8 = Struct(">10sQQ").unpack_from
_unpack_from_10s_u8_u8x_ns = unpackers(">10sQQx{}s")
_unpack_from_4s4x4x8x8x8x_u4_u4_u4_u4_u4 = Struct(">4s4x4x8x8x8xIIIII").unpack_from
_unpack_from_4s_u4_u4_u8_u8_u8_u4_u4_u4_u4_u4 = Struct(">4sIIQQQIIIII").unpack_from

SEGMENT_HEAD = b"ZEPSJRNL\x00\x01"
SEGMENT_HEAD_SIZE = 26
BLOCK_HEAD = b"ZBLK"
BLOCK_HEAD_SIZE = 56


_SEGMENT_LAYOUT = _layout.Layout(
    "SEGMENT",
    (
        _op.Constant(name="magic", octets=b"ZEPSJRNL"),
        _op.Constant(name="version", octets=b"\x00\x01"),
        _op.Number(name="first_sequence", size=8),
        _op.Number(name="created", size=8),
        _op.Content(name="stream", prefix=1, text="printable"),
    ),
    ("first_sequence", "created", "stream"),
    False,
    False,
)
_BLOCK_LAYOUT = _layout.Layout(
    "BLOCK",
    (
        _op.Constant(name="magic", octets=b"ZBLK"),
        _op.Number(name="checksum", size=4),
        _op.Number(name="index_checksum", size=4),
        _op.Number(name="first_sequence", size=8),
        _op.Number(name="first_time", size=8),
        _op.Number(name="last_time", size=8),
        _op.Number(name="count", size=4, limit=65536, measures=("times", "ends", "key_numbers")),
        _op.Number(name="frames_size", size=4, limit=268435456, measures=("frames",)),
        _op.Number(name="page_count", size=4, limit=65536, measures=("page_checksums",)),
        _op.Number(name="key_count", size=4, limit=65536, measures=("key_ends",)),
        _op.Number(name="keys_size", size=4, limit=16711680, measures=("keys",)),
        _op.Items(
            name="times", prefix=0, parts=(_op.Number(name="item", size=8),), least=8, counted_by="count"
        ),
        _op.Items(
            name="ends", prefix=0, parts=(_op.Number(name="item", size=4),), least=4, counted_by="count"
        ),
        _op.Items(
            name="key_numbers",
            prefix=0,
            parts=(_op.Number(name="item", size=2),),
            least=2,
            counted_by="count",
        ),
        _op.Items(
            name="page_checksums",
            prefix=0,
            parts=(_op.Number(name="item", size=4),),
            least=4,
            counted_by="page_count",
        ),
        _op.Items(
            name="key_ends",
            prefix=0,
            parts=(_op.Number(name="item", size=4),),
            least=4,
            counted_by="key_count",
        ),
        _op.Content(name="keys", prefix=0, measured_by="keys_size"),
        _op.Content(name="frames", prefix=0, measured_by="frames_size"),
    ),
    (
        "checksum",
        "index_checksum",
        "first_sequence",
        "first_time",
        "last_time",
        "times",
        "ends",
        "key_numbers",
        "page_checksums",
        "key_ends",
        "keys",
        "frames",
    ),
    False,
    False,
)


@dataclass(frozen=True, slots=True, init=False)
class Segment:
    """The head of a segment file.

    Attributes:
        first_sequence: Sequence of the segment's first message
        created: Time of creation, in microseconds since 1970-01-01T00:00:00Z
        stream: The stream's name
    """

    ID: ClassVar[int] = 1
    NAME: ClassVar[str] = "SEGMENT"
    MAGIC: ClassVar[bytes] = b"ZEPSJRNL"
    VERSION: ClassVar[int] = 1

    first_sequence: int
    created: int
    stream: str

    def __init__(
        self,
        first_sequence: int,
        created: int,
        stream: str,
    ) -> None:
        _set_segment__first_sequence(self, first_sequence)
        _set_segment__created(self, created)
        _set_segment__stream(self, stream)

    def encode(self) -> bytes:
        """Encodes the message to one frame. Raises EncodeError."""
        try:
            stream_octets = PRINTABLE_OCTETS[self.stream]
            return _pack_10s_u8_u8_u1_ns[len(stream_octets)](
                SEGMENT_HEAD, self.first_sequence, self.created, len(stream_octets), stream_octets
            )
        except FAULTS:
            pass
        return _SEGMENT_LAYOUT.write(self)[0]

    def size(self) -> int:
        """The size of the encoded message in bytes."""
        return 27 + octets_of(self.stream)


@dataclass(frozen=True, slots=True, init=False)
class Block:
    """Messages that were written together.

    Attributes:
        checksum: CRC-32C of everything in the block that follows this field
        index_checksum: CRC-32C of everything between this field and the frames
        first_sequence: Sequence of the first message; the others follow without gaps
        first_time: Earliest of the times, in microseconds since 1970-01-01T00:00:00Z
        last_time: Latest of the times
        times: When each message was stored
        ends: Where each frame ends, counted from the start of the first
        key_numbers: Which of the distinct keys each message has, from 0
        page_checksums: CRC-32C of each page: 4,096 octets of the frames, counted from the start of
            the first
        key_ends: Where each distinct key ends, counted from the start of the first
        keys: The distinct keys, back to back, in the order in which they first occur
        frames: The DELIVER frames, back to back
    """

    ID: ClassVar[int] = 2
    NAME: ClassVar[str] = "BLOCK"
    MAGIC: ClassVar[bytes] = b"ZBLK"

    checksum: int
    index_checksum: int
    first_sequence: int
    first_time: int
    last_time: int
    times: tuple[int, ...]
    ends: tuple[int, ...]
    key_numbers: tuple[int, ...]
    page_checksums: tuple[int, ...]
    key_ends: tuple[int, ...]
    keys: bytes
    frames: bytes

    def __init__(
        self,
        checksum: int,
        index_checksum: int,
        first_sequence: int,
        first_time: int,
        last_time: int,
        times: tuple[int, ...],
        ends: tuple[int, ...],
        key_numbers: tuple[int, ...],
        page_checksums: tuple[int, ...],
        key_ends: tuple[int, ...],
        keys: bytes,
        frames: bytes,
    ) -> None:
        _set_block__checksum(self, checksum)
        _set_block__index_checksum(self, index_checksum)
        _set_block__first_sequence(self, first_sequence)
        _set_block__first_time(self, first_time)
        _set_block__last_time(self, last_time)
        _set_block__times(self, times)
        _set_block__ends(self, ends)
        _set_block__key_numbers(self, key_numbers)
        _set_block__page_checksums(self, page_checksums)
        _set_block__key_ends(self, key_ends)
        _set_block__keys(self, keys)
        _set_block__frames(self, frames)

    def encode(self) -> bytes:
        """Encodes the message to one frame. Raises EncodeError."""
        try:
            if (
                len(self.ends) != len(self.times)
                or len(self.key_numbers) != len(self.times)
                or len(self.times) > 65536
                or len(self.frames) > 268435456
                or len(self.page_checksums) > 65536
                or len(self.key_ends) > 65536
                or len(self.keys) > 16711680
            ):
                raise ValueError
            return b"".join(
                (
                    _pack_4s_u4_u4_u8_u8_u8_u4_u4_u4_u4_u4(
                        BLOCK_HEAD,
                        self.checksum,
                        self.index_checksum,
                        self.first_sequence,
                        self.first_time,
                        self.last_time,
                        len(self.times),
                        len(self.frames),
                        len(self.page_checksums),
                        len(self.key_ends),
                        len(self.keys),
                    ),
                    pack(f">{len(self.times)}Q", *self.times),
                    pack(f">{len(self.ends)}I", *self.ends),
                    pack(f">{len(self.key_numbers)}H", *self.key_numbers),
                    pack(f">{len(self.page_checksums)}I", *self.page_checksums),
                    pack(f">{len(self.key_ends)}I", *self.key_ends),
                    self.keys,
                    self.frames,
                )
            )
        except FAULTS:
            pass
        return _BLOCK_LAYOUT.write(self)[0]

    def size(self) -> int:
        """The size of the encoded message in bytes."""
        return (
            56
            + 8 * len(self.times)
            + 4 * len(self.ends)
            + 2 * len(self.key_numbers)
            + 4 * len(self.page_checksums)
            + 4 * len(self.key_ends)
            + len(self.keys)
            + len(self.frames)
        )


Message = Segment | Block

MESSAGES: dict[int, type[Message]] = {
    1: Segment,
    2: Block,
}

_set_segment__first_sequence, _set_segment__created, _set_segment__stream = setters(Segment)
_new_segment = twin(Segment)
(
    _set_block__checksum,
    _set_block__index_checksum,
    _set_block__first_sequence,
    _set_block__first_time,
    _set_block__last_time,
    _set_block__times,
    _set_block__ends,
    _set_block__key_numbers,
    _set_block__page_checksums,
    _set_block__key_ends,
    _set_block__keys,
    _set_block__frames,
) = setters(Block)
_new_block = twin(Block)


def _decode_segment(data: bytes) -> Any:
    try:
        stream_length = data[26]
        stream_end = 27 + stream_length
        head, first_sequence, created, stream = _unpack_from_10s_u8_u8x_ns[stream_length](data)
        if head != SEGMENT_HEAD:
            raise ValueError
        stream = PRINTABLE_TEXTS[stream]
        if len(data) != stream_end:
            raise trailing(data, "SEGMENT", stream_end)
        message = _new_segment()
        message.first_sequence = first_sequence
        message.created = created
        message.stream = stream
        message.__class__ = Segment
        return message
    except FAULTS:
        pass
    return Segment(**_SEGMENT_LAYOUT.read(data))


def scan_segment(data: bytes) -> tuple[int, int]:
    """The bounds of the content of `stream`.

    Checks everything except the content of text. Raises DecodeError.
    """
    try:
        head, stream_length = _unpack_from_10s8x8x_u1(data)
        stream_end = 27 + stream_length
        if head != SEGMENT_HEAD:
            raise ValueError
        if len(data) != stream_end:
            raise trailing(data, "SEGMENT", stream_end)
        return 27, stream_end
    except FAULTS:
        pass
    found: tuple[int, int] = _SEGMENT_LAYOUT.scan(data)
    return found


def segment_head(first_sequence: int, created: int) -> bytes:
    """The bytes of SEGMENT before the first field of variable size. Raises EncodeError."""
    try:
        return _pack_10s_u8_u8(SEGMENT_HEAD, first_sequence, created)
    except FAULTS:
        pass
    return _SEGMENT_LAYOUT.write_head(first_sequence, created)


def unpack_segment_head(data: bytes | bytearray | memoryview, offset: int = 0) -> tuple[int, int]:
    """What `segment_head` packed, at `offset`. Raises DecodeError."""
    try:
        head, first_sequence, created = _unpack_from_10s_u8_u8(data, offset)
        if head != SEGMENT_HEAD:
            raise ValueError
        return (first_sequence, created)
    except FAULTS:
        pass
    found: tuple[int, int] = _SEGMENT_LAYOUT.read_head(data, offset, 4)
    return found


def _decode_block(data: bytes) -> Any:
    try:
        (
            head,
            checksum,
            index_checksum,
            first_sequence,
            first_time,
            last_time,
            count,
            frames_size,
            page_count,
            key_count,
            keys_size,
        ) = _unpack_from_4s_u4_u4_u8_u8_u8_u4_u4_u4_u4_u4(data)
        if (
            count > 65536
            or frames_size > 268435456
            or page_count > 65536
            or key_count > 65536
            or keys_size > 16711680
            or head != BLOCK_HEAD
        ):
            raise ValueError
        times_end = 56 + count * 8
        times = unpack_from(f">{count}Q", data, 56)
        ends_end = times_end + count * 4
        ends = unpack_from(f">{count}I", data, times_end)
        key_numbers_end = ends_end + count * 2
        key_numbers = unpack_from(f">{count}H", data, ends_end)
        page_checksums_end = key_numbers_end + page_count * 4
        page_checksums = unpack_from(f">{page_count}I", data, key_numbers_end)
        key_ends_end = page_checksums_end + key_count * 4
        key_ends = unpack_from(f">{key_count}I", data, page_checksums_end)
        keys_end = key_ends_end + keys_size
        keys = data[key_ends_end:keys_end]
        frames_end = keys_end + frames_size
        frames_ = data[keys_end:frames_end]
        if len(data) != frames_end:
            raise trailing(data, "BLOCK", frames_end)
        message = _new_block()
        message.checksum = checksum
        message.index_checksum = index_checksum
        message.first_sequence = first_sequence
        message.first_time = first_time
        message.last_time = last_time
        message.times = times
        message.ends = ends
        message.key_numbers = key_numbers
        message.page_checksums = page_checksums
        message.key_ends = key_ends
        message.keys = keys
        message.frames = frames_
        message.__class__ = Block
        return message
    except FAULTS:
        pass
    return Block(**_BLOCK_LAYOUT.read(data))


def scan_block(data: bytes) -> tuple[int, int, int, int, int, int, int, int, int, int, int, int, int, int]:
    """The bounds of the content of `times`, `ends`, `key_numbers`, `page_checksums`, `key_ends`,
    `keys`, `frames`.

    Checks everything except the content of text. Raises DecodeError.
    """
    try:
        head, count, frames_size, page_count, key_count, keys_size = _unpack_from_4s4x4x8x8x8x_u4_u4_u4_u4_u4(
            data
        )
        if (
            count > 65536
            or frames_size > 268435456
            or page_count > 65536
            or key_count > 65536
            or keys_size > 16711680
            or head != BLOCK_HEAD
        ):
            raise ValueError
        times_end = 56 + count * 8
        ends_end = times_end + count * 4
        key_numbers_end = ends_end + count * 2
        page_checksums_end = key_numbers_end + page_count * 4
        key_ends_end = page_checksums_end + key_count * 4
        keys_end = key_ends_end + keys_size
        frames_end = keys_end + frames_size
        if len(data) != frames_end:
            raise trailing(data, "BLOCK", frames_end)
        return (
            56,
            times_end,
            times_end,
            ends_end,
            ends_end,
            key_numbers_end,
            key_numbers_end,
            page_checksums_end,
            page_checksums_end,
            key_ends_end,
            key_ends_end,
            keys_end,
            keys_end,
            frames_end,
        )
    except FAULTS:
        pass
    found: tuple[int, int, int, int, int, int, int, int, int, int, int, int, int, int] = _BLOCK_LAYOUT.scan(
        data
    )
    return found


def block_head(
    checksum: int,
    index_checksum: int,
    first_sequence: int,
    first_time: int,
    last_time: int,
    count: int,
    frames_size: int,
    page_count: int,
    key_count: int,
    keys_size: int,
) -> bytes:
    """The bytes of BLOCK before the first field of variable size. Raises EncodeError."""
    try:
        if (
            count > 65536
            or frames_size > 268435456
            or page_count > 65536
            or key_count > 65536
            or keys_size > 16711680
        ):
            raise ValueError
        return _pack_4s_u4_u4_u8_u8_u8_u4_u4_u4_u4_u4(
            BLOCK_HEAD,
            checksum,
            index_checksum,
            first_sequence,
            first_time,
            last_time,
            count,
            frames_size,
            page_count,
            key_count,
            keys_size,
        )
    except FAULTS:
        pass
    return _BLOCK_LAYOUT.write_head(
        checksum,
        index_checksum,
        first_sequence,
        first_time,
        last_time,
        count,
        frames_size,
        page_count,
        key_count,
        keys_size,
    )


def unpack_block_head(
    data: bytes | bytearray | memoryview, offset: int = 0
) -> tuple[int, int, int, int, int, int, int, int, int, int]:
    """What `block_head` packed, at `offset`. Raises DecodeError."""
    try:
        (
            head,
            checksum,
            index_checksum,
            first_sequence,
            first_time,
            last_time,
            count,
            frames_size,
            page_count,
            key_count,
            keys_size,
        ) = _unpack_from_4s_u4_u4_u8_u8_u8_u4_u4_u4_u4_u4(data, offset)
        if (
            count > 65536
            or frames_size > 268435456
            or page_count > 65536
            or key_count > 65536
            or keys_size > 16711680
            or head != BLOCK_HEAD
        ):
            raise ValueError
        return (
            checksum,
            index_checksum,
            first_sequence,
            first_time,
            last_time,
            count,
            frames_size,
            page_count,
            key_count,
            keys_size,
        )
    except FAULTS:
        pass
    found: tuple[int, int, int, int, int, int, int, int, int, int] = _BLOCK_LAYOUT.read_head(data, offset, 11)
    return found


_DECODERS: dict[bytes, Callable[..., Message]] = {
    b"ZEPSJRNL": _decode_segment,
    b"ZBLK": _decode_block,
}


def encode(message: Message) -> bytes:
    """Encodes the message to one frame. Raises EncodeError."""
    return message.encode()


def decode(data: bytes | bytearray | memoryview) -> Message:
    """Decodes the message in `data`, which must be used completely. Raises only DecodeError."""
    if type(data) is not bytes:
        data = bytes(data)
    for beginning, decoder in _DECODERS.items():
        if data.startswith(beginning):
            return decoder(data)
    raise unknown(data, tuple(_DECODERS))
