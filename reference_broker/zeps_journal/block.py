"""One block, between messages and octets. The formats themselves are the generated codec's
(`protocol/journal.xml`).
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from google_crc32c import extend, value

from zeps_broker.ports import Block
from zeps_broker.runs import Run, sums_of
from zeps_wire.errors import DecodeError
from zeps_wire.journal import BLOCK_HEAD, BLOCK_HEAD_SIZE, block_head, unpack_block_head
from zeps_wire.zeps import deliver_head

__all__ = [
    "ENTRY_OCTETS",
    "FRAMES_OCTETS_MAX",
    "HEAD_OCTETS",
    "MAGIC",
    "MESSAGES_MAX",
    "NUMBERS_OCTETS",
    "PAGE_OCTETS",
    "UNCOVERED_OCTETS",
    "Head",
    "Written",
    "ascend",
    "encode_blocks",
    "index_holds",
    "join_blocks",
    "join_numbers",
    "key_of",
    "lenient_head",
    "messages_max_in",
    "page_checksums",
    "unpack_ends",
    "unpack_head",
    "unpack_times",
]

HEAD_OCTETS = BLOCK_HEAD_SIZE
NUMBERS_OCTETS = 12
"""What each message adds to `times` and `ends`, which stand first in the index."""
ENTRY_OCTETS = NUMBERS_OCTETS + 2
"""What each message adds to the index: those, and the number of its key."""
PAGE_OCTETS = 4096
MESSAGES_MAX = 65_536
FRAMES_OCTETS_MAX = 268_435_456
UNCOVERED_OCTETS = 8
"""Magic and checksum: what the checksum does not cover."""
_INDEX_UNCOVERED_OCTETS = 12
"""The same for the index's checksum, which stands next."""

MAGIC = BLOCK_HEAD
_FRAME_OCTETS_MIN = len(deliver_head(1)) + 5
_KEY_SIZE_AT = len(deliver_head(1))
_KEY_OCTETS_MAX = 255
_MANY = 256
"""From here on arrays are faster than large numbers."""
_SWAP = sys.byteorder == "little"


class Head(NamedTuple):
    """A block's leading fields."""

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
    def frames_at(self) -> int:
        """Where the frames begin, in octets from the block's first."""
        return HEAD_OCTETS + ENTRY_OCTETS * self.messages + 4 * (self.pages + self.keys) + self.keys_size

    @property
    def size(self) -> int:
        """Octets of the whole block."""
        return self.frames_at + self.frames_size


class Written(NamedTuple):
    """A block on its way to the disk: its octets in pieces, and the block that readers will get."""

    buffers: tuple[bytes, ...]
    size: int
    block: Block


def encode_blocks(first_sequence: int, frames: Sequence[bytes], time_us: int) -> list[Written]:
    """`frames` as blocks, one unless they pass a block's limits. Raises EncodeError for a frame that passes
    them alone.
    """
    data = _joined(frames)
    if len(frames) <= MESSAGES_MAX and len(data) <= FRAMES_OCTETS_MAX:
        return [_encode(first_sequence, frames, data, time_us)]
    written = []
    for part in _parts(frames):
        written.append(_encode(first_sequence, part, b"".join(part), time_us))
        first_sequence += len(part)
    return written


def _encode(first_sequence: int, frames: Sequence[bytes], data: bytes, time_us: int) -> Written:
    count, size = len(frames), len(data)
    ends = _ends(frames)
    keys, key_numbers = _number_keys(frames)
    checksums = page_checksums(data)
    joined = b"".join(keys)
    parts = (
        time_us.to_bytes(8, "big") * count,
        _octets(ends),
        key_numbers,
        _octets(array("I", checksums)),
        _octets(array("I", list(accumulate(map(len, keys))))),
        joined,
    )
    index = b"".join(parts)
    fields = (first_sequence, time_us, time_us, count, size, len(checksums), len(keys), len(joined))
    head = block_head(0, 0, *fields)
    index_checksum = extend(value(head[_INDEX_UNCOVERED_OCTETS:]), index)
    head = block_head(0, index_checksum, *fields)
    checksum = extend(extend(value(head[UNCOVERED_OCTETS:]), index), data)
    head = block_head(checksum, index_checksum, *fields)
    block = Block(first_sequence, data, ends, array("Q", (time_us,)) * count)
    return Written((head, index, data), len(head) + len(index) + size, block)


