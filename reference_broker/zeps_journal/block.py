"""Blocks, as `protocol/journal.xml` defines them: the head, the ranges of the checksums, and the messages."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from google_crc32c import extend, value

from zeps_journal.numbers import ascend, pack_numbers, unpack_ends
from zeps_wire.errors import DecodeError
from zeps_wire.journal import BLOCK_HEAD, BLOCK_HEAD_SIZE, block_head, unpack_block_head
from zeps_wire.zeps import DELIVER_HEAD_SIZE

__all__ = [
    "ENTRY_SIZE",
    "FRAMES_SIZE_MAX",
    "FRAME_SIZE_MIN",
    "HEAD_SIZE",
    "MAGIC",
    "MESSAGES_MAX",
    "NUMBERS_SIZE",
    "PAGE_SIZE",
    "UNCOVERED_SIZE",
    "Block",
    "BlockHead",
    "Data",
    "Encoded",
    "EncodedBlock",
    "block_holds",
    "encode_block",
    "ends_of",
    "index_holds",
    "join_blocks",
    "key_of",
    "lenient_head",
    "messages_max_in",
    "page_checksums",
    "unpack_head",
]

Data: TypeAlias = bytes | npt.NDArray[np.uint8]
"""Bytes, or an array of bytes, which can be sliced without copying."""

HEAD_SIZE = BLOCK_HEAD_SIZE
NUMBERS_SIZE = 12
"""Bytes that each message adds to `times` and `ends`, the first columns of the index."""
ENTRY_SIZE = NUMBERS_SIZE + 2
"""Bytes that each message adds to the index: NUMBERS_SIZE, and two for the number of its key."""
PAGE_SIZE = 4096
MESSAGES_MAX = 65_536
FRAMES_SIZE_MAX = 268_435_456
FRAME_SIZE_MIN = DELIVER_HEAD_SIZE + 5
"""Bytes of a DELIVER with an empty key and an empty body."""
UNCOVERED_SIZE = 8
"""Magic and checksum: the bytes that the block's checksum does not cover."""
_INDEX_UNCOVERED_SIZE = 12
"""The bytes before those covered by the index's checksum, which follows the block's."""

MAGIC = BLOCK_HEAD
_KEY_SIZE_AT = DELIVER_HEAD_SIZE
_KEY_SIZE_MAX = 255


@dataclass(frozen=True, slots=True)
class Block:
    """Messages with consecutive sequences, as adjacent DELIVER frames. `ends[i]` is the end of frame i in `data`;
    `times[i]` is its time of storage, in microseconds since the epoch.
    """

    first_sequence: int
    data: bytes
    ends: Sequence[int]
    times: Sequence[int]

    @property
    def count(self) -> int:
        return len(self.ends)

    @property
    def last_sequence(self) -> int:
        return self.first_sequence + len(self.ends) - 1

    def frames(self, start: int = 0) -> Iterator[bytes]:
        """Yields the frames from index `start` on."""
        data = self.data
        at = self.ends[start - 1] if start else 0
        for end in self.ends[start:]:
            yield data[at:end]
            at = end


class BlockHead(NamedTuple):
    """A block's leading fields, and its offset `at` in the file. Times are microseconds since the epoch, sizes are
    bytes. `messages`, `pages` (of the frames) and `keys` (distinct ones) are numbers.
    """

    at: int
    checksum: int
    index_checksum: int
    first_sequence: int
    first_time: int
    last_time: int
    messages: int
    frames_size: int
    pages: int
    keys: int
    keys_size: int

    @property
    def last_sequence(self) -> int:
        """The sequence of the last message."""
        return self.first_sequence + self.messages - 1

    @property
    def next_sequence(self) -> int:
        """The first sequence after the block."""
        return self.first_sequence + self.messages

    @property
    def frames_at(self) -> int:
        """Offset of the frames in the block."""
        return HEAD_SIZE + ENTRY_SIZE * self.messages + 4 * (self.pages + self.keys) + self.keys_size

    @property
    def size(self) -> int:
        """Bytes of the whole block."""
        return self.frames_at + self.frames_size

    @property
    def end(self) -> int:
        """Offset of the block's end in the file."""
        return self.at + self.size


