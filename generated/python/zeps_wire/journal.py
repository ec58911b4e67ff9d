"""ZEPS journal.

A stream's journal is a folder of segments. A segment is a file: one SEGMENT header, then BLOCKs
back to back. A block holds the messages that were written together, as the DELIVER frames that
subscribers receive, so that replay is slicing. Before the frames stands an index with checksums of
its own: who wants some keys only reads the index, and of the frames no more than the pages on which
those messages lie. All numbers are unsigned and in network byte order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from struct import Struct, error, pack, unpack_from
from typing import Any, ClassVar

from .errors import DecodeError, EncodeError
from .support import (
    Beginning,
    bad_constants,
    bad_text,
    ending,
    miscounted,
    misread,
    out_of_range,
    setters,
    truncated,
    twin,
    unknown,
)
from .text import has_control, octets_of

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


_pack_s10_u8_u8 = Struct(">10sQQ").pack
_pack_s10_u8_u8_u1 = Struct(">10sQQB").pack
_pack_s4_u4_u4_u8_u8_u8_u4_u4_u4_u4_u4 = Struct(">4sIIQQQIIIII").pack
_unpack_s10_u8_u8_u1 = Struct(">10sQQB").unpack_from
_unpack_s10_x8_x8_u1 = Struct(">10s8x8xB").unpack_from
_unpack_s4_u4_u4_u8_u8_u8_u4 = Struct(">4sIIQQQI").unpack_from
_unpack_s4_x4_x4_x8_x8_x8_u4 = Struct(">4s4x4x8x8x8xI").unpack_from
_unpack_u4 = Struct(">I").unpack_from
_unpack_u4_u4_u8_u8_u8_u4 = Struct(">IIQQQI").unpack_from
_unpack_u8_u8 = Struct(">QQ").unpack_from

SEGMENT_HEAD = b"ZEPSJRNL\x00\x01"
SEGMENT_HEAD_SIZE = 26
BLOCK_HEAD = b"ZBLK"
BLOCK_HEAD_SIZE = 56


_SEGMENT_BEGINNING = Beginning("SEGMENT", b"", (("magic", b"ZEPSJRNL"), ("version", b"\x00\x01")))
_BLOCK_BEGINNING = Beginning("BLOCK", b"", (("magic", b"ZBLK"),))


@dataclass(frozen=True, slots=True, init=False)
class Segment:
    """The head of a segment file."""

    ID: ClassVar[int] = 1
    NAME: ClassVar[str] = "SEGMENT"
    MAGIC: ClassVar[bytes] = b"ZEPSJRNL"
    VERSION: ClassVar[int] = 1

    # Sequence of the segment's first message
    first_sequence: int
    # Time of creation, in microseconds since 1970-01-01T00:00:00Z
    created: int
    # The stream's name
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
        """The message as one frame."""
        try:
            try:
                stream_octets = self.stream.encode()
            except UnicodeEncodeError:
                raise EncodeError("bad-text", "SEGMENT", "stream") from None
            if not self.stream.isprintable() and has_control(self.stream):
                raise EncodeError("bad-text", "SEGMENT", "stream")
            return (
                _pack_s10_u8_u8_u1(SEGMENT_HEAD, self.first_sequence, self.created, len(stream_octets))
                + stream_octets
            )
        except error:
            raise out_of_range(
                "SEGMENT",
                ("first_sequence", self.first_sequence, 0, 18446744073709551615),
                ("created", self.created, 0, 18446744073709551615),
                ("stream", octets_of(self.stream), 0, 255),
            ) from None

    def size(self) -> int:
        """Octets of the encoded message."""
        return 27 + octets_of(self.stream)


@dataclass(frozen=True, slots=True, init=False)
class Block:
    """Messages that were written together."""

    ID: ClassVar[int] = 2
    NAME: ClassVar[str] = "BLOCK"
    MAGIC: ClassVar[bytes] = b"ZBLK"

    # CRC-32C of everything in the block that follows this field
    checksum: int
    # CRC-32C of everything between this field and the frames
    index_checksum: int
    # Sequence of the first message; the others follow without gaps
    first_sequence: int
    # Earliest of the times, in microseconds since 1970-01-01T00:00:00Z
    first_time: int
    # Latest of the times
    last_time: int
    # When each message was stored
    times: tuple[int, ...]
    # Where each frame ends, counted from the start of the first
    ends: tuple[int, ...]
    # Which of the distinct keys each message has, from 0
    key_numbers: tuple[int, ...]
    # CRC-32C of each page: 4,096 octets of the frames, counted from the start of the first
    page_checksums: tuple[int, ...]
    # Where each distinct key ends, counted from the start of the first
    key_ends: tuple[int, ...]
    # The distinct keys, back to back, in the order in which they first occur
    keys: bytes
    # The DELIVER frames, back to back
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
        """The message as one frame."""
        try:
            count = len(self.times)
            if len(self.ends) != count:
                raise miscounted("BLOCK", "ends", len(self.ends), count)
            if len(self.key_numbers) != count:
                raise miscounted("BLOCK", "key_numbers", len(self.key_numbers), count)
            frames_size = len(self.frames)
            page_count = len(self.page_checksums)
            key_count = len(self.key_ends)
            keys_size = len(self.keys)
            if count > 65536:
                raise EncodeError("too-long", "BLOCK", "times")
            if frames_size > 268435456:
                raise EncodeError("too-long", "BLOCK", "frames")
            if page_count > 65536:
                raise EncodeError("too-long", "BLOCK", "page_checksums")
            if key_count > 65536:
                raise EncodeError("too-long", "BLOCK", "key_ends")
            if keys_size > 16711680:
                raise EncodeError("too-long", "BLOCK", "keys")
            return b"".join(
                (
                    _pack_s4_u4_u4_u8_u8_u8_u4_u4_u4_u4_u4(
                        BLOCK_HEAD,
                        self.checksum,
                        self.index_checksum,
                        self.first_sequence,
                        self.first_time,
                        self.last_time,
                        count,
                        frames_size,
                        page_count,
                        key_count,
                        keys_size,
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
        except error:
            raise out_of_range(
                "BLOCK",
                ("checksum", self.checksum, 0, 4294967295),
                ("index_checksum", self.index_checksum, 0, 4294967295),
                ("first_sequence", self.first_sequence, 0, 18446744073709551615),
                ("first_time", self.first_time, 0, 18446744073709551615),
                ("last_time", self.last_time, 0, 18446744073709551615),
                ("times", len(self.times), 0, 4294967295),
                ("frames", len(self.frames), 0, 4294967295),
                ("page_checksums", len(self.page_checksums), 0, 4294967295),
                ("key_ends", len(self.key_ends), 0, 4294967295),
                ("keys", len(self.keys), 0, 4294967295),
                *(("times", item, 0, 18446744073709551615) for item in self.times),
                *(("ends", item, 0, 4294967295) for item in self.ends),
                *(("key_numbers", item, 0, 65535) for item in self.key_numbers),
                *(("page_checksums", item, 0, 4294967295) for item in self.page_checksums),
                *(("key_ends", item, 0, 4294967295) for item in self.key_ends),
            ) from None

    def size(self) -> int:
        """Octets of the encoded message."""
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
        head, first_sequence, created, stream_length = _unpack_s10_u8_u8_u1(data)
    except error:
        raise misread(
            _SEGMENT_BEGINNING, data, ("first_sequence", 10, 18), ("created", 18, 26), ("stream", 26, 27)
        ) from None
    if head != SEGMENT_HEAD:
        raise misread(
            _SEGMENT_BEGINNING, data, ("first_sequence", 10, 18), ("created", 18, 26), ("stream", 26, 27)
        )
    stream_end = 27 + stream_length
    try:
        stream = data[27:stream_end].decode()
    except UnicodeDecodeError:
        raise bad_text("SEGMENT", "stream", 26, stream_end, len(data)) from None
    if not stream.isprintable() and has_control(stream):
        raise bad_text("SEGMENT", "stream", 26, stream_end, len(data))
    if len(data) != stream_end:
        raise ending("SEGMENT", "stream", 26, stream_end, len(data))
    message = _new_segment()
    message.first_sequence = first_sequence
    message.created = created
    message.stream = stream
    message.__class__ = Segment
    return message


def scan_segment(data: bytes) -> tuple[int, int]:
    """Where the content of `stream` starts and ends.

    Everything is checked but what text holds. Raises DecodeError.
    """
    try:
        head, stream_length = _unpack_s10_x8_x8_u1(data)
    except error:
        raise misread(
            _SEGMENT_BEGINNING, data, ("first_sequence", 10, 18), ("created", 18, 26), ("stream", 26, 27)
        ) from None
    if head != SEGMENT_HEAD:
        raise misread(
            _SEGMENT_BEGINNING, data, ("first_sequence", 10, 18), ("created", 18, 26), ("stream", 26, 27)
        )
    stream_end = 27 + stream_length
    if len(data) != stream_end:
        raise ending("SEGMENT", "stream", 26, stream_end, len(data))
    return 27, stream_end


def segment_head(first_sequence: int, created: int) -> bytes:
    """The octets of SEGMENT up to the first field whose size varies."""
    try:
        return _pack_s10_u8_u8(SEGMENT_HEAD, first_sequence, created)
    except error:
        raise out_of_range(
            "SEGMENT",
            ("first_sequence", first_sequence, 0, 18446744073709551615),
            ("created", created, 0, 18446744073709551615),
        ) from None


def unpack_segment_head(data: bytes | bytearray | memoryview, offset: int = 0) -> tuple[int, int]:
    """What `segment_head` packed, at `offset`. Raises DecodeError."""
    if data[offset : offset + 10] != SEGMENT_HEAD:
        raise bad_constants("SEGMENT", data, offset, ("magic", b"ZEPSJRNL"), ("version", b"\x00\x01"))
    try:
        first_sequence, created = _unpack_u8_u8(data, offset + 10)
    except error:
        raise truncated(
            "SEGMENT",
            len(data),
            ("first_sequence", offset + 10, offset + 18),
            ("created", offset + 18, offset + 26),
        ) from None
    return (first_sequence, created)


def _decode_block(data: bytes) -> Any:
    try:
        head, checksum, index_checksum, first_sequence, first_time, last_time, count = (
            _unpack_s4_u4_u4_u8_u8_u8_u4(data)
        )
    except error:
        raise misread(
            _BLOCK_BEGINNING,
            data,
            ("checksum", 4, 8),
            ("index_checksum", 8, 12),
            ("first_sequence", 12, 20),
            ("first_time", 20, 28),
            ("last_time", 28, 36),
            ("count", 36, 40),
        ) from None
    if head != BLOCK_HEAD:
        raise misread(
            _BLOCK_BEGINNING,
            data,
            ("checksum", 4, 8),
            ("index_checksum", 8, 12),
            ("first_sequence", 12, 20),
            ("first_time", 20, 28),
            ("last_time", 28, 36),
            ("count", 36, 40),
        )
    if count > 65536:
        raise DecodeError("too-long", "BLOCK", "count", 36)
    try:
        (frames_size,) = _unpack_u4(data, 40)
    except error:
        raise truncated("BLOCK", len(data), ("frames_size", 40, 44)) from None
    if frames_size > 268435456:
        raise DecodeError("too-long", "BLOCK", "frames_size", 40)
    try:
        (page_count,) = _unpack_u4(data, 44)
    except error:
        raise truncated("BLOCK", len(data), ("page_count", 44, 48)) from None
    if page_count > 65536:
        raise DecodeError("too-long", "BLOCK", "page_count", 44)
    try:
        (key_count,) = _unpack_u4(data, 48)
    except error:
        raise truncated("BLOCK", len(data), ("key_count", 48, 52)) from None
    if key_count > 65536:
        raise DecodeError("too-long", "BLOCK", "key_count", 48)
    try:
        (keys_size,) = _unpack_u4(data, 52)
    except error:
        raise truncated("BLOCK", len(data), ("keys_size", 52, 56)) from None
    if keys_size > 16711680:
        raise DecodeError("too-long", "BLOCK", "keys_size", 52)
    times_end = 56 + count * 8
    if times_end > len(data):
        raise truncated("BLOCK", len(data), ("times", 56, times_end))
    times = unpack_from(f">{count}Q", data, 56)
    ends_end = times_end + count * 4
    if ends_end > len(data):
        raise truncated("BLOCK", len(data), ("ends", times_end, ends_end))
    ends = unpack_from(f">{count}I", data, times_end)
    key_numbers_end = ends_end + count * 2
    if key_numbers_end > len(data):
        raise truncated("BLOCK", len(data), ("key_numbers", ends_end, key_numbers_end))
    key_numbers = unpack_from(f">{count}H", data, ends_end)
    page_checksums_end = key_numbers_end + page_count * 4
    if page_checksums_end > len(data):
        raise truncated("BLOCK", len(data), ("page_checksums", key_numbers_end, page_checksums_end))
    page_checksums = unpack_from(f">{page_count}I", data, key_numbers_end)
    key_ends_end = page_checksums_end + key_count * 4
    if key_ends_end > len(data):
        raise truncated("BLOCK", len(data), ("key_ends", page_checksums_end, key_ends_end))
    key_ends = unpack_from(f">{key_count}I", data, page_checksums_end)
    keys_end = key_ends_end + keys_size
    keys = data[key_ends_end:keys_end]
    if keys_end > len(data):
        raise truncated("BLOCK", len(data), ("keys", key_ends_end, keys_end))
    frames_end = keys_end + frames_size
    if len(data) != frames_end:
        raise ending("BLOCK", "frames", keys_end, frames_end, len(data))
    frames_ = data[keys_end:]
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


def scan_block(data: bytes) -> tuple[int, int, int, int, int, int, int, int, int, int, int, int, int, int]:
    """Where the content of `times`, `ends`, `key_numbers`, `page_checksums`, `key_ends`, `keys` and
    `frames` starts and ends.

    Everything is checked but what text holds. Raises DecodeError.
    """
    try:
        head, count = _unpack_s4_x4_x4_x8_x8_x8_u4(data)
    except error:
        raise misread(
            _BLOCK_BEGINNING,
            data,
            ("checksum", 4, 8),
            ("index_checksum", 8, 12),
            ("first_sequence", 12, 20),
            ("first_time", 20, 28),
            ("last_time", 28, 36),
            ("count", 36, 40),
        ) from None
    if head != BLOCK_HEAD:
        raise misread(
            _BLOCK_BEGINNING,
            data,
            ("checksum", 4, 8),
            ("index_checksum", 8, 12),
            ("first_sequence", 12, 20),
            ("first_time", 20, 28),
            ("last_time", 28, 36),
            ("count", 36, 40),
        )
    if count > 65536:
        raise DecodeError("too-long", "BLOCK", "count", 36)
    try:
        (frames_size,) = _unpack_u4(data, 40)
    except error:
        raise truncated("BLOCK", len(data), ("frames_size", 40, 44)) from None
    if frames_size > 268435456:
        raise DecodeError("too-long", "BLOCK", "frames_size", 40)
    try:
        (page_count,) = _unpack_u4(data, 44)
    except error:
        raise truncated("BLOCK", len(data), ("page_count", 44, 48)) from None
    if page_count > 65536:
        raise DecodeError("too-long", "BLOCK", "page_count", 44)
    try:
        (key_count,) = _unpack_u4(data, 48)
    except error:
        raise truncated("BLOCK", len(data), ("key_count", 48, 52)) from None
    if key_count > 65536:
        raise DecodeError("too-long", "BLOCK", "key_count", 48)
    try:
        (keys_size,) = _unpack_u4(data, 52)
    except error:
        raise truncated("BLOCK", len(data), ("keys_size", 52, 56)) from None
    if keys_size > 16711680:
        raise DecodeError("too-long", "BLOCK", "keys_size", 52)
    times_end = 56 + count * 8
    if times_end > len(data):
        raise truncated("BLOCK", len(data), ("times", 56, times_end))
    ends_end = times_end + count * 4
    if ends_end > len(data):
        raise truncated("BLOCK", len(data), ("ends", times_end, ends_end))
    key_numbers_end = ends_end + count * 2
    if key_numbers_end > len(data):
        raise truncated("BLOCK", len(data), ("key_numbers", ends_end, key_numbers_end))
    page_checksums_end = key_numbers_end + page_count * 4
    if page_checksums_end > len(data):
        raise truncated("BLOCK", len(data), ("page_checksums", key_numbers_end, page_checksums_end))
    key_ends_end = page_checksums_end + key_count * 4
    if key_ends_end > len(data):
        raise truncated("BLOCK", len(data), ("key_ends", page_checksums_end, key_ends_end))
    keys_end = key_ends_end + keys_size
    if keys_end > len(data):
        raise truncated("BLOCK", len(data), ("keys", key_ends_end, keys_end))
    frames_end = keys_end + frames_size
    if len(data) != frames_end:
        raise ending("BLOCK", "frames", keys_end, frames_end, len(data))
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
    """The octets of BLOCK up to the first field whose size varies."""
    try:
        if count > 65536:
            raise EncodeError("too-long", "BLOCK", "count")
        if frames_size > 268435456:
            raise EncodeError("too-long", "BLOCK", "frames_size")
        if page_count > 65536:
            raise EncodeError("too-long", "BLOCK", "page_count")
        if key_count > 65536:
            raise EncodeError("too-long", "BLOCK", "key_count")
        if keys_size > 16711680:
            raise EncodeError("too-long", "BLOCK", "keys_size")
        return _pack_s4_u4_u4_u8_u8_u8_u4_u4_u4_u4_u4(
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
    except error:
        raise out_of_range(
            "BLOCK",
            ("checksum", checksum, 0, 4294967295),
            ("index_checksum", index_checksum, 0, 4294967295),
            ("first_sequence", first_sequence, 0, 18446744073709551615),
            ("first_time", first_time, 0, 18446744073709551615),
            ("last_time", last_time, 0, 18446744073709551615),
            ("count", count, 0, 4294967295),
            ("frames_size", frames_size, 0, 4294967295),
            ("page_count", page_count, 0, 4294967295),
            ("key_count", key_count, 0, 4294967295),
            ("keys_size", keys_size, 0, 4294967295),
        ) from None


def unpack_block_head(
    data: bytes | bytearray | memoryview, offset: int = 0
) -> tuple[int, int, int, int, int, int, int, int, int, int]:
    """What `block_head` packed, at `offset`. Raises DecodeError."""
    if data[offset : offset + 4] != BLOCK_HEAD:
        raise bad_constants("BLOCK", data, offset, ("magic", b"ZBLK"))
    try:
        checksum, index_checksum, first_sequence, first_time, last_time, count = _unpack_u4_u4_u8_u8_u8_u4(
            data, offset + 4
        )
    except error:
        raise truncated(
            "BLOCK",
            len(data),
            ("checksum", offset + 4, offset + 8),
            ("index_checksum", offset + 8, offset + 12),
            ("first_sequence", offset + 12, offset + 20),
            ("first_time", offset + 20, offset + 28),
            ("last_time", offset + 28, offset + 36),
            ("count", offset + 36, offset + 40),
        ) from None
    if count > 65536:
        raise DecodeError("too-long", "BLOCK", "count", offset + 36)
    try:
        (frames_size,) = _unpack_u4(data, offset + 40)
    except error:
        raise truncated("BLOCK", len(data), ("frames_size", offset + 40, offset + 44)) from None
    if frames_size > 268435456:
        raise DecodeError("too-long", "BLOCK", "frames_size", offset + 40)
    try:
        (page_count,) = _unpack_u4(data, offset + 44)
    except error:
        raise truncated("BLOCK", len(data), ("page_count", offset + 44, offset + 48)) from None
    if page_count > 65536:
        raise DecodeError("too-long", "BLOCK", "page_count", offset + 44)
    try:
        (key_count,) = _unpack_u4(data, offset + 48)
    except error:
        raise truncated("BLOCK", len(data), ("key_count", offset + 48, offset + 52)) from None
    if key_count > 65536:
        raise DecodeError("too-long", "BLOCK", "key_count", offset + 48)
    try:
        (keys_size,) = _unpack_u4(data, offset + 52)
    except error:
        raise truncated("BLOCK", len(data), ("keys_size", offset + 52, offset + 56)) from None
    if keys_size > 16711680:
        raise DecodeError("too-long", "BLOCK", "keys_size", offset + 52)
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


_DECODERS: dict[bytes, Callable[[bytes], Message]] = {
    b"ZEPSJRNL": _decode_segment,
    b"ZBLK": _decode_block,
}


def encode(message: Message) -> bytes:
    """The message as one frame. Raises EncodeError."""
    return message.encode()


def decode(data: bytes | bytearray | memoryview) -> Message:
    """The message that `data` holds, to its last octet. Raises DecodeError, and nothing else."""
    if type(data) is not bytes:
        data = bytes(data)
    for beginning, decoder in _DECODERS.items():
        if data.startswith(beginning):
            return decoder(data)
    raise unknown(data, tuple(_DECODERS))
