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
3. a search for the blocks behind that hold, as chains of such as follow one another.

The first two never look inside a message. A stream may well carry journal files as its messages, and a search
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

from zeps_journal.block import (
    ENTRY_OCTETS,
    HEAD_OCTETS,
    MAGIC,
    MESSAGES_MAX,
    NUMBERS_OCTETS,
    Head,
    ascend,
    index_holds,
    lenient_head,
    messages_max_in,
    unpack_ends,
    unpack_head,
    unpack_times,
)
from zeps_journal.block_run import RUN_MESSAGES, RUN_OCTETS, SEQUENCE_MAX, Read, Run, read_run, valid_block
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
    "valid_block",
]

_INDEX_OCTETS_MAX = HEAD_OCTETS + MESSAGES_MAX * (ENTRY_OCTETS + 4 + 4)
"""The most octets before the frames, but for keys; a block with so many keys that it takes more is searched for."""

_WINDOW = 1 << 20
_SEARCH_COST_MAX = 8
"""A search reads and checks in vain at most so many times the octets that it searches: a publisher may have written
bait.
"""
_SEQUENCE_END = len(deliver_head(1))
_FRAME = deliver_head(1)[:-8]
"""What each frame begins with; its sequence follows."""
_FRAME_HEAD_OCTETS_MAX = _SEQUENCE_END + 1 + 255 + 4
"""A frame up to its body: the head, a length and the key, and the body's length."""
_FRAME_COST = 64
"""To try a frame takes as long as to check about so many octets."""


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
    run = read_run(read, at, sequence, end, past)
    if run is not None:
        return run
    head = valid_block(read, at, end)
    if head is not None:
        return read_run(read, at, sequence, at + head.size, past) or _misplaced(head, at, sequence, past)
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
        or _by_search(read, at, sequence, end, limit)
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


class _Chain(NamedTuple):
    """Blocks that hold and follow one another. Frames lead to the first, or to the file's end, from `begin` on."""

    at: int
    end: int
    first_sequence: int
    next_sequence: int
    begin: int
    """`at` if there are none."""
    begin_sequence: int


class _Frames(NamedTuple):
    """Frames that follow one another up to `end`, where the block of sequence `due` begins, or the file ends. With
    `due` 0 nothing such is there, and the end is the last frame's begin, for nothing vouches for its length.
    """

    at: int
    first_sequence: int
    end: int
    due: int


class _Window:
    """The octets up to `end`, read in large parts; `left` is how many may still be read or checked in vain."""

    def __init__(self, read: Read, end: int, left: int) -> None:
        self._read = read
        self._end = end
        self._at = 0
        self._octets = b""
        self.left = left

    def read(self, offset: int, octets: int) -> bytes:
        """As `read` that it was made of."""
        octets = min(octets, self._end - offset)
        here = offset - self._at
        if here < 0 or here + octets > len(self._octets):
            if octets > _WINDOW // 2:
                return self._read(offset, octets)
            self._octets, self._at, here = self._read(offset, _WINDOW), offset, 0
            self.left -= len(self._octets)
        return self._octets[here : here + octets]

    def find(self, mark: bytes, here: int) -> int:
        """Where `mark` stands next, from `here` on; the end if it does not."""
        while here < self._end:
            if not self._at <= here < self._at + len(self._octets):
                self.read(here, 1)
            found = self._octets.find(mark, here - self._at)
            if found >= 0:
                return self._at + found
            behind = self._at + len(self._octets)
            if behind >= self._end or not self._octets:
                break
            # The mark may have begun in this part; the next begins there.
            here = max(here + 1, behind - len(mark) + 1)
            self._octets, self._at = self._read(here, _WINDOW), here
            self.left -= len(self._octets)
        return self._end


def _by_search(read: Read, at: int, sequence: int, end: int, limit: int | None) -> tuple[int, int] | None:
    found = _chains(read, at, sequence, end, SEQUENCE_MAX if limit is None else limit)
    if limit is not None and (way := _way(read, found, sequence, end, limit)):
        return way[0].at, way[0].first_sequence
    for chain in _way(read, found, sequence, end, None):
        here, first = chain.at, chain.first_sequence
        while here < chain.end and (head := unpack_head(read(here, HEAD_OCTETS))) is not None:
            if first - sequence <= messages_max_in(here - at):
                return here, first
            here, first = here + head.size, first + head.messages
    return None


