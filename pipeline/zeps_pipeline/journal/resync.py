"""The next block after damage, by the surest means first (JOURNAL-BLOCK-4):

1. the damaged block's own sizes, if a block that holds, or the file's end, stands where they say;
2. the damaged block's frames: the first begins with a known octet sequence, and each gives the length to the
   next;
3. a search for the blocks behind that hold, as chains of such as follow one another.

The first two never look inside a message: a stream may well carry journal files as its messages, and a search
alone would find their blocks. So the third follows frames, too, and looks at nothing inside them; and of the chains
it believes those that lead, one to the next, to the file's end and the segment's last sequence. Between two of them
another damage may lie: octets that have room for the sequences that are missing, or a head that says as many, or
anything behind a chain to which frames have led. If nothing leads to the last sequence, or it is not known, chains
that lead to the last octets are believed, from the first block on for whose sequence the damaged octets leave room.

What cannot be told apart: if all octets from the damage's begin to a message's body are lost, blocks in this body
pass for the stream's if they end with it and go up to the next block's sequence, or if behind them there is room
for the sequences that they leave open.
"""

from __future__ import annotations

from typing import NamedTuple

from zeps_journal.segment_file import (
    ENTRY_OCTETS,
    FRAME_OCTETS_MIN,
    HEAD_OCTETS,
    MAGIC,
    MESSAGES_MAX,
    BlockHead,
    SegmentFile,
    messages_max_in,
    unpack_head,
)
from zeps_wire.zeps import DELIVER_HEAD_SIZE, deliver_head

__all__ = ["resync"]

_WINDOW = 1 << 20
_SEARCH_COST_MAX = 8
"""A search reads and checks in vain at most so many times the octets that it searches: a publisher may have written
bait.
"""
_SEQUENCE_MAX = 2**64 - 1
_FRAME = deliver_head(1)[:-8]
"""What each frame begins with; its sequence follows."""
_SEQUENCE_END = DELIVER_HEAD_SIZE
_FRAME_HEAD_OCTETS_MAX = _SEQUENCE_END + 1 + 255 + 4
"""A frame up to its body: the head, a length and the key, and the body's length."""
_FRAME_COST = 64
"""To try a frame takes as long as to check about so many octets."""
_INDEX_OCTETS_MAX = HEAD_OCTETS + MESSAGES_MAX * (ENTRY_OCTETS + 4 + 4)