def _joined(frames: Sequence[bytes]) -> bytes:
    if isinstance(frames, Run):
        return frames.joined()
    return frames[0] if len(frames) == 1 else b"".join(frames)


def _ends(frames: Sequence[bytes]) -> array[int]:
    """Where each of the frames ends, counted from where the first begins."""
    if isinstance(frames, Run):
        return array("I", (np.arange(1, len(frames) + 1, dtype=np.uint32) * np.uint32(frames.size)).tobytes())
    # By way of a list, because an array that grows from an iterator takes twice as long.
    return array("I", sums_of(frames))


def _number_keys(frames: Sequence[bytes]) -> tuple[Sequence[bytes], bytes]:
    """The distinct keys, in the order in which they occur, and the number of each frame's on the disk."""
    if len(frames) == 1:
        return (key_of(frames[0]),), b"\0\0"
    keys = _keys_of(frames)
    distinct = list(dict.fromkeys(keys))
    if len(distinct) == 1:
        return distinct, bytes(2 * len(frames))
    numbers = dict(zip(distinct, range(len(distinct)), strict=True))
    return distinct, _octets(array("H", list(map(numbers.__getitem__, keys))))


def _keys_of(frames: Sequence[bytes]) -> list[bytes]:
    if isinstance(frames, Run):
        sizes = frames.rows()[:, _KEY_SIZE_AT]
        size = int(sizes[0])
        if (sizes == size).all():
            return list(frames.column(_KEY_SIZE_AT + 1, _KEY_SIZE_AT + 1 + size))
    return list(map(key_of, frames))


def key_of(frame: bytes) -> bytes:
    """The key of a DELIVER frame."""
    begin = _KEY_SIZE_AT + 1
    return frame[begin : begin + frame[_KEY_SIZE_AT]]


def page_checksums(octets: bytes) -> list[int]:
    """The checksum of each page of `octets`, which begin with a page."""
    if len(octets) <= PAGE_OCTETS:
        return [value(octets)]
    return [value(octets[at : at + PAGE_OCTETS]) for at in range(0, len(octets), PAGE_OCTETS)]


def _parts(frames: Sequence[bytes]) -> Iterator[list[bytes]]:
    part: list[bytes] = []
    octets = 0
    for frame in frames:
        if part and (len(part) == MESSAGES_MAX or octets + len(frame) > FRAMES_OCTETS_MAX):
            yield part
            part, octets = [], 0
        part.append(frame)
        octets += len(frame)
    yield part