def _chains(read: Read, at: int, sequence: int, end: int, limit: int) -> list[_Chain]:
    """What holds behind `at`: chains of the sequences up to `limit`, and blocks of others; nothing if bait makes it
    too dear to tell.

    Blocks that hold, and frames that lead to a block, are looked at once, and not into them.
    """
    window = _Window(read, end, _SEARCH_COST_MAX * (end - at))
    found: list[_Chain] = []
    here, led = at + 1, _Frames(at, 0, 0, 0)
    block = frame = at
    while here < end and window.left > 0:
        block = block if block >= here else window.find(MAGIC, here)
        frame = frame if frame >= here else window.find(_FRAME, here)
        if frame < block:
            led = _follow_frames(window.read, frame, end)
            window.left -= 0 if led.due else _FRAME_COST
            here = max(led.end, frame + 1)
            if (led.end, led.due) == (end, limit + 1):
                found.append(_Chain(end, end, led.due, led.due, led.at, led.first_sequence))
        elif block == end:
            break
        elif (head := valid_block(window.read, block, end)) is None:
            window.left -= _claim(window.read, block, end)
            here = block + 1
        else:
            here, following = block + head.size, head.first_sequence + head.messages
            if sequence <= head.first_sequence and following - 1 <= limit:
                while here < end and (run := read_run(window.read, here, following, end, limit)):
                    here, following = run.end, run.next_sequence
            first = head.first_sequence
            begin = (led.at, led.first_sequence) if (led.end, led.due) == (block, first) else (block, first)
            found.append(_Chain(block, here, first, following, *begin))
    return found if window.left > 0 else []


def _claim(read: Read, at: int, end: int) -> int:
    """How many octets were checked to see that no block stands at `at`."""
    head = unpack_head(read(at, HEAD_OCTETS))
    return head.size if head is not None and at + head.size <= end else 0


def _follow_frames(read: Read, at: int, end: int) -> _Frames:
    begin, first = at, int.from_bytes(read(at, _SEQUENCE_END)[len(_FRAME) :], "big")
    last, due = at, first
    while at < end:
        octets = read(at, _FRAME_HEAD_OCTETS_MAX)
        if due > SEQUENCE_MAX or not octets.startswith(deliver_head(due)):
            head = lenient_head(octets)
            if head is not None and head.first_sequence == due:
                return _Frames(begin, first, at, due)
            break
        last = at
        if len(octets) == _SEQUENCE_END:
            break
        body = _SEQUENCE_END + 1 + octets[_SEQUENCE_END]
        at += body + 4 + int.from_bytes(octets[body : body + 4], "big")
        due += 1
    return _Frames(begin, first, at, due) if at == end else _Frames(begin, first, last, 0)


def _way(read: Read, found: list[_Chain], sequence: int, end: int, limit: int | None) -> list[_Chain]:
    """The chains that lead from one to the next to the end, where sequence `limit` is the last; to the last octets,
    whatever they are, if it is None. From the end on each chain is taken that leads to what is taken already. Between
    chains that contradict each other octets decide, but one that reaches the end without damage stays.
    """
    past = SEQUENCE_MAX if limit is None else limit + 1
    goal = _Chain(end, end, past, past, end, past)
    way = [goal]
    behind = end
    for chain in reversed(found):
        adjacent, behind = behind == chain.end, chain.at
        if chain.first_sequence < sequence or chain.next_sequence > past:
            continue
        place, octets = len(way) - 1, chain.end - chain.at
        while not (_leads(read, chain, way[place], adjacent) or (place == 0 and limit is None)):
            octets -= way[place].end - way[place].at
            if octets <= 0 or place == 0 or way[place].end == end:
                break
            place -= 1
        else:
            way[place + 1 :] = [chain]
    return way[:0:-1]


def _leads(read: Read, chain: _Chain, following: _Chain, adjacent: bool) -> bool:
    """Whether what is between `chain` and `following` can be damage of the stream's own blocks. If they are
    `adjacent`, there is nothing, or first a block out of its place.
    """
    missing = following.first_sequence - chain.next_sequence
    led = chain.begin < chain.at
    if missing <= 0:
        return missing == 0 and (adjacent or led)
    # What is missing has its index before the frames that are left of it.
    left = following.first_sequence - following.begin_sequence
    room = messages_max_in(following.begin - chain.end + left * (_SEQUENCE_END + 5))
    if led or left <= missing <= room:
        return True
    head = unpack_head(read(chain.end, HEAD_OCTETS))
    return head is not None and (head.first_sequence, head.messages) == (chain.next_sequence, missing)


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
