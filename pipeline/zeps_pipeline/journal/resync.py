"""The next block after damage, by the surest means first (JOURNAL-BLOCK-4):

1. the damaged block's own sizes, if a block that holds, or the file's end, stands where they say;
2. the damaged block's frames: the first begins with a known octet sequence, and each gives the length to the
   next;
3. a search for blocks that hold and follow one another up to the file's end and the segment's last sequence, if
   that is known;
4. a search for a block that holds and whose sequence is one that the damaged octets leave room for.

The first two never look inside a message: a stream may well carry journal files as its messages, and a search
alone would find their blocks.
"""

from __future__ import annotations

from collections.abc import Iterator

from zeps_pipeline.journal.blocks import (
    ENTRY_OCTETS,
    HEAD_OCTETS,
    MAGIC,
    MESSAGES_MAX,
    BlockHead,
    SegmentFile,
    messages_max_in,
    unpack_head,
)
from zeps_wire.zeps import deliver_head

__all__ = ["resync"]

_WINDOW = 1 << 20
_SEARCH_COST_MAX = 64
"""A search checks at most so many times the octets that it searches: a publisher may have written bait."""
_INDEX_OCTETS_MAX = HEAD_OCTETS + MESSAGES_MAX * (ENTRY_OCTETS + 4 + 4)


def resync(file: SegmentFile, at: int, sequence: int, limit: int | None) -> tuple[int, int | None]:
    """Where the octets end that are no block from `at` on, where the block of `sequence` should be, and the
    sequence there; None if nothing follows that says so. `limit` is the segment's last sequence, if that is known.
    """
    return (
        _by_sizes(file, at, sequence)
        or _by_frames(file, at, sequence)
        or (None if limit is None else _by_chain(file, at, sequence, limit))
        or _by_search(file, at, sequence)
        or (file.octets, None)
    )


def _by_sizes(file: SegmentFile, at: int, sequence: int) -> tuple[int, int] | None:
    octets = file.read(at, HEAD_OCTETS)
    head = unpack_head(MAGIC + octets[len(MAGIC) :], 0, at)
    while head is not None and head.end <= file.octets:
        sequence += head.messages
        if head.end == file.octets:
            return head.end, sequence
        head = file.head(head.end)
        if head is None or head.first_sequence != sequence:
            return None
        if file.holds(head):
            return head.at, sequence
    return None


def _by_frames(file: SegmentFile, at: int, sequence: int) -> tuple[int, int] | None:
    marker = deliver_head(sequence)
    octets = file.read(at, _INDEX_OCTETS_MAX + len(marker))
    place = octets.find(marker, HEAD_OCTETS)
    while place >= 0:
        found = _along_frames(file, at + place, sequence)
        if found is not None:
            return found
        place = octets.find(marker, place + 1)
    return None


def _along_frames(file: SegmentFile, at: int, sequence: int) -> tuple[int, int] | None:
    """What follows the frames from `at` on, if they are whole and a block follows, or the end."""
    window, start = b"", at
    for each in range(sequence, sequence + MESSAGES_MAX + 1):
        # DELIVER: the head, one octet of length and the key, four octets of length and the body.
        if not window or (at - start + 512 > len(window) and start + len(window) < file.octets):
            window, start = file.read(at, _WINDOW), at
        here = at - start
        marker = deliver_head(each)
        if each > sequence and (at == file.octets or not window.startswith(marker, here)):
            return (at, each) if at == file.octets or _follows(file, at, each) else None
        if not window.startswith(marker, here) or here + len(marker) >= len(window):
            return None
        body = here + len(marker) + 1 + window[here + len(marker)]
        at = start + body + 4 + int.from_bytes(window[body : body + 4], "big")
        if at > file.octets:
            return None
    return None


def _follows(file: SegmentFile, at: int, sequence: int) -> bool:
    head = file.head(at)
    return head is not None and head.first_sequence == sequence and file.holds(head)


def _by_chain(file: SegmentFile, at: int, sequence: int, limit: int) -> tuple[int, int] | None:
    cost = _SEARCH_COST_MAX * (file.octets - at)
    for first in _heads_after(file, at):
        if not sequence <= first.first_sequence <= limit:
            continue
        head: BlockHead | None = first
        here, due = first.at, first.first_sequence
        while head is not None and head.first_sequence == due and file.holds(head):
            here, due = head.end, head.last_sequence + 1
            head = file.head(here)
        if here == file.octets and due == limit + 1:
            return first.at, first.first_sequence
        cost -= here - first.at + first.octets
        if cost <= 0:
            break
    return None


def _by_search(file: SegmentFile, at: int, sequence: int) -> tuple[int, int] | None:
    cost = _SEARCH_COST_MAX * (file.octets - at)
    for head in _heads_after(file, at):
        if 0 <= head.first_sequence - sequence <= messages_max_in(head.at - at):
            if file.holds(head):
                return head.at, head.first_sequence
            cost -= head.octets
            if cost <= 0:
                break
    return None


def _heads_after(file: SegmentFile, at: int) -> Iterator[BlockHead]:
    """What looks like a block's head behind `at`."""
    start = at + 1
    while start < file.octets:
        window = file.read(start, _WINDOW)
        here = window.find(MAGIC)
        while here >= 0:
            place = start + here
            near = here + HEAD_OCTETS > len(window)
            octets, offset = (file.read(place, HEAD_OCTETS), 0) if near else (window, here)
            head = unpack_head(octets, offset, place)
            if head is not None:
                yield head
            here = window.find(MAGIC, here + 1)
        start += max(1, len(window) - len(MAGIC) + 1)
