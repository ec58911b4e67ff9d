"""One segment file: its header, its place in the stream, and an index that grows as the file is read."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from pathlib import Path

from zeps_broker.journal.cache import StreamCache
from zeps_broker.journal.disk import FilePool
from zeps_broker.journal.selection import select_from
from zeps_broker.ports import Selected, Wanted
from zeps_journal.block import MAGIC, Block
from zeps_journal.block_run import RUN_MESSAGES, RUN_SIZE, SEQUENCE_MAX
from zeps_journal.damage import MISPLACED, MISSING, SPOILT, Damage
from zeps_journal.header import HEADER_SIZE_MAX, header_fault, header_size
from zeps_journal.index import Indexed, Indexes, Pread, read_indexes
from zeps_journal.names import sequence_of
from zeps_journal.salvage import Salvage
from zeps_journal.scan import Hole, Piece, blocks_of, next_piece
from zeps_journal.segment_file import read_all
from zeps_wire.journal import Segment as Header

__all__ = ["Segment"]

_READ_BYTES = 1024 * 1024
_SELECTED_BYTES = 256 * 1024
"""A selection returns after about _READ_BYTES bytes read, or _SELECTED_BYTES bytes selected."""
_REACH_BYTES = 8 * 1024 * 1024
"""Indexes of blocks that begin within this many bytes are read, cached and queried together."""


class Segment:
    """A segment of `stream`. `size` is the valid length of the file; bytes beyond it are never read.

    The index holds the offset and the first sequence of each run (at most 256 KiB of small blocks, or one large block)
    and hole, as far as the file has been walked: up to the highest sequence requested. `limit` is the last sequence
    that belongs to the segment, None for the newest, which may still grow. `next_sequence` is the one after those
    walked. `foreign` is True once the header turned out to be another stream's. `report` is called when damage is
    found, possibly again in later reads. Raises ValueError if `path` is not named like a segment.
    """

    def __init__(
        self,
        pool: FilePool,
        path: Path,
        stream: str,
        size: int,
        report: Callable[[Damage], None],
        cache: StreamCache,
    ) -> None:
        first = sequence_of(path.name)
        if first is None:
            raise ValueError(f"{path}: not a segment's name")
        self.path = path
        self.stream = stream
        self.first_sequence = first
        self.size = size
        self.limit: int | None = None
        self.header_end = header_size(stream)
        self.walked = self.header_end
        self.next_sequence = first
        self.foreign = False
        self._pool = pool
        self._report = report
        self._cache = cache
        self._checked = False
        self._offsets: array[int] = array("Q")
        self._firsts: array[int] = array("Q")
        self._holes: set[int] = set()
        """Entries of the index that are holes and must not be read."""
        self._indexed: array[int] = array("Q")
        """Offsets at which cached indexes begin; some may have been evicted since."""

    @property
    def is_empty(self) -> bool:
        """True if it holds neither blocks nor damaged blocks."""
        return self.size <= self.header_end

    @property
    def is_walked(self) -> bool:
        """True if the index covers the whole segment."""
        return self.walked >= self.size

    def header(self, created: int) -> bytes:
        """Returns the header of a new file."""
        return Header(self.first_sequence, created, self.stream).encode()

    def read(self, offset: int, size: int) -> bytes:
        """Reads bytes, fewer only at the file's end; zeros for pages that the device cannot read. Raises OSError."""
        read = self._pool.disk.reader(self._pool.get(self.path))
        return read_all(read, offset, min(size, self.size - offset))

    def check_header(self) -> None:
        """Compares the header with the names of file and folder, and reports differences; later calls do nothing. If it
        names another stream, `foreign` becomes True, and nothing is served. Raises OSError.
        """
        if self._checked:
            return
        self._checked = True
        fault = header_fault(self.read(0, HEADER_SIZE_MAX + len(MAGIC)), self.stream, self.first_sequence)
        if fault is not None:
            self.foreign = fault.is_foreign
            last = self.first_sequence - 1
            if self.foreign:  # the newest segment has no limit; it was walked when it was opened
                last = self.next_sequence - 1 if self.limit is None else self.limit
            kind = MISPLACED if self.foreign else SPOILT
            end = min(self.size, self.header_end)
            self._report_damage(0, end, self.first_sequence, last, kind, fault.reason)
        if self.is_walked and not self.foreign:
            self._report_missing(self.next_sequence)

    def next_piece(self) -> Piece:
        """Returns the first piece that has not been walked yet, without adding it to the index. Raises OSError."""
        return next_piece(self.read, self.walked, self.next_sequence, self.size, self.limit)

    def walk(self) -> Piece:
        """Adds the next piece to the index, reports its damage, and returns it. Raises OSError."""
        piece = self.next_piece()
        self.accept(piece)
        return piece

    def accept(self, piece: Piece | Indexed) -> None:
        """Adds a piece, which must begin where the walk has ended, to the index; reports its damage."""
        self._offsets.append(self.walked)
        self._firsts.append(self.next_sequence)
        if isinstance(piece, Hole):
            self._holes.add(len(self._offsets) - 1)
        if not isinstance(piece, Indexed):
            self._report_piece(piece, self.next_sequence, piece.next_sequence)
        self.walked = piece.end
        self.next_sequence = piece.next_sequence
        if self.is_walked:
            self._report_missing(self.next_sequence)

    def pieces(self) -> Iterator[Piece]:
        """Yields all pieces as they are on disk now, regardless of the index; damage is reported. Raises OSError."""
        self._checked = False
        self.check_header()
        if self.foreign:
            return
        at, sequence = self.header_end, self.first_sequence
        while at < self.size:
            piece = next_piece(self.read, at, sequence, self.size, self.limit)
            # The newest segment was walked when it was opened: its last sequence is known.
            is_last = self.limit is None and piece.end == self.size
            following = max(sequence, self.next_sequence) if is_last else piece.next_sequence
            self._report_piece(piece, sequence, following)
            yield piece
            at, sequence = piece.end, following
        self._report_missing(sequence)

    def appended(self, size: int, count: int) -> None:
        """Records a block of `size` bytes and `count` messages that was written at the end."""
        offset = self.size
        runs = len(self._offsets)
        if (
            not runs
            or runs - 1 in self._holes
            or offset + size - self._offsets[runs - 1] > RUN_SIZE
            or self.next_sequence + count - self._firsts[runs - 1] > RUN_MESSAGES
        ):
            self._offsets.append(offset)
            self._firsts.append(self.next_sequence)
        self.size = self.walked = offset + size
        self.next_sequence += count

    def find(self, sequence: int) -> Block | None:
        """Returns the run that holds `sequence`, or else the first run after it, as one block; None if neither exists
        or the segment is foreign. Walks the file as far as necessary, and reports damage. Raises OSError.
        """
        self.check_header()
        if self.foreign:
            return None
        while not self.is_walked and self.next_sequence <= sequence:
            piece = self.walk()
            if piece.next_sequence > sequence and (blocks := blocks_of(piece)):
                self._cache.add_run(self._key(len(self._offsets) - 1), blocks)
        index = max(0, bisect_right(self._firsts, sequence) - 1)
        while True:
            while index >= len(self._offsets):
                if self.is_walked:
                    return None
                self.walk()
            for block in self._load(index):
                if block.last_sequence >= sequence:
                    return block
            index += 1

    def select(self, sequence: int, key_filter: Wanted) -> Block | Selected | None:
        """Like :meth:`find`, but may read only messages whose keys `key_filter` takes: then the selection begins at or
        before `sequence` and ends after about 1 MiB read or 256 KiB selected. Raises OSError.
        """
        self.check_header()
        if self.foreign:
            return None
        place = self._place(sequence)
        if place is None:
            return self.find(sequence)
        at, first = place
        sequences: list[int] = []
        frames: list[bytes] = []
        begin, total_cost, selected_bytes = first, 0, 0
        read = self._pool.disk.reader(self._pool.get(self.path))
        while at < self.size and total_cost < _READ_BYTES and selected_bytes < _SELECTED_BYTES:
            try:
                held = self._indexes(read, at, first)
            except OSError:
                break  # a full read will find the damage
            if held is None:
                break
            indexes, number, cost = held
            part = select_from(read, indexes, number, key_filter, _SELECTED_BYTES - selected_bytes)
            if part is None:
                break
            for block in part.blocks:
                if block.next_sequence <= sequence:
                    begin = block.next_sequence
                if block.at >= self.walked:
                    self.accept(block)
            sequences += part.sequences
            frames += part.frames
            at, following = block.end, block.next_sequence
            total_cost += cost + part.bytes_read + following - first
            selected_bytes += sum(map(len, part.frames))
            first = following
        if first <= sequence:
            return self.find(sequence)
        skipped = bisect_left(sequences, begin)
        return Selected(begin, first - 1, sequences[skipped:], frames[skipped:], total_cost)

    def _indexes(self, read: Pread, at: int, sequence: int) -> tuple[Indexes, int, int] | None:
        """Returns the indexes of the block at `at` (of `sequence`) and some around it, its number among them, and the
        bytes read from disk; None if the block should be read as a whole. Raises OSError.
        """
        place = bisect_right(self._indexed, at) - 1
        if place >= 0:
            held = self._cache.indexes((self.first_sequence, self._indexed[place]))
            number = None if held is None else held.number(at)
            if held is not None and number is not None:
                return held, number, 0
        limit = SEQUENCE_MAX if self.limit is None else self.limit
        indexes = read_indexes(read, at, sequence, self.size, limit, at + _REACH_BYTES)
        if indexes is None:
            return None
        # Indexes at the end of a growing file are soon too few to be worth caching.
        if self.limit is not None or indexes.end < self.size:
            self._cache.add_indexes((self.first_sequence, at), indexes)
            if place < 0 or self._indexed[place] != at:
                self._indexed.insert(place + 1, at)
        return indexes, 0, indexes.bytes_read

    def _place(self, sequence: int) -> tuple[int, int] | None:
        """Returns the offset and first sequence of a block at or before `sequence`; None if that was not walked."""
        if sequence >= self.next_sequence:
            return (self.walked, self.next_sequence) if sequence == self.next_sequence else None
        index = bisect_right(self._firsts, sequence) - 1
        return (self._offsets[index], self._firsts[index]) if index >= 0 else None

    def _key(self, index: int) -> tuple[int, int, int]:
        last = index + 1 == len(self._offsets)
        return self.first_sequence, self._offsets[index], self.walked if last else self._offsets[index + 1]

    def _load(self, index: int) -> list[Block]:
        """Returns the blocks of one run, from cache or disk; none for a hole, several if it is damaged."""
        if index in self._holes:
            return []
        key = self._key(index)
        blocks = self._cache.run(key)
        if blocks is not None:
            return blocks
        _, at, end = key
        last = index + 1 == len(self._offsets)
        sequence, next_sequence = self._firsts[index], self.next_sequence if last else self._firsts[index + 1]
        blocks = []
        while at < end:
            piece = next_piece(self.read, at, sequence, end, next_sequence - 1)
            blocks += blocks_of(piece)
            self._report_piece(piece, sequence, piece.next_sequence)
            at, sequence = piece.end, piece.next_sequence
        if blocks:
            self._cache.add_run(key, blocks)
        return blocks

    def _report_piece(self, piece: Piece, first: int, following: int) -> None:
        """Reports the lost messages of a piece; for a hole, the sequences from `first` to before `following`."""
        if isinstance(piece, Hole):
            self._report_damage(piece.at, piece.end, first, following - 1, piece.kind, piece.reason)
        elif isinstance(piece, Salvage):
            for at, end, first_lost, last_lost, reason in piece.lost:
                self._report_damage(at, end, first_lost, last_lost, SPOILT, reason)

    def _report_missing(self, sequence: int) -> None:
        """Reports the sequences from `sequence` to the segment's limit, if there are any."""
        if self.limit is not None and sequence <= self.limit:
            reason = "sequences are missing before the next segment"
            self._report_damage(self.size, self.size, sequence, self.limit, MISSING, reason)

    def _report_damage(self, at: int, end: int, first: int, last: int, kind: str, reason: str) -> None:
        self._report(Damage(self.stream, str(self.path), at, end - at, first, last, kind, reason))
