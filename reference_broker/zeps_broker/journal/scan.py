"""A segment's octets, cut into runs that can be served and holes that cannot.

Reading, recovery and verification all walk a segment with :func:`next_piece`. Every octet that it hands out
has had its checksum verified in the same call (JOURNAL-BLOCK-1): a block is checked each time it comes from
the disk, not once per process, because at the speed of CRC-32C that costs less than keeping account of what
was checked before.

Small neighbouring blocks come back as one run, so that the replay of a stream that was written message by
message does not cost a block's overhead per message.

After damage the next block is looked for (JOURNAL-BLOCK-4), by the surest means first:

1. the damaged block's own sizes, if valid blocks stand where they and their neighbours' sizes say;
2. the damaged block's frames: the first begins with a known octet sequence, and each gives the length to the
   next;
3. a search for blocks that hold and follow one another up to the file's end and the segment's last sequence, if
   that is known;
4. a search for a block that holds and whose sequence is one that the damaged octets leave room for.

The first two never look inside a message. A stream may well carry journal files as its messages, and a search
alone would find their blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from google_crc32c import extend, value

from zeps_broker.journal.block import (
    ENTRY_OCTETS,
    HEAD_OCTETS,
    MAGIC,
    MESSAGES_MAX,
    NUMBERS_OCTETS,
    UNCOVERED_OCTETS,
    Head,
    ascend,
    index_holds,
    join_numbers,
    lenient_head,
    messages_max_in,
    unpack_ends,
    unpack_head,
    unpack_times,
)
from zeps_broker.ports import Block
from zeps_wire.errors import DecodeError
from zeps_wire.journal import unpack_block_head
from zeps_wire.zeps import deliver_head

__all__ = [
    "RUN_MESSAGES",
    "RUN_OCTETS",
    "SEQUENCE_MAX",
    "Hole",
    "Read",
    "Run",
    "could_be_torn",
    "next_piece",
    "resync",
]

RUN_OCTETS = 256 * 1024
"""A run of several blocks takes at most so many octets of the file; a larger block is a run by itself."""
RUN_MESSAGES = 4096

_LARGE_OCTETS = 64 * 1024
"""From here on a block is a run by itself: joining saves less than copying costs."""
_COPY_OCTETS = 4096
"""Below this a copy costs less than a second call."""
SEQUENCE_MAX = 2**64 - 1
_INDEX_OCTETS_MAX = HEAD_OCTETS + MESSAGES_MAX * (ENTRY_OCTETS + 4 + 4)
"""The most octets before the frames, but for keys; a block with so many keys that it takes more is searched for."""

_WINDOW = 1 << 20
_SEARCH_COST_MAX = 64
"""A search checks at most so many times the octets that it searches: a publisher may have written bait."""

Read = Callable[[int, int], bytes]
"""`read(offset, octets)`: that part of the file, shorter only at its end."""


class Run(NamedTuple):
    """Blocks that hold, joined into one."""

    block: Block
    at: int
    end: int
    """Offset of what follows."""
    next_sequence: int


class Hole(NamedTuple):
    """Octets that hold no block, or a place where blocks are missing."""

    at: int
    end: int
    next_sequence: int | None
    """The sequence at `end`; None if nothing valid follows, so that nobody can tell from here."""
    reason: str


def next_piece(read: Read, at: int, sequence: int, end: int, limit: int | None = None) -> Run | Hole:
    """What stands at `at`, where the block that begins with `sequence` should; `at` < `end`, the end of the
    octets. `limit` is the last sequence that belongs here, if that is known.
    """
    past = SEQUENCE_MAX if limit is None else limit
    run = _read_run(read, at, sequence, end, past)
    if run is not None:
        return run
    head = valid_block(read, at, end)
    if head is not None:
        return _read_run(read, at, sequence, at + head.size, past) or _misplaced(head, at, sequence, past)
    if could_be_torn(read, at, sequence, end):
        return Hole(at, end, None, "an incomplete block")
    reason = _reason(read, at, sequence, end)
    found = resync(read, at, sequence, end, limit)
    return Hole(at, *found, reason) if found else Hole(at, end, None, reason)


def _misplaced(head: Head, at: int, sequence: int, limit: int) -> Hole:
    """A block that holds and is not to be served."""
    if head.first_sequence + head.messages - 1 > limit:
        found = f"a block of sequences from {head.first_sequence}, which the next segment has too"
        return Hole(at, at + head.size, sequence, found)
    if head.first_sequence > sequence:
        return Hole(at, at, head.first_sequence, "sequences are missing before this block")
    if head.first_sequence < sequence:
        found = f"a block of sequences from {head.first_sequence} out of its place"
        return Hole(at, at + head.size, sequence, found)
    return Hole(at, at + head.size, sequence + head.messages, "a block that reads well only at times")


def _read_run(
    read: Read, at: int, sequence: int, end: int, limit: int, messages_max: int = RUN_MESSAGES
) -> Run | None:
    """The run at `at`. What is done for each block is the codec's head, the checksum, and slices."""
    head = unpack_head(octets := read(at, HEAD_OCTETS))
    if head is not None and head.size >= _LARGE_OCTETS:
        return _read_large(read, at, octets, head, sequence, end, limit)
    octets = read(at, min(RUN_OCTETS + HEAD_OCTETS, end - at))
    first, here, available = sequence, 0, len(octets)
    datas: list[bytes] = []
    numbers: list[bytes] = []
    counts: list[int] = []
    while here < available:
        try:
            checksum, _, begins, _, _, count, frames_size, pages, keys, keys_size = unpack_block_head(
                octets, here
            )
        except DecodeError:
            break
        body = here + HEAD_OCTETS
        split = body + ENTRY_OCTETS * count + 4 * (pages + keys) + keys_size
        stop = split + frames_size
        if stop > available:
            break
        if here and (stop > RUN_OCTETS or sequence + count - first > messages_max):
            break
        data = octets[split:stop]
        covered = here + UNCOVERED_OCTETS
        if (
            begins != sequence
            or not count
            or sequence + count - 1 > limit
            or checksum
            != (
                value(octets[covered:stop])
                if frames_size < _COPY_OCTETS
                else extend(value(octets[covered:split]), data)
            )
        ):
            break
        datas.append(data)
        numbers.append(octets[body : body + NUMBERS_OCTETS * count])
        counts.append(count)
        sequence += count
        here = stop
    if not datas:
        return None
    joined = join_numbers(numbers, counts, list(map(len, datas)))
    if joined is None:
        # One of the blocks was written wrong: take them one by one.
        return None if len(datas) == 1 else _read_run(read, at, first, end, limit, 1)
    data = datas[0] if len(datas) == 1 else b"".join(datas)
    return Run(Block(first, data, joined.ends, joined.times), at, at + here, sequence)


