"""Finds the next block after damage (JOURNAL-BLOCK-10), by the most reliable of three methods first:

1. the damaged block's own sizes, if its neighbours confirm the positions that they give;
2. the damaged block's frames: the first begins with a known byte sequence, and each length leads to the next frame;
3. a search for the following blocks, as chains of consecutive blocks.

A block counts if its index's checksum is correct, because its messages can then be saved one by one. The first two
methods never look inside a message, which may contain a journal's blocks. The third skips the content of frames too. It
accepts chains that lead, one to the next, to the file's end and the segment's last sequence. Between two chains there
may be more damage: bytes with enough space for the missing sequences, or a head that gives that number, or anything
behind a chain to which frames have led. If no chain leads to the last sequence, or it is not known, chains that lead to
the last bytes are accepted, from the first block on whose sequence is possible after the damaged bytes.

One case is ambiguous: if all bytes from the start of the damage to a message's body are lost, blocks in this body are
taken for the stream's if they end with it and continue up to the next block's sequence, or if the bytes behind them
have space for the missing sequences.
"""

from __future__ import annotations

from typing import NamedTuple

from zeps_journal.block import (
    ENTRY_SIZE,
    FRAME_SIZE_MIN,
    HEAD_SIZE,
    MAGIC,
    MESSAGES_MAX,
    lenient_head,
    messages_max_in,
    unpack_head,
)
from zeps_journal.block_run import SEQUENCE_MAX, Read, read_run
from zeps_journal.salvage import intact_index
from zeps_wire.zeps import DELIVER_HEAD, DELIVER_HEAD_SIZE, deliver_head

__all__ = ["resync"]

_INDEX_SIZE_MAX = HEAD_SIZE + MESSAGES_MAX * (ENTRY_SIZE + 4 + 4)
"""Maximum bytes before the frames, without keys; a block whose keys need more is found by the search."""

_WINDOW = 1 << 20
_SEARCH_COST_MAX = 8
"""The search may read and verify in vain at most this many times its bytes: a publisher may write decoys."""
_FRAME_HEAD_SIZE_MAX = DELIVER_HEAD_SIZE + 1 + 255 + 4
"""The bytes of a frame before its body: the head, a length and the key, and the body's length."""
_FRAME_COST = 64
"""Testing a frame takes as long as verifying about this many bytes."""


def resync(read: Read, at: int, sequence: int, end: int, limit: int | None = None) -> tuple[int, int] | None:
    """Returns the offset and first sequence of the next block with an intact index after the damaged one at `at`, or of
    the file's end if the damage extends to it, else None. `sequence` is due at `at`; `limit` is the segment's last, if
    known.
    """
    return (
        _by_sizes(read, at, sequence, end)
        or _by_frames(read, at, sequence, end)
        or _by_search(read, at, sequence, end, limit)
    )


def _by_sizes(read: Read, at: int, sequence: int, end: int) -> tuple[int, int] | None:
    head = lenient_head(read(at, HEAD_SIZE))
    while head is not None and at + head.size <= end:
        at += head.size
        sequence += head.messages
        if at == end:
            return at, sequence
        if intact_index(read, at, end, sequence):
            return at, sequence
        head = lenient_head(read(at, HEAD_SIZE))
        if head is None or head.first_sequence != sequence:
            return None
    return None


def _by_frames(read: Read, at: int, sequence: int, end: int) -> tuple[int, int] | None:
    marker = deliver_head(sequence)
    data = read(at, min(end - at, _INDEX_SIZE_MAX + len(marker)))
    place = data.find(marker, HEAD_SIZE)
    while place >= 0:
        following = _along_frames(read, at + place, sequence, end)
        if following is not None:
            return following
        place = data.find(marker, place + 1)
    return None