def resync(file: SegmentFile, at: int, sequence: int, limit: int | None) -> tuple[int, int | None]:
    """Where the octets end that are no block from `at` on, where the block of `sequence` should be, and the
    sequence there; None if nothing follows that says so. `limit` is the segment's last sequence, if that is known.
    """
    return (
        _by_sizes(file, at, sequence)
        or _by_frames(file, at, sequence)
        or _by_search(file, at, sequence, limit)
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


class _Chain(NamedTuple):
    """Blocks that hold and follow one another, from octet `at` to `end`. Frames lead to the first, or to the file's
    end, from `begin` on.
    """

    at: int
    end: int
    first_sequence: int
    next_sequence: int
    begin: int
    """`at` if there are none."""
    begin_sequence: int
    room_at: int | None = None
    """The first of its blocks for whose sequence the octets before it leave room; None if there is none."""
    room_sequence: int = 0


class _Frames(NamedTuple):
    """Frames that follow one another up to `end`, where the block of sequence `due` begins, or the file ends. With
    `due` 0 nothing such is there, and the end is the last frame's begin, for nothing vouches for its length.
    """

    at: int
    first_sequence: int
    end: int
    due: int


class _Marks:
    """The places where a mark stands, asked in ascending order; `read` is how many octets that took."""

    def __init__(self, file: SegmentFile, mark: bytes) -> None:
        self._file = file
        self._mark = mark
        self._at = 0
        self._octets = b""
        self._found = -1
        self.read = 0

    def next(self, here: int) -> int:
        """Where the mark stands next, from `here` on; the file's end if it does not."""
        while self._found < here:
            place = self._octets.find(self._mark, here - self._at) if here >= self._at else -1
            if place >= 0:
                self._found = self._at + place
                break
            behind = self._at + len(self._octets)
            if behind >= self._file.octets:
                self._found = self._file.octets
                break
            # The mark may have begun in these octets.
            self._at = max(here, behind - len(self._mark) + 1)
            self._octets = self._file.read(self._at, _WINDOW)
            self.read += len(self._octets)
            if len(self._octets) < len(self._mark):
                self._found = self._file.octets
        return self._found


def _by_search(file: SegmentFile, at: int, sequence: int, limit: int | None) -> tuple[int, int] | None:
    found = _chains(file, at, sequence, _SEQUENCE_MAX if limit is None else limit)
    if limit is not None and (way := _way(file, found, sequence, limit)):
        return way[0].at, way[0].first_sequence
    for chain in _way(file, found, sequence, None):
        if chain.room_at is not None:
            return chain.room_at, chain.room_sequence
    return None


def _chains(file: SegmentFile, at: int, sequence: int, limit: int) -> list[_Chain]:
    """What holds behind `at`: chains of the sequences up to `limit`, and blocks of others; nothing if bait makes it
    too dear to tell.

    Blocks that hold, and frames that lead to a block, are looked at once, and not into them.
    """
    cost = _SEARCH_COST_MAX * (file.octets - at)
    blocks, frames = _Marks(file, MAGIC), _Marks(file, _FRAME)
    found: list[_Chain] = []
    here, led, vain = at + 1, _Frames(at, 0, 0, 0), 0
    while here < file.octets:
        if vain + blocks.read + frames.read > cost:
            return []
        block, frame = blocks.next(here), frames.next(here)
        if frame < block:
            led = _follow_frames(file, frame)
            vain += 0 if led.due else _FRAME_COST
            here = max(led.end, frame + 1)
            if (here, led.due) == (file.octets, limit + 1):
                found.append(_Chain(here, here, led.due, led.due, led.at, led.first_sequence))
            continue
        head = file.head(block) if block < file.octets else None
        if head is None or not file.holds(head):
            vain += head.octets if head is not None and head.end <= file.octets else 0
            here = block + 1
            continue
        chain = _chain(file, head, at, sequence, limit)
        if (led.end, led.due) == (chain.at, chain.first_sequence):
            chain = chain._replace(begin=led.at, begin_sequence=led.first_sequence)
        found.append(chain)
        here = chain.end
    return found


def _chain(file: SegmentFile, first: BlockHead, at: int, sequence: int, limit: int) -> _Chain:
    """The chain that begins with `first`, which holds; that block alone if it is none that could be served."""
    room_at, room_sequence = None, 0
    last, head = first, first if sequence <= first.first_sequence and first.last_sequence <= limit else None
    while head is not None:
        last = head
        if room_at is None and head.first_sequence - sequence <= messages_max_in(head.at - at):
            room_at, room_sequence = head.at, head.first_sequence
        head = file.head(last.end)
        follows = head is not None and head.first_sequence == last.last_sequence + 1
        if head is None or not follows or head.last_sequence > limit or not file.holds(head):
            break
    begin = first.at, first.first_sequence
    return _Chain(first.at, last.end, begin[1], last.last_sequence + 1, *begin, room_at, room_sequence)


def _follow_frames(file: SegmentFile, at: int) -> _Frames:
    begin, first = at, int.from_bytes(file.read(at, _SEQUENCE_END)[len(_FRAME) :], "big")
    last, due = at, first
    while at < file.octets:
        octets = file.read(at, _FRAME_HEAD_OCTETS_MAX)
        if due > _SEQUENCE_MAX or not octets.startswith(deliver_head(due)):
            head = unpack_head(MAGIC + octets[len(MAGIC) :], 0, at)
            if head is not None and head.first_sequence == due:
                return _Frames(begin, first, at, due)
            break
        last = at
        if len(octets) == _SEQUENCE_END:
            break
        body = _SEQUENCE_END + 1 + octets[_SEQUENCE_END]
        at += body + 4 + int.from_bytes(octets[body : body + 4], "big")
        due += 1
    return _Frames(begin, first, at, due) if at == file.octets else _Frames(begin, first, last, 0)


def _way(file: SegmentFile, found: list[_Chain], sequence: int, limit: int | None) -> list[_Chain]:
    """The chains that lead from one to the next to the end, where sequence `limit` is the last; to the last octets,
    whatever they are, if it is None. From the end on each chain is taken that leads to what is taken already. Between
    chains that contradict each other octets decide, but one that reaches the end without damage stays.
    """
    end, past = file.octets, _SEQUENCE_MAX if limit is None else limit + 1
    goal = _Chain(end, end, past, past, end, past)
    way = [goal]
    behind = end
    for chain in reversed(found):
        adjacent, behind = behind == chain.end, chain.at
        if chain.first_sequence < sequence or chain.next_sequence > past:
            continue
        place, octets = len(way) - 1, chain.end - chain.at
        while not (_leads(file, chain, way[place], adjacent) or (place == 0 and limit is None)):
            octets -= way[place].end - way[place].at
            if octets <= 0 or place == 0 or way[place].end == end:
                break
            place -= 1
        else:
            way[place + 1 :] = [chain]
    return way[:0:-1]


def _leads(file: SegmentFile, chain: _Chain, following: _Chain, adjacent: bool) -> bool:
    """Whether what is between `chain` and `following` can be damage of the stream's own blocks. If they are
    `adjacent`, there is nothing, or first a block out of its place.
    """
    missing = following.first_sequence - chain.next_sequence
    led = chain.begin < chain.at
    if missing <= 0:
        return missing == 0 and (adjacent or led)
    # What is missing has its index before the frames that are left of it.
    left = following.first_sequence - following.begin_sequence
    room = messages_max_in(following.begin - chain.end + left * FRAME_OCTETS_MIN)
    if led or left <= missing <= room:
        return True
    head = file.head(chain.end)
    return head is not None and (head.first_sequence, head.messages) == (chain.next_sequence, missing)
