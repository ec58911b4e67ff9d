"""Cache of recently read or written data, within one memory budget for all streams. Cached blocks are not verified
again. The least recently used stream loses its whole share first.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict

from zeps_journal.block import Block, join_blocks
from zeps_journal.block_run import RUN_MESSAGES, RUN_SIZE
from zeps_journal.index import Indexes

__all__ = ["JournalCache", "StreamCache"]

_BLOCK_OVERHEAD = 400
"""Bytes of a block's objects besides the data, measured on CPython 3.11."""
_MESSAGE_OVERHEAD = 12
_TAIL_BYTES = 2 * 1024 * 1024
_READ_BYTES = 8 * 1024 * 1024
_INDEX_BYTES = 8 * 1024 * 1024
"""Budget for the indexes of some million messages, in bytes."""


def _weight(block: Block) -> int:
    return len(block.data) + _MESSAGE_OVERHEAD * len(block.ends) + _BLOCK_OVERHEAD


class JournalCache:
    """The budget: at most `bytes_max` bytes in all streams' caches; `memory_bytes` are the present bytes."""

    def __init__(self, bytes_max: int) -> None:
        self.memory_bytes = 0
        self._bytes_max = bytes_max
        self._streams: OrderedDict[StreamCache, None] = OrderedDict()

    def stream(self) -> StreamCache:
        """Creates the share of a new stream."""
        return StreamCache(self)

    def charge(self, stream: StreamCache, byte_count: int) -> None:
        """Marks `stream` as used and charges it more bytes; above the budget, other streams are evicted first."""
        self._streams[stream] = None
        self._streams.move_to_end(stream)
        self.memory_bytes += byte_count
        while self.memory_bytes > self._bytes_max and self._streams:
            idle = next(iter(self._streams))
            idle.clear()

    def leave(self, stream: StreamCache, byte_count: int) -> None:
        """Removes a `stream` that is being cleared, and its `byte_count` bytes, from the budget."""
        if self._streams.pop(stream, False) is None:
            self.memory_bytes -= byte_count


class StreamCache:
    """The share of one stream: appended blocks at its end (about 2 MiB; beyond, the older half is dropped), and runs
    and indexes from the disk (about 8 MiB each; beyond, the least recently used are dropped).
    """

    def __init__(self, budget: JournalCache) -> None:
        self._budget = budget
        self._memory_bytes = 0
        self._tail: list[Block] = []
        self._firsts: list[int] = []
        self._tail_bytes = 0
        self._runs_bytes = 0
        self._runs: OrderedDict[tuple[int, int, int], tuple[list[Block], int]] = OrderedDict()
        self._indexes: OrderedDict[tuple[int, int], Indexes] = OrderedDict()
        self._indexes_bytes = 0

    def append(self, block: Block) -> None:
        """Adds the block that was stored last; it must follow the previous one."""
        weight = _weight(block)
        self._tail.append(block)
        self._firsts.append(block.first_sequence)
        self._tail_bytes += weight
        if self._tail_bytes > _TAIL_BYTES:
            weight -= self._halve()
        self._charge(weight)

    def tail(self, sequence: int) -> Block | None:
        """Returns the cached appended block of `sequence`, joined to at most 256 KiB and 4,096 messages, or None."""
        if not self._firsts or sequence < self._firsts[0]:
            return None
        start = bisect_right(self._firsts, sequence) - 1
        block = self._tail[start]
        if sequence > block.last_sequence:
            return None
        stop, size, messages = start + 1, len(block.data), block.count
        while stop < len(self._tail):
            block = self._tail[stop]
            size += len(block.data)
            messages += block.count
            if size > RUN_SIZE or messages > RUN_MESSAGES:
                break
            stop += 1
        return join_blocks(self._tail[start:stop])

    def run(self, key: tuple[int, int, int]) -> list[Block] | None:
        """Returns the blocks that were read from `key`; None if not cached. A key is a segment's first sequence, and
        the offsets in its file at which the blocks begin and end.
        """
        held = self._runs.get(key)
        if held is None:
            return None
        self._runs.move_to_end(key)
        return held[0]

    def add_run(self, key: tuple[int, int, int], blocks: list[Block]) -> None:
        """Adds blocks that have just been read from `key` and verified; does nothing if `key` is cached."""
        if key in self._runs:
            return
        weight = sum(map(_weight, blocks))
        self._runs[key] = (blocks, weight)
        self._runs_bytes += weight
        while self._runs_bytes > _READ_BYTES and len(self._runs) > 1:
            _, (_, freed) = self._runs.popitem(last=False)
            self._runs_bytes -= freed
            weight -= freed
        self._charge(weight)

    def indexes(self, key: tuple[int, int]) -> Indexes | None:
        """Returns the indexes read from `key` (a segment's first sequence, and the offset in its file) on, or None."""
        held = self._indexes.get(key)
        if held is not None:
            self._indexes.move_to_end(key)
        return held

    def add_indexes(self, key: tuple[int, int], indexes: Indexes) -> None:
        """Adds indexes that have just been read from `key` on and verified; replaces those of the same key."""
        replaced = self._indexes.pop(key, None)
        weight = indexes.weight - (0 if replaced is None else replaced.weight)
        self._indexes[key] = indexes
        self._indexes_bytes += weight
        while self._indexes_bytes > _INDEX_BYTES and len(self._indexes) > 1:
            freed = self._indexes.popitem(last=False)[1].weight
            self._indexes_bytes -= freed
            weight -= freed
        self._charge(weight)

    def clear(self) -> None:
        """Removes all entries."""
        self._budget.leave(self, self._memory_bytes)
        self._memory_bytes = self._tail_bytes = self._runs_bytes = self._indexes_bytes = 0
        self._indexes.clear()
        self._tail, self._firsts = [], []
        self._runs.clear()

    def _halve(self) -> int:
        """Drops the older half of the tail, so that evictions are cheap; returns the bytes of memory freed."""
        drop, freed = 0, 0
        while drop < len(self._tail) - 1 and self._tail_bytes - freed > _TAIL_BYTES // 2:
            freed += _weight(self._tail[drop])
            drop += 1
        del self._tail[:drop], self._firsts[:drop]
        self._tail_bytes -= freed
        return freed

    def _charge(self, byte_count: int) -> None:
        self._memory_bytes += byte_count
        self._budget.charge(self, byte_count)