def _along_frames(read: Read, at: int, sequence: int, end: int) -> tuple[int, int] | None:
    """Follows the frames from `at` on to the next block or the file's end; returns its offset and sequence, or None."""
    window, start = b"", at
    for number in range(sequence, sequence + MESSAGES_MAX + 1):
        # DELIVER: the head, one byte of length and the key, four bytes of length and the body.
        if not window or (at - start + 512 > len(window) and start + len(window) < end):
            window, start = read(at, min(_WINDOW, end - at)), at
        here = at - start
        marker = deliver_head(number)
        if number > sequence and (at == end or not window.startswith(marker, here)):
            return (at, number) if at == end or _follows(read, at, number, end) else None
        if not window.startswith(marker, here) or here + len(marker) >= len(window):
            return None
        body = here + len(marker) + 1 + window[here + len(marker)]
        at = start + body + 4 + int.from_bytes(window[body : body + 4], "big")
        if at > end:
            return None
    return None


def _follows(read: Read, at: int, sequence: int, end: int) -> bool:
    return intact_index(read, at, end, sequence) is not None


class _Chain(NamedTuple):
    """Consecutive valid blocks. Frames lead to the first of them, or to the file's end, from `begin` on."""

    at: int
    end: int
    first_sequence: int
    next_sequence: int
    begin: int
    """Equal to `at` without such frames."""
    begin_sequence: int


class _Frames(NamedTuple):
    """Consecutive frames up to `end`, where the block of sequence `due` begins or the file ends. If neither is there,
    `due` is 0 and `end` is the start of the last frame, because its length may be wrong.
    """

    at: int
    first_sequence: int
    end: int
    due: int


class _Window:
    """The file's bytes up to `end`, read in large parts; `left` is how many more may be read or verified in vain."""

    def __init__(self, read: Read, end: int, left: int) -> None:
        self._read = read
        self._end = end
        self._at = 0
        self._data = b""
        self.left = left

    def read(self, offset: int, size: int) -> bytes:
        """Like the `read` of the file."""
        size = min(size, self._end - offset)
        here = offset - self._at
        if here < 0 or here + size > len(self._data):
            if size > _WINDOW // 2:
                return self._read(offset, size)
            self._data, self._at, here = self._read(offset, _WINDOW), offset, 0
            self.left -= len(self._data)
        return self._data[here : here + size]

    def find(self, mark: bytes, here: int) -> int:
        """Returns the offset of the next `mark` that begins at or after `here`, or the window's `end` without one."""
        while here < self._end:
            if not self._at <= here < self._at + len(self._data):
                self.read(here, 1)
            place = self._data.find(mark, here - self._at)
            if place >= 0:
                return self._at + place
            behind = self._at + len(self._data)
            if behind >= self._end or not self._data:
                break
            # The mark may begin in this part, so the next part begins there.
            here = max(here + 1, behind - len(mark) + 1)
            self._data, self._at = self._read(here, _WINDOW), here
            self.left -= len(self._data)
        return self._end


def _by_search(read: Read, at: int, sequence: int, end: int, limit: int | None) -> tuple[int, int] | None:
    chains = _chains(read, at, sequence, end, SEQUENCE_MAX if limit is None else limit)
    if limit is not None and (path := _best_path(read, chains, sequence, end, limit)):
        return path[0].at, path[0].first_sequence
    for chain in _best_path(read, chains, sequence, end, None):
        here, first = chain.at, chain.first_sequence
        while here < chain.end and (head := lenient_head(read(here, HEAD_SIZE))) is not None:
            if first - sequence <= messages_max_in(here - at):
                return here, first
            here, first = here + head.size, first + head.messages
    return None


def _chains(read: Read, at: int, sequence: int, end: int, limit: int) -> list[_Chain]:
    """Returns the valid blocks behind `at`, in file order: as chains for sequences from `sequence` to `limit`, and
    alone for others. Empty if the search budget is exhausted. The content of valid blocks is not searched.
    """
    window = _Window(read, end, _SEARCH_COST_MAX * (end - at))
    chains: list[_Chain] = []
    here, led = at + 1, _Frames(at, 0, 0, 0)
    block = frame = at
    while here < end and window.left > 0:
        block = block if block >= here else window.find(MAGIC, here)
        frame = frame if frame >= here else window.find(DELIVER_HEAD, here)
        if frame < block:
            led = _follow_frames(window.read, frame, end)
            window.left -= 0 if led.due else _FRAME_COST
            here = max(led.end, frame + 1)
            if (led.end, led.due) == (end, limit + 1):
                chains.append(_Chain(end, end, led.due, led.due, led.at, led.first_sequence))
        elif block == end:
            break
        elif (head := intact_index(window.read, block, end)) is None:
            window.left -= _size_checked(window.read, block, end)
            here = block + 1
        else:
            here, following = block + head.size, head.first_sequence + head.messages
            if sequence <= head.first_sequence and following - 1 <= limit:
                while here < end and (next_ := _next_in_chain(window.read, here, following, end, limit)):
                    here, following = next_
            first = head.first_sequence
            begin = (led.at, led.first_sequence) if (led.end, led.due) == (block, first) else (block, first)
            chains.append(_Chain(block, here, first, following, *begin))
    return chains if window.left > 0 else []


