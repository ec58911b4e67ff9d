"""Repair: writes the readable messages of a damaged journal to a new folder.

Sequences do not change. A gap between two segments marks lost messages, so that readers report the same lost
sequences as before; a segment without a block marks a gap before the first message or after the last.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

from zeps_broker.journal.disk import OsDisk
from zeps_broker.journal.inspection import Progress, blocks_after
from zeps_broker.journal.recovery import TornTail
from zeps_broker.journal.segment import Segment
from zeps_broker.journal.store import JournalStore
from zeps_broker.journal.stream_journal import StreamJournal
from zeps_broker.ports import JournalError
from zeps_journal.block_run import BlockRun
from zeps_journal.damage import Damage
from zeps_journal.header import HEADER_SIZE_MAX, read_header
from zeps_journal.names import encode_name, segment_name
from zeps_journal.salvage import Salvage
from zeps_wire.journal import Segment as Header

__all__ = ["RepairedStream", "new_journal", "repair_stream"]


class RepairedStream(NamedTuple):
    """The result for one stream: the numbers of `saved` and `lost` messages, and what was wrong in the original."""

    stream: str
    saved: int
    lost: int
    damages: Sequence[Damage]
    torn: TornTail | None


@contextmanager
def new_journal(target: Path) -> Iterator[Path]:
    """Yields a new folder that becomes `target` if the block ends without an exception; otherwise it is removed.
    `target` must be an empty folder or not exist. Parent folders are created. Raises OSError.
    """
    target = target.absolute()
    target.parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f".{target.name}-", suffix=".partial", dir=target.parent))
    try:
        yield folder
        folder.chmod(0o755)
        OsDisk().sync_folder(folder)
        folder.rename(target)
        OsDisk().sync_folder(target.parent)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def repair_stream(journal: StreamJournal, folder: Path, progress: Progress) -> RepairedStream:
    """Writes and verifies a copy of the stream's readable messages in the data folder `folder`; none without segments.
    Raises JournalError if a file cannot be read or written, or if the copy differs from the written messages.
    """
    try:
        saved = _write(journal, folder / encode_name(journal.name), progress)
    except OSError as error:
        where = error.filename or f"stream {journal.name!r}"
        raise JournalError(f"{where}: cannot copy: {error.strerror or error}; nothing was created") from error
    if _served(folder, journal.name) != (journal.first_sequence, saved, journal.last_sequence):
        fault = f"the copy of {journal.name!r} differs from the messages written"
        raise JournalError(f"{folder}: {fault}; check the device")
    count = sum(last - first + 1 for first, last in saved)
    lost = journal.last_sequence - journal.first_sequence + 1 - count
    return RepairedStream(journal.name, count, lost, journal.damages, journal.torn)


Ranges = list[tuple[int, int]]
"""Ranges of consecutive sequences: first and last of each."""


def _write(journal: StreamJournal, folder: Path, progress: Progress) -> Ranges:
    """Writes the stream to the new folder `folder` and returns the sequences written. Raises OSError."""
    saved: Ranges = []
    if not journal.segments:
        return saved
    folder.mkdir()
    total, done = sum(segment.size for segment in journal.segments), 0
    with _Writer(journal.name, folder) as writer:
        for segment in journal.segments:
            created = _created(segment)
            writer.begin(segment.first_sequence, created)
            for first, following, data, end in _blocks(segment):
                writer.append(first, following, data, created)
                _extend(saved, first, following - 1)
                progress(done + end, total)
            done += segment.size
        # The stream's next message gets the sequence after its last, even if the last message is lost.
        if writer.following <= journal.last_sequence:
            writer.begin(journal.last_sequence + 1, created)
    return saved


def _blocks(segment: Segment) -> Iterator[tuple[int, int, bytes, int]]:
    """Yields the blocks that can be saved: first sequence, the sequence after it, data, and the offset read so far."""
    for piece in segment.pieces():
        if isinstance(piece, BlockRun):
            data = segment.read(piece.at, piece.end - piece.at)
            yield piece.block.first_sequence, piece.next_sequence, data, piece.end
        elif isinstance(piece, Salvage):
            for saved in piece.saved:
                block = saved.block
                yield block.first_sequence, block.last_sequence + 1, b"".join(saved.encoded), piece.end


def _created(segment: Segment) -> int:
    header = read_header(segment.read(0, HEADER_SIZE_MAX))
    return header.created if header is not None and not segment.foreign else 0


class _Writer:
    """Writes the segments of `stream` one after the other; a context manager. Methods raise OSError."""

    def __init__(self, stream: str, folder: Path) -> None:
        self.following = 0
        """The sequence after the last one written."""
        self._stream = stream
        self._folder = folder
        self._file: BinaryIO | None = None

    def __enter__(self) -> _Writer:
        return self

    def __exit__(self, *_: object) -> None:
        self._finish()
        OsDisk().sync_folder(self._folder)

    def begin(self, first: int, created: int) -> None:
        """Begins a segment, unless an empty one begins with `first`; `created` is microseconds since the epoch."""
        path = self._folder / segment_name(first)
        if self._file is None or self._file.name != str(path):
            self._finish()
            self._file = path.open("xb")
            self._file.write(Header(first, created, self._stream).encode())
        self.following = first

    def append(self, first: int, following: int, data: bytes, created: int) -> None:
        """Appends encoded blocks of the sequences from `first` to before `following`; a gap begins a new segment."""
        if first != self.following:
            self.begin(first, created)
        assert self._file is not None
        self._file.write(data)
        self.following = following

    def _finish(self) -> None:
        if self._file is not None:
            with self._file as file:
                file.flush()
                os.fsync(file.fileno())


def _served(folder: Path, stream: str) -> tuple[int, Ranges, int]:
    """Returns the first sequence, the readable ranges, and the last sequence that a broker would find in `folder`."""
    with closing(JournalStore(folder, read_only=True)) as store:
        journal = store.open(stream)
        served: Ranges = []
        for block in blocks_after(journal, journal.first_sequence - 1):
            _extend(served, block.first_sequence, block.last_sequence)
        return journal.first_sequence, served, journal.last_sequence


def _extend(ranges: Ranges, first: int, last: int) -> None:
    """Adds sequences that follow all others."""
    if ranges and ranges[-1][1] + 1 == first:
        first = ranges.pop()[0]
    ranges.append((first, last))
