"""Cache of journal blocks, shared by all sessions that read the same place.

A block stays in memory for a while after it was read, together with the selections made from it, which sessions with
the same patterns share. If the journal read only the requested messages, these are kept instead of the block. The cache
is bounded in bytes over all streams. A selection does not refer to the cached block, so that evicted entries are freed
at once.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections import OrderedDict
from collections.abc import Sequence
from itertools import accumulate

from zeps_broker.core.columns import Columns
from zeps_broker.core.reading import Span
from zeps_broker.core.style import Patterns
from zeps_broker.ports import Lost, Selected, StreamLog

__all__ = ["CachedBlock", "CachedSelection", "ReplayCache", "Selection"]

SelectionKey = tuple[Patterns, Patterns]
"""The included patterns and the excluded patterns."""

_OVERHEAD = 250
"""Bytes of a selected message besides its frame's: places, sums, the frame's object. Also counted for each pattern."""


class Selection:
    """The messages of a block or run of blocks that the sessions with the same patterns need, in order, selected up to
    sequence `last`: its last, unless matching stopped early. A place is an index in `sequences`.
    """

    __slots__ = ("_frames", "_sums", "last", "sequences")

    def __init__(
        self, sequences: Sequence[int], sums: Sequence[int], frames: Sequence[bytes] | None, last: int
    ) -> None:
        self.sequences = sequences
        self.last = last
        self._sums = sums
        self._frames = frames

    def __len__(self) -> int:
        return len(self.sequences)

    def size(self, low: int, high: int) -> int:
        """Returns the bytes of the frames from place `low` to before `high`."""
        if low >= high:
            return 0
        return self._sums[high - 1] - (self._sums[low - 1] if low else 0)

    def within(self, low: int, high: int, bytes_max: int) -> int:
        """Returns the place (`high` at most) after the frames from `low` on that take at most `bytes_max` bytes."""
        before = self._sums[low - 1] if low else 0
        return bisect_right(self._sums, before + bytes_max, low, high)

    def take(self, low: int, high: int) -> tuple[Sequence[bytes], Sequence[int]]:
        """Returns frames and sequences from place `low` to before `high`; both may be shared: do not change them."""
        if self._frames is None or low > 0 or high < len(self):
            return self._cut(low, high), self.sequences[low:high]
        return self._frames, self.sequences

    def _cut(self, low: int, high: int) -> Sequence[bytes]:
        assert self._frames is not None
        return self._frames[low:high]


class _BlockSelection(Selection):
    """Frames in a block; they are cut out when they are taken."""

    __slots__ = ("_columns", "_indices", "_places", "first", "is_kept", "memory_bytes")

    def __init__(self, columns: Columns, indices: Sequence[int], seen: range) -> None:
        self.first = columns.first + seen.start
        last = columns.first + seen.stop - 1
        self._columns = columns
        self._indices = indices
        self.is_kept = False
        """True if the cache keeps this selection, and so the complete list of its frames after the first use."""
        if isinstance(indices, range):
            self._places: list[tuple[int, int]] = []
            sequences: Sequence[int] = range(columns.first + indices.start, columns.first + indices.stop)
            super().__init__(sequences, columns.ends, None, last)
        else:
            self._places = columns.places(indices)
            sums = list(accumulate([end - start for start, end in self._places]))
            super().__init__([columns.first + index for index in indices], sums, None, last)
        self.memory_bytes = _OVERHEAD
        """Bytes of memory with all its frames cut out."""
        if not (isinstance(indices, range) and columns.frame_size()):  # otherwise frames are not cut out
            self.memory_bytes += self.size(0, len(self)) + _OVERHEAD * len(self)

    def take(self, low: int, high: int) -> tuple[Sequence[bytes], Sequence[int]]:
        """See :meth:`Selection.take`; the complete list is made once, if the selection is kept, and shared."""
        if self._frames is None and self.is_kept and low == 0 and high == len(self):
            self._frames = self._cut(0, high)
        return super().take(low, high)

    def _cut(self, low: int, high: int) -> Sequence[bytes]:
        if isinstance(self._indices, range):
            return self._columns.frames(low, high)
        data = self._columns.data
        return [data[start:end] for start, end in self._places[low:high]]


class CachedSelection:
    """The result of a selective read of the journal for one set of patterns."""

    __slots__ = ("_selection", "_unpaid", "first", "last", "memory_bytes")

    def __init__(self, selected: Selected) -> None:
        self.first = selected.first_sequence
        self.last = selected.last_sequence
        sums = list(accumulate(map(len, selected.frames)))
        self.memory_bytes = (sums[-1] if sums else 0) + _OVERHEAD * (1 + len(sums))
        self._selection = Selection(selected.sequences, sums, selected.frames, self.last)
        self._unpaid = selected.cost

    def select(self, span: Span, after: int) -> tuple[Selection, int]:
        """Returns the selection, read for `span`, and the cost in bytes of finding it: 0 after the first call."""
        looked_at, self._unpaid = self._unpaid, 0
        return self._selection, looked_at


class CachedBlock:
    """A block and the selections made from it."""

    __slots__ = ("_selections", "_spare", "_unpaid", "columns", "first", "last", "memory_bytes")

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self.first = columns.first
        self.last = columns.last
        self._spare = columns.size + _OVERHEAD * (columns.count + 1)
        self.memory_bytes = columns.size + self._spare
        """Maximum bytes of memory: the block, and for its selections as much plus `_OVERHEAD` for each message."""
        self._selections: OrderedDict[SelectionKey, _BlockSelection] = OrderedDict()
        self._unpaid = columns.size

    def select(self, span: Span, after: int) -> tuple[Selection, int]:
        """Returns the messages of this block that the span takes, up to `Selection.last`, and the cost in bytes: those
        read (the whole block in the first call) and those inspected (0 for a kept selection or the whole block). If
        matching costs work, a new selection begins at sequence `after + 1`, but a kept one may begin earlier.
        """
        assert span.includes is not None
        looked_at, self._unpaid = self._unpaid, 0
        key = (span.include, span.exclude)
        selection = self._selections.get(key)
        if selection is not None and selection.first <= after + 1 <= selection.last:
            self._selections.move_to_end(key)
            return selection, looked_at
        columns = self.columns
        low = max(0, after + 1 - self.first)
        indices, seen = span.includes.select(columns, range(low, columns.count))
        if span.excludes is not None:
            excluded, seen = span.excludes.select(columns, range(low, seen.stop))
            left_out = set(excluded)
            indices = [index for index in indices if index in seen and index not in left_out]
        selection = _BlockSelection(columns, indices, seen)
        self._keep(key, selection)
        if not isinstance(indices, range):
            looked_at += columns.ends[seen.stop - 1] - (columns.ends[seen.start - 1] if seen.start else 0)
        return selection, looked_at

    def _keep(self, key: SelectionKey, selection: _BlockSelection) -> None:
        """Keeps a selection, replacing one for the same patterns; drops the least recently used until all fit."""
        replaced = self._selections.pop(key, None)
        if replaced is not None:
            replaced.is_kept = False
            self._spare += replaced.memory_bytes + _pattern_bytes(key)
        self._selections[key] = selection
        self._spare -= selection.memory_bytes + _pattern_bytes(key)
        while self._spare < 0:
            oldest, dropped = self._selections.popitem(last=False)
            self._spare += dropped.memory_bytes + _pattern_bytes(oldest)
        selection.is_kept = key in self._selections


def _pattern_bytes(key: SelectionKey | None) -> int:
    """Returns the bytes of the patterns, which may outlive their session; 0 for None and for everything."""
    if key is None or key == ((b"",), ()):
        return 0
    return sum(len(pattern) + _OVERHEAD for patterns in key for pattern in patterns)


class ReplayCache:
    """LRU cache of blocks and selections of all streams, of `bytes_max` bytes; always keeps the block read last."""

    def __init__(self, bytes_max: int) -> None:
        self._bytes_max = bytes_max
        self._blocks: OrderedDict[tuple[str, SelectionKey | None, int], CachedBlock | CachedSelection] = (
            OrderedDict()
        )
        self._firsts: dict[tuple[str, SelectionKey | None], list[int]] = {}
        self.memory_bytes = 0

    def __len__(self) -> int:
        return len(self._blocks)

    def find(self, log: StreamLog, after: int, span: Span) -> CachedBlock | CachedSelection | Lost | None:
        """Returns the cached or newly read entry that covers sequence `after + 1` with all messages that the span
        takes, or the lost range that begins there; None if `after` is the journal's last sequence. Raises JournalError.
        """
        key = (span.include, span.exclude)
        known = self._known((log.name, None), after) or self._known((log.name, key), after)
        if known is not None:
            return known
        entry = log.read(after) if span.takes_all else log.select(after, span.judge)
        if entry is None or isinstance(entry, Lost):
            return entry
        if isinstance(entry, Selected):
            return self._keep((log.name, key), CachedSelection(entry))
        return self._keep((log.name, None), CachedBlock(Columns(entry)))

    def _known(
        self, scope: tuple[str, SelectionKey | None], after: int
    ) -> CachedBlock | CachedSelection | None:
        firsts = self._firsts.get(scope)
        place = bisect_right(firsts, after + 1) if firsts is not None else 0
        if firsts is None or not place:
            return None
        known = (*scope, firsts[place - 1])
        cached = self._blocks[known]
        if cached.last <= after:
            return None
        self._blocks.move_to_end(known)
        return cached

    def _keep(
        self, scope: tuple[str, SelectionKey | None], block: CachedBlock | CachedSelection
    ) -> CachedBlock | CachedSelection:
        place = (*scope, block.first)
        if place in self._blocks:
            self._drop(place)
        self._blocks[place] = block
        insort(self._firsts.setdefault(scope, []), block.first)
        self.memory_bytes += block.memory_bytes + _pattern_bytes(scope[1])
        while self.memory_bytes > self._bytes_max and len(self._blocks) > 1:
            self._drop(next(iter(self._blocks)))
        return block

    def _drop(self, place: tuple[str, SelectionKey | None, int]) -> None:
        scope = place[:2]
        self.memory_bytes -= self._blocks.pop(place).memory_bytes + _pattern_bytes(scope[1])
        firsts = self._firsts[scope]
        firsts.remove(place[2])
        if not firsts:
            del self._firsts[scope]