def _next_in_chain(read: Read, at: int, sequence: int, end: int, limit: int) -> tuple[int, int] | None:
    """Returns the end of the blocks that begin at `at` with `sequence`, and the next sequence; None without blocks."""
    run = read_run(read, at, sequence, end, limit)
    if run is not None:
        return run.end, run.next_sequence
    head = intact_index(read, at, end, sequence, limit)
    return (head.end, head.next_sequence) if head is not None else None


def _size_checked(read: Read, at: int, end: int) -> int:
    """Returns how many bytes had to be verified to decide that no valid block is at `at`; 0 if the head excluded it."""
    head = unpack_head(read(at, HEAD_SIZE))
    return head.frames_at if head is not None and at + head.size <= end else 0


def _follow_frames(read: Read, at: int, end: int) -> _Frames:
    begin, first = at, int.from_bytes(read(at, DELIVER_HEAD_SIZE)[len(DELIVER_HEAD) :], "big")
    last, due = at, first
    while at < end:
        data = read(at, _FRAME_HEAD_SIZE_MAX)
        if due > SEQUENCE_MAX or not data.startswith(deliver_head(due)):
            head = lenient_head(data)
            if head is not None and head.first_sequence == due:
                return _Frames(begin, first, at, due)
            break
        last = at
        if len(data) == DELIVER_HEAD_SIZE:
            break
        body = DELIVER_HEAD_SIZE + 1 + data[DELIVER_HEAD_SIZE]
        at += body + 4 + int.from_bytes(data[body : body + 4], "big")
        due += 1
    return _Frames(begin, first, at, due) if at == end else _Frames(begin, first, last, 0)


def _best_path(read: Read, chains: list[_Chain], sequence: int, end: int, limit: int | None) -> list[_Chain]:
    """Returns the chains, in file order, that lead from one to the next to the end, where sequence `limit` is the last;
    without a `limit`, to the last bytes. Empty if no chain does. Of contradicting chains the longer, in bytes, is
    accepted; but a chain that reaches the end without damage stays.
    """
    past = SEQUENCE_MAX if limit is None else limit + 1
    goal = _Chain(end, end, past, past, end, past)
    path = [goal]
    behind = end
    for chain in reversed(chains):
        adjacent, behind = behind == chain.end, chain.at
        if chain.first_sequence < sequence or chain.next_sequence > past:
            continue
        place, size = len(path) - 1, chain.end - chain.at
        while not (_gap_is_plausible(read, chain, path[place], adjacent) or (place == 0 and limit is None)):
            size -= path[place].end - path[place].at
            if size <= 0 or place == 0 or path[place].end == end:
                break
            place -= 1
        else:
            path[place + 1 :] = [chain]
    return path[:0:-1]


def _gap_is_plausible(read: Read, chain: _Chain, following: _Chain, adjacent: bool) -> bool:
    """Returns whether the bytes between `chain` and `following` can be damage of the stream's own blocks. If they are
    `adjacent`, they touch, or they begin with a misplaced block.
    """
    missing = following.first_sequence - chain.next_sequence
    led = chain.begin < chain.at
    if missing <= 0:
        return missing == 0 and (adjacent or led)
    # The index of a missing block precedes its remaining frames.
    left = following.first_sequence - following.begin_sequence
    room = messages_max_in(following.begin - chain.end + left * FRAME_SIZE_MIN)
    if led or left <= missing <= room:
        return True
    head = unpack_head(read(chain.end, HEAD_SIZE))
    return head is not None and (head.first_sequence, head.messages) == (chain.next_sequence, missing)