def unpack_head(data: bytes, offset: int = 0, at: int = 0) -> BlockHead | None:
    """Returns the head at `offset` of `data` (`at` of the file); None if incomplete or invalid (JOURNAL-BLOCK-2)."""
    try:
        head = BlockHead(at, *unpack_block_head(data, offset))
    except DecodeError:
        return None
    credible = (
        head.messages
        and head.frames_size >= head.messages * FRAME_SIZE_MIN
        and head.pages == -(-head.frames_size // PAGE_SIZE)
        and 0 < head.keys <= head.messages
        and head.keys_size <= head.keys * _KEY_SIZE_MAX
    )
    return head if credible else None


def lenient_head(data: bytes, at: int = 0) -> BlockHead | None:
    """Returns a possibly damaged head, whatever its magic; None if it is incomplete or its sizes are impossible."""
    return unpack_head(MAGIC + data[len(MAGIC) : HEAD_SIZE], 0, at)


def index_holds(data: Data, head: BlockHead) -> bool:
    """Returns whether the index's checksum is correct; `data` is the block, at least up to its frames."""
    checksum: int = value(data[_INDEX_UNCOVERED_SIZE : head.frames_at])
    return checksum == head.index_checksum


def block_holds(data: Data, head: BlockHead) -> bool:
    """Returns whether the checksum and ends of the block `data` are right (JOURNAL-BLOCK-6); ignores the magic."""
    if len(data) != head.size or value(data[UNCOVERED_SIZE:]) != head.checksum:
        return False
    return ascend(ends_of(data, head), head.frames_size)


def ends_of(data: Data, head: BlockHead) -> array[int]:
    """Returns each frame's end, from the first frame's start; `data` is the block, at least up to its frames."""
    begin = HEAD_SIZE + 8 * head.messages
    return unpack_ends(bytes(data[begin : begin + 4 * head.messages]))


def key_of(frame: bytes) -> bytes:
    """Returns the key of a DELIVER frame."""
    begin = _KEY_SIZE_AT + 1
    return frame[begin : begin + frame[_KEY_SIZE_AT]]


def page_checksums(data: Data) -> list[int]:
    """Returns the CRC-32C of each page of PAGE_SIZE bytes; `data` begins with a page, and its last may be shorter."""
    if len(data) <= PAGE_SIZE:
        return [value(data)]
    return [value(data[at : at + PAGE_SIZE]) for at in range(0, len(data), PAGE_SIZE)]


def messages_max_in(size: int) -> int:
    """Returns the maximum number of messages in complete blocks of `size` bytes."""
    return max(0, size - HEAD_SIZE - 8) // (ENTRY_SIZE + FRAME_SIZE_MIN)


class Encoded(NamedTuple):
    """An encoded block, in pieces."""

    head: bytes
    columns: bytes
    frames: bytes

    @property
    def size(self) -> int:
        """Bytes of the whole block."""
        return sum(map(len, self))


class EncodedBlock(NamedTuple):
    """The same block in its encoded form, for the disk, and in its decoded form, for readers."""

    encoded: Encoded
    block: Block


def encode_block(
    first_sequence: int,
    span: tuple[int, int],
    times: bytes,
    ends: array[int],
    keys: Sequence[bytes],
    numbers: bytes,
    frames: bytes,
) -> Encoded:
    """Encodes a block of `frames`, adjacent DELIVER frames. Raises EncodeError beyond the format's limits. `ends` is
    the end of each frame in bytes, `span` the earliest and latest of `times`, `keys` the distinct keys in order of
    first occurrence. `times` (8 bytes each) and `numbers` (each message's key number, 2 bytes each) are as on disk. The
    arguments are not checked against each other.
    """
    checksums = page_checksums(frames)
    joined = b"".join(keys)
    parts = (
        times,
        pack_numbers(ends),
        numbers,
        pack_numbers(array("I", checksums)),
        pack_numbers(array("I", list(accumulate(map(len, keys))))),
        joined,
    )
    index = b"".join(parts)
    counts = (len(ends), len(frames), len(checksums), len(keys), len(joined))
    fields = (first_sequence, *span, *counts)
    head = block_head(0, 0, *fields)
    index_checksum = extend(value(head[_INDEX_UNCOVERED_SIZE:]), index)
    head = block_head(0, index_checksum, *fields)
    checksum = extend(extend(value(head[UNCOVERED_SIZE:]), index), frames)
    return Encoded(block_head(checksum, index_checksum, *fields), index, frames)


def join_blocks(blocks: Sequence[Block]) -> Block:
    """Joins blocks of consecutive sequences, at least one, into one; a single block is returned itself."""
    if len(blocks) == 1:
        return blocks[0]
    times: array[int] = array("Q")
    ends: array[int] = array("I")
    base = 0
    for block in blocks:
        times.extend(block.times)
        ends.extend([base + end for end in block.ends])
        base += len(block.data)
    return Block(blocks[0].first_sequence, b"".join([block.data for block in blocks]), ends, times)