def unpack_head(data: bytes, offset: int = 0) -> Head | None:
    """The head at `offset`; None if there is none, or one that no writer makes."""
    try:
        head = Head._make(unpack_block_head(data, offset))
    except DecodeError:
        return None
    credible = (
        head.messages
        and head.frames_size >= head.messages * _FRAME_OCTETS_MIN
        and head.pages == -(-head.frames_size // PAGE_OCTETS)
        and 0 < head.keys <= head.messages
        and head.keys_size <= head.keys * _KEY_OCTETS_MAX
    )
    return head if credible else None


def index_holds(octets: bytes, head: Head) -> bool:
    """Whether the index's checksum holds; `octets` are the block up to its frames."""
    checksum: int = value(octets[_INDEX_UNCOVERED_OCTETS : head.frames_at])
    return checksum == head.index_checksum


def lenient_head(data: bytes) -> Head | None:
    """The head of a damaged block, whatever its magic has become: its sizes may still be right."""
    return unpack_head(MAGIC + data[len(MAGIC) : HEAD_OCTETS])


def unpack_times(octets: bytes) -> array[int]:
    """Times as numbers."""
    numbers = array("Q", octets)
    if _SWAP:
        numbers.byteswap()
    return numbers


def unpack_ends(octets: bytes) -> array[int]:
    """Ends as numbers."""
    numbers = array("I", octets)
    if _SWAP:
        numbers.byteswap()
    return numbers


class Numbers(NamedTuple):
    """The times and ends of some blocks."""

    times: array[int]
    ends: array[int]


def join_numbers(numbers: Sequence[bytes], counts: Sequence[int], sizes: Sequence[int]) -> Numbers | None:
    """Times and ends as those of one block; None if the ends of one are wrong (JOURNAL-BLOCK-2).

    `numbers` are each block's times and ends as they are on the disk, `counts` and `sizes` its messages and the
    octets of its frames. Nothing is done for each message that is not done for all of them at once.
    """
    totals = list(accumulate(sizes))
    if len(counts) == 1:
        split = 8 * counts[0]
        alone = Numbers(unpack_times(numbers[0][:split]), unpack_ends(numbers[0][split:]))
        return alone if ascend(alone.ends, sizes[0]) else None
    if len(counts) == sum(counts):
        return _join_single(array("I", b"".join(numbers)), array("I", sizes), array("I", totals))
    times = b"".join([octets[: 8 * count] for octets, count in zip(numbers, counts, strict=True)])
    ends = b"".join([octets[8 * count :] for octets, count in zip(numbers, counts, strict=True)])
    bases = b"".join(
        [(total - size).to_bytes(4, "big") * n for total, size, n in zip(totals, sizes, counts, strict=True)]
    )
    # The ends as one large number, and so the bases: no sum of two of them passes its four octets.
    summed = int.from_bytes(ends, "big") + int.from_bytes(bases, "big")
    try:
        joined = unpack_ends(summed.to_bytes(len(ends), "big"))
    except OverflowError:
        return None
    if not ascend(joined, totals[-1]) or [joined[place - 1] for place in accumulate(counts)] != totals:
        return None
    return Numbers(unpack_times(times), joined)


def _join_single(words: array[int], sizes: array[int], totals: array[int]) -> Numbers | None:
    """The same for blocks of one message: two words of time and one of end each, as they are on the disk."""
    ends = words[2::3]
    if _SWAP:
        ends.byteswap()
    if ends != sizes or 0 in sizes:
        return None
    times = array("I", bytes(8 * len(ends)))
    times[0::2] = words[0::3]
    times[1::2] = words[1::3]
    return Numbers(unpack_times(times.tobytes()), totals)


def ascend(ends: array[int], frames_size: int) -> bool:
    """Whether `ends` ascend from more than nothing to `frames_size` (JOURNAL-BLOCK-2).

    All neighbours are compared at once: many as an array; few, which is faster for them, as lanes of one large
    number. There no end reaches its lane's highest bit, so with that bit set the end before and one more can be
    taken away, and the bit is gone where there was not enough.
    """
    lanes = len(ends)
    if not lanes or ends[-1] != frames_size:
        return False
    if lanes > _MANY:
        numbers = np.frombuffer(ends, np.uint32)
        return bool(numbers[0] > 0 and (numbers[1:] > numbers[:-1]).all())
    here, high = int.from_bytes(_octets(ends), "big"), int.from_bytes(b"\x80\0\0\0" * lanes, "big")
    if here & high:
        return False
    one_more = (here >> 32) + int.from_bytes(b"\0\0\0\1" * lanes, "big")
    return ((here | high) - one_more) & high == high


def join_blocks(blocks: Sequence[Block]) -> Block:
    """Blocks that follow each other, as one."""
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


def messages_max_in(octets: int) -> int:
    """The most messages that complete blocks of so many octets can hold."""
    return max(0, octets - HEAD_OCTETS - 8) // (ENTRY_OCTETS + _FRAME_OCTETS_MIN)


def _octets(numbers: array[int]) -> bytes:
    if not _SWAP:
        return numbers.tobytes()
    swapped = numbers[:]
    swapped.byteswap()
    return swapped.tobytes()