def _read_large(
    read: Read, at: int, octets: bytes, head: Head, sequence: int, end: int, limit: int
) -> Run | None:
    """The run of the one large block at `at`, whose head is in `octets`: its parts are read where they stay,
    and not copied.
    """
    stop = at + head.size
    if stop > end or head.first_sequence != sequence or sequence + head.messages - 1 > limit:
        return None
    split = at + head.frames_at
    index, data = read(at + HEAD_OCTETS, split - at - HEAD_OCTETS), read(split, head.frames_size)
    if extend(extend(value(octets[UNCOVERED_OCTETS:]), index), data) != head.checksum:
        return None
    numbers = index[: NUMBERS_OCTETS * head.messages]
    joined = join_numbers((numbers,), (head.messages,), (head.frames_size,))
    if joined is None:
        return None
    return Run(Block(sequence, data, joined.ends, joined.times), at, stop, sequence + head.messages)


def valid_block(read: Read, at: int, end: int) -> Head | None:
    """The head of the block at `at`, if the whole of it holds."""
    head = unpack_head(read(at, HEAD_OCTETS)) if end - at > HEAD_OCTETS else None
    if head is None or at + head.size > end:
        return None
    octets = read(at, head.size)
    if value(octets[UNCOVERED_OCTETS:]) != head.checksum:
        return None
    ends = unpack_ends(octets[HEAD_OCTETS + 8 * head.messages : HEAD_OCTETS + NUMBERS_OCTETS * head.messages])
    return head if ascend(ends, head.frames_size) else None


