"""Journal blocks in memory, shared by all sessions that read the same place.

A block that was read once is kept for a while, and with it what was selected from it: the second session that
replays the same subscription finds its frames ready. The cache is bounded in octets over all streams.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections import OrderedDict
from collections.abc import Sequence
from itertools import accumulate

from ..ports import StreamLog
from .columns import Columns
from .matching import Patterns
from .reading import Span

__all__ = ["BlockCache", "CachedBlock", "Selection"]

_SELECTIONS = 16
_OVERHEAD = 200


class Selection:
    """The messages of one block that one session wants, in order."""

    __slots__ = ("_block", "_frames", "_indices", "_owner", "_places", "_sums", "sequences")

    def __init__(self, owner: CachedBlock, indices: Sequence[int]) -> None:
        block = owner.columns
        self._owner = owner
        self._block = block
        self._indices = indices
        self._frames: Sequence[bytes] | None = None
        if isinstance(indices, range):
            self._places: list[tuple[int, int]] = []
            self.sequences: Sequence[int] = range(block.first + indices.start, block.first + indices.stop)
            self._sums: Sequence[int] = block.ends
        else:
            self.sequences = [block.first + index for index in indices]
            self._places = block.places(indices)
            self._sums = list(accumulate([end - start for start, end in self._places]))

    def __len__(self) -> int:
        return len(self._indices)

    def size(self, low: int, high: int) -> int:
        """Octets of the frames from place `low` to before `high`."""
        if low >= high:
            return 0
        return self._sums[high - 1] - (self._sums[low - 1] if low else 0)

    def within(self, low: int, high: int, octets: int) -> int:
        """The place before which the frames from `low` on are not more than `octets`, at most `high`."""
        before = self._sums[low - 1] if low else 0
        return bisect_right(self._sums, before + octets, low, high)

    def take(self, low: int, high: int) -> tuple[Sequence[bytes], Sequence[int]]:
        """Frames and sequences from place `low` to before `high`; the whole is made once, if there is room,
        and shared.
        """
        if low > 0 or high < len(self):
            return self._cut(low, high), self.sequences[low:high]
        if self._frames is not None:
            return self._frames, self.sequences
        frames = self._cut(0, high)
        if self._owner.spare >= self.size(0, high):
            self._owner.spare -= self.size(0, high)
            self._frames = frames
        return frames, self.sequences

    def _cut(self, low: int, high: int) -> Sequence[bytes]:
        if isinstance(self._indices, range):
            return self._block.frames(low, high)
        data = self._block.data
        return [data[start:end] for start, end in self._places[low:high]]


class CachedBlock:
    """A block and what was selected from it."""

    __slots__ = ("_selections", "columns", "spare")

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self.spare = columns.size
        """Octets of frames that may still be kept cut out."""
        self._selections: OrderedDict[tuple[Patterns, Patterns], Selection] = OrderedDict()

    @property
    def octets(self) -> int:
        """What it takes in memory, about: frames may be there twice, once cut out."""
        return 2 * self.columns.size + _OVERHEAD * self.columns.count

    def select(self, span: Span) -> tuple[Selection, int]:
        """What the span takes of this block, and the octets that had to be looked at to know."""
        assert span.includes is not None
        wanted = (span.include, span.exclude)
        selection = self._selections.get(wanted)
        if selection is not None:
            self._selections.move_to_end(wanted)
            return selection, 0
        columns = self.columns
        indices = span.includes.select(columns)
        if span.excludes is not None:
            excluded = set(span.excludes.select(columns))
            indices = [index for index in indices if index not in excluded]
        selection = self._selections[wanted] = Selection(self, indices)
        if len(self._selections) > _SELECTIONS:
            self._selections.popitem(last=False)
        return selection, 0 if isinstance(indices, range) else columns.size


class BlockCache:
    """Recently read blocks of all streams, least recently used out first."""

    def __init__(self, octets_max: int) -> None:
        self._octets_max = octets_max
        self._blocks: OrderedDict[tuple[str, int], CachedBlock] = OrderedDict()
        self._firsts: dict[str, list[int]] = {}
        self.octets = 0

    def block(self, log: StreamLog, after: int) -> CachedBlock | None:
        """The block with sequence `after + 1`, or the next there is; None at the end. Raises JournalError."""
        firsts = self._firsts.get(log.name)
        if firsts is not None:
            place = bisect_right(firsts, after + 1)
            if place:
                known = (log.name, firsts[place - 1])
                cached = self._blocks[known]
                if cached.columns.last > after:
                    self._blocks.move_to_end(known)
                    return cached
        block = log.read(after)
        if block is None:
            return None
        cached = CachedBlock(Columns(block))
        self._keep(log.name, cached)
        return cached

    def forget(self, stream: str) -> None:
        """Drop a stream's blocks."""
        for first in self._firsts.get(stream, [])[:]:
            self._drop((stream, first))

    def _keep(self, stream: str, block: CachedBlock) -> None:
        place = (stream, block.columns.first)
        if place in self._blocks:
            self._drop(place)
        self._blocks[place] = block
        insort(self._firsts.setdefault(stream, []), block.columns.first)
        self.octets += block.octets
        while self.octets > self._octets_max and len(self._blocks) > 1:
            self._drop(next(iter(self._blocks)))

    def _drop(self, place: tuple[str, int]) -> None:
        self.octets -= self._blocks.pop(place).octets
        firsts = self._firsts[place[0]]
        firsts.remove(place[1])
        if not firsts:
            del self._firsts[place[0]]