def could_be_torn(read: Read, at: int, sequence: int, end: int) -> bool:
    """Whether the octets from `at` to `end` are the beginning of the block of `sequence`, which was never
    whole.

    An incomplete block was never acknowledged, and its sequences may be used again; those of a complete block
    whose size is wrong because a bit of it fell over may not. So the size alone does not make a block
    incomplete: what is there of its times must lie between its first and last, what is there of its ends must
    ascend and, if all are there, agree with the size. An index that is whole must be right, and the first frame
    must begin after it as the first frame does; while the index is not whole, no frame may have begun.
    """
    octets = end - at
    if messages_max_in(octets) == 0:
        return True
    head = unpack_head(read(at, HEAD_OCTETS))
    if (
        head is None
        or head.first_sequence != sequence
        or head.size <= octets
        or head.first_time > head.last_time
    ):
        return False
    numbers = read(at + HEAD_OCTETS, NUMBERS_OCTETS * head.messages)
    split = 8 * head.messages
    times = unpack_times(numbers[: min(split, len(numbers)) // 8 * 8])
    if times and not head.first_time <= min(times) <= max(times) <= head.last_time:
        return False
    ends = unpack_ends(numbers[split : split + max(0, len(numbers) - split) // 4 * 4])
    whole = len(ends) == head.messages
    if ends and not (
        ascend(ends, ends[-1]) and (ends[-1] == head.frames_size if whole else ends[-1] < head.frames_size)
    ):
        return False
    present = read(at, min(octets, head.frames_at + len(deliver_head(sequence))))
    if octets < head.frames_at:
        return deliver_head(sequence) not in present
    return index_holds(present, head) and deliver_head(sequence).startswith(present[head.frames_at :])


def resync(read: Read, at: int, sequence: int, end: int, limit: int | None = None) -> tuple[int, int] | None:
    """The next valid block after the damaged one at `at`, or the end if what is there accounts for it
    exactly. `limit` is as in :func:`next_piece`.

    Returns its offset and its first sequence; None if there is none and the sequences cannot be told.
    """
    return (
        _by_sizes(read, at, sequence, end)
        or _by_frames(read, at, sequence, end)
        or (None if limit is None else _by_chain(read, at, sequence, end, limit))
        or _by_search(read, at, sequence, end)
    )


def _by_sizes(read: Read, at: int, sequence: int, end: int) -> tuple[int, int] | None:
    head = lenient_head(read(at, HEAD_OCTETS))
    while head is not None and at + head.size <= end:
        at += head.size
        sequence += head.messages
        if at == end:
            return at, sequence
        head = unpack_head(read(at, HEAD_OCTETS)) if end - at >= HEAD_OCTETS else None
        if head is None or head.first_sequence != sequence:
            return None
        if valid_block(read, at, end):
            return at, sequence
    return None


def _by_frames(read: Read, at: int, sequence: int, end: int) -> tuple[int, int] | None:
    marker = deliver_head(sequence)
    octets = read(at, min(end - at, _INDEX_OCTETS_MAX + len(marker)))
    place = octets.find(marker, HEAD_OCTETS)
    while place >= 0:
        found = _along_frames(read, at + place, sequence, end)
        if found is not None:
            return found
        place = octets.find(marker, place + 1)
    return None


def _along_frames(read: Read, at: int, sequence: int, end: int) -> tuple[int, int] | None:
    """What follows the frames from `at` on, if they are whole and a block follows, or the end."""
    window, start = b"", at
    for each in range(sequence, sequence + MESSAGES_MAX + 1):
        # DELIVER: the head, one octet of length and the key, four octets of length and the body.
        if not window or (at - start + 512 > len(window) and start + len(window) < end):
            window, start = read(at, min(_WINDOW, end - at)), at
        here = at - start
        marker = deliver_head(each)
        if each > sequence and (at == end or not window.startswith(marker, here)):
            return (at, each) if at == end or _follows(read, at, each, end) else None
        if not window.startswith(marker, here) or here + len(marker) >= len(window):
            return None
        body = here + len(marker) + 1 + window[here + len(marker)]
        at = start + body + 4 + int.from_bytes(window[body : body + 4], "big")
        if at > end:
            return None
    return None


def _follows(read: Read, at: int, sequence: int, end: int) -> bool:
    head = valid_block(read, at, end)
    return head is not None and head.first_sequence == sequence


def _by_chain(read: Read, at: int, sequence: int, end: int, limit: int) -> tuple[int, int] | None:
    cost = _SEARCH_COST_MAX * (end - at)
    for place, first in _heads_after(read, at, end):
        if not sequence <= first.first_sequence <= limit:
            continue
        here, due = place, first.first_sequence
        while (head := valid_block(read, here, end)) is not None and head.first_sequence == due:
            here += head.size
            due += head.messages
        if here == end and due == limit + 1:
            return place, first.first_sequence
        cost -= here - place + first.size
        if cost <= 0:
            break
    return None


def _by_search(read: Read, at: int, sequence: int, end: int) -> tuple[int, int] | None:
    cost = _SEARCH_COST_MAX * (end - at)
    for place, head in _heads_after(read, at, end):
        if 0 <= head.first_sequence - sequence <= messages_max_in(place - at):
            if valid_block(read, place, end):
                return place, head.first_sequence
            cost -= head.size
            if cost <= 0:
                break
    return None


def _heads_after(read: Read, at: int, end: int) -> Iterator[tuple[int, Head]]:
    """What looks like a block's head behind `at`, and where."""
    start = at + 1
    while start < end:
        window = read(start, _WINDOW)
        here = window.find(MAGIC)
        while here >= 0:
            near = here + HEAD_OCTETS > len(window)
            head = unpack_head(read(start + here, HEAD_OCTETS)) if near else unpack_head(window, here)
            if head is not None:
                yield start + here, head
            here = window.find(MAGIC, here + 1)
        start += max(1, len(window) - len(MAGIC) + 1)


def _reason(read: Read, at: int, sequence: int, end: int) -> str:
    octets = read(at, HEAD_OCTETS)
    head = unpack_head(octets)
    if octets[: len(MAGIC)] != MAGIC:
        return "no block begins here"
    if head is None:
        return "a block's head with values that no block has"
    if head.first_sequence != sequence:
        return f"a block's head says sequence {head.first_sequence} where {sequence} should be"
    if at + head.size > end:
        return "a block's sizes do not agree with its content"
    return "a block's checksum does not hold"
