"""The journal of one stream: appending, reading, retention."""

from __future__ import annotations

import logging
import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import TypeVar

from zeps_broker.journal.cache import StreamCache
from zeps_broker.journal.disk import FilePool, Identity
from zeps_broker.journal.encoding import encode_blocks
from zeps_broker.journal.lock import FolderLock
from zeps_broker.journal.options import Sync
from zeps_broker.journal.recovery import TornTail, recover
from zeps_broker.journal.retention import Retention
from zeps_broker.journal.segment import Segment
from zeps_broker.ports import JournalError, Lost, Selected, Wanted
from zeps_journal.block import Block
from zeps_journal.damage import MISSING, Damage
from zeps_journal.names import segment_name, sequence_of
from zeps_wire.errors import EncodeError
from zeps_wire.zeps import deliver_head

__all__ = ["Options", "StreamJournal"]

Found = TypeVar("Found", bound=Block | Selected)


@dataclass(frozen=True, slots=True)
class Options:
    """Options of all logs of a store; sizes in bytes. `lock`, if any, is checked before a block counts as stored."""

    sync: Sync
    sync_interval_us: int
    segment_bytes: int
    retention: Retention
    read_only: bool
    lock: FolderLock | None
    log: logging.Logger = field(repr=False)


class _Damages:
    """The damage found in a stream, each logged once. Segments refer to it, not to their journal, to avoid a cycle."""

    def __init__(self, log: logging.Logger) -> None:
        self._log = log
        self._by_place: dict[tuple[str, int, int], Damage] = {}

    def add(self, damage: Damage) -> None:
        key = (damage.file, damage.offset, damage.size)
        if key not in self._by_place:
            self._by_place[key] = damage
            self._log.error("journal damage: %s", damage, extra={"zeps": damage.fields()})

    def to_list(self) -> list[Damage]:
        return list(self._by_place.values())


class StreamJournal:
    """A stream's folder of segments; implements ports.StreamLog. Not thread-safe. `dirty` holds the logs with unsynced
    data, including this one while it has some; `made` is called when the folder is created. Unless read-only, the
    constructor cuts off a torn tail, which is logged, and syncs unless `sync` is "os". It raises JournalError if that
    fails, or the folder cannot be read.
    """

    def __init__(
        self,
        stream: str,
        folder: Path,
        options: Options,
        pool: FilePool,
        cache: StreamCache,
        dirty: set[StreamJournal],
        made: Callable[[], None] = lambda: None,
    ) -> None:
        self._stream = stream
        self._folder = folder
        self._options = options
        self._pool = pool
        self._cache = cache
        self._dirty = dirty
        self._made = made
        self._segment_bytes = options.retention.segment_bytes(options.segment_bytes)
        self._damages = _Damages(options.log)
        self._segments: list[Segment] = []
        self._last = 0
        self._torn: TornTail | None = None
        self._sealed = False
        self._ragged = False
        self._identity: Identity | None = None
        """Identity of the newest segment's file."""
        self._unsynced_since: int | None = None
        self._unsynced_header = False
        self._failed: str | None = None
        self._unsynced_older: set[Path] = set()
        self._first_times: dict[int, int | None] = {}
        self._newest_times: dict[int, int | None] = {}
        self._last_time: int | None = None
        try:
            self._open()
        except OSError as error:
            path, todo = Path(error.filename or folder), "make it readable, or remove it"
            raise self._error("cannot open the stream", path, error, todo) from error

    # Properties

    @property
    def name(self) -> str:
        return self._stream

    @property
    def first_sequence(self) -> int:
        return self._segments[0].first_sequence if self._segments else 1

    @property
    def last_sequence(self) -> int:
        return self._last

    @property
    def segments(self) -> Sequence[Segment]:
        """The segments, oldest first."""
        return self._segments

    @property
    def damages(self) -> list[Damage]:
        """The damage found so far, in no particular order."""
        return self._damages.to_list()

    @property
    def torn(self) -> TornTail | None:
        """The incomplete block that was found at the end when the stream was opened, or None."""
        return self._torn

    @property
    def is_dirty(self) -> bool:
        """True if written data is not synced yet; the interval or closing syncs it, unless a sync has failed."""
        return self._unsynced_since is not None

    # Opening

    def _open(self) -> None:
        """Finds the segments and the end of the stream. Unless read-only or `sync` is "os", unsynced data of a killed
        writer is synced before it is visible: a client must not see a message or sequence that a power loss would
        remove.
        """
        try:
            names = self._pool.disk.listdir(self._folder)
        except FileNotFoundError:
            return
        for name in sorted(name for name in names if sequence_of(name) is not None):
            path = self._folder / name
            try:
                size = self._pool.disk.size(self._pool.get(path))
            except FileNotFoundError:
                # A running broker has removed it in the meantime.
                if self._options.read_only:
                    continue
                raise
            self._segments.append(self._segment(path, size))
        for segment, following in zip(self._segments, self._segments[1:], strict=False):
            segment.limit = following.first_sequence - 1
        if not self._segments:
            return
        active = self._segments[-1]
        self._last, torn, self._sealed = recover(active)
        if torn is not None:
            self._torn = torn
            self._options.log.warning("torn tail: %s", torn, extra={"zeps": torn.fields()})
        if not self._options.read_only:
            fd = self._pool.get(active.path, write=True)
            self._identity = self._pool.disk.identity(fd)
            if torn is not None:
                self._pool.disk.truncate(fd, torn.offset)
            if self._options.sync != "os":
                self._pool.disk.fdatasync(fd)
                self._pool.disk.sync_folder(self._folder)
                self._pool.disk.sync_folder(self._folder.parent)

    def _segment(self, path: Path, size: int) -> Segment:
        return Segment(self._pool, path, self._stream, size, self._damages.add, self._cache)

    # Appending

    def append(self, frames: Sequence[bytes], time_us: int) -> None:
        """Stores all blocks (several beyond 65,536 frames or 256 MiB) or none; a time before 1970 is stored as 0."""
        if not frames:
            return
        time_us = max(0, time_us)
        self._check_usable()
        first, last = self._last + 1, self._last + len(frames)
        if not (frames[0].startswith(deliver_head(first)) and frames[-1].startswith(deliver_head(last))):
            fault = f"frames that are not DELIVERs from sequence {first} on"
            raise JournalError(f"{self._folder}: {fault}; nothing was stored")
        try:
            written = encode_blocks(first, frames, time_us)
        except EncodeError as error:
            fault = f"no block can hold this message ({error})"
            raise JournalError(f"{self._folder}: {fault}; nothing was stored") from error
        size = sum(block.encoded.size for block in written)
        segment = self._writable(size, time_us)
        self._write(segment, [buffer for block in written for buffer in block.encoded], size)
        self._sync_appended(segment, time_us)
        self._check_in_place(segment)
        self._first_times.setdefault(segment.first_sequence, time_us)
        self._last_time = time_us
        for block in written:
            segment.appended(block.encoded.size, block.block.count)
            self._cache.append(block.block)
        self._last = last

    def _check_usable(self) -> None:
        if self._options.read_only:
            raise JournalError(f"{self._folder}: the journal was opened for reading only")
        if self._failed is not None:
            raise JournalError(self._failed)

    def _writable(self, size: int, time_us: int) -> Segment:
        """Returns the segment for the next `size` bytes of blocks: the newest, or a new one. Raises JournalError."""
        if not self._segments or self._sealed:
            return self._roll(time_us)
        segment = self._segments[-1]
        self._cut_ragged(segment)
        if segment.size and not segment.is_empty and segment.size + size > self._segment_bytes:
            return self._roll(time_us)
        if not segment.size:
            header = segment.header(time_us)
            self._write(segment, [header], len(header))
            segment.size = len(header)
        return segment

    def _roll(self, time_us: int) -> Segment:
        """Closes the newest segment, creates a new one, and removes segments beyond the retention bounds. Unless `sync`
        is "os", syncs header and folder, so that the name is durable. Raises JournalError.
        """
        self._check_lock()
        if self._segments:
            self._cut_ragged(self._segments[-1])
        if self.is_dirty and self._options.sync == "interval":
            self._sync(self._segments[-1])
        disk = self._pool.disk
        path = self._folder / segment_name(self._last + 1)
        syncs = self._options.sync != "os"
        try:
            if not self._segments:
                if disk.mkdir(self._folder):
                    self._made()
                if syncs:
                    disk.sync_folder(self._folder.parent)
            fd = self._pool.create(path)
        except FileExistsError:
            fd = self._pool.get(path, write=True)
            disk.truncate(fd, 0)
        except OSError as error:
            todo = "free disk space, or check the folder's permissions"
            raise self._error("cannot create a segment", path, error, todo) from error
        segment = self._segment(path, 0)
        header = segment.header(time_us)
        try:
            identity = disk.identity(fd)
            self._write_all(fd, [header], len(header), 0)
            if syncs:
                disk.fdatasync(fd)
                disk.sync_folder(self._folder)
        except OSError as error:
            self._pool.drop(path)
            with suppress(OSError):
                disk.unlink(path)
            todo = "free disk space, then publish again"
            raise self._error("cannot create a segment", path, error, todo) from error
        segment.size = len(header)
        if self._segments:
            self._segments[-1].limit = self._last
            if self._last_time is not None:
                self._newest_times[self._segments[-1].first_sequence] = self._last_time
            if not syncs:
                self._unsynced_older.add(self._segments[-1].path)
        self._last_time = None
        self._segments.append(segment)
        self._identity = identity
        self._sealed = False
        self._unsynced_header = not syncs
        self._forget(time_us)
        return segment

    def _check_lock(self) -> None:
        if self._options.lock is not None:
            self._options.lock.check()

    def _check_in_place(self, segment: Segment) -> None:
        """Raises JournalError, and cuts off the last append, if the file was replaced or another broker may write."""
        try:
            self._check_lock()
            if self._pool.disk.identity(segment.path) != self._identity:
                raise self._displaced(segment, "was replaced")
        except OSError as error:
            self._undo(segment)
            raise self._displaced(segment, f"is gone ({error.strerror or error})") from error
        except JournalError:
            self._undo(segment)
            raise

    def _displaced(self, segment: Segment, what: str) -> JournalError:
        todo = "restore the journal's files, then start the broker again"
        return JournalError(f"{segment.path}: the segment {what} while the broker was running; {todo}")

    def _descriptor(self, segment: Segment) -> int:
        """Returns a descriptor of the newest segment, for writing. Raises OSError, also if the file was replaced."""
        return self._pool.get(segment.path, write=True, expected=self._identity)

    def _write(self, segment: Segment, buffers: Sequence[bytes], size: int) -> None:
        try:
            self._write_all(self._descriptor(segment), buffers, size, segment.size)
        except OSError as error:
            self._undo(segment)
            self._check_in_place(segment)
            what = f"cannot write {size} bytes at {segment.size}"
            raise self._error(what, segment.path, error, "free disk space, then publish again") from error

    def _write_all(self, fd: int, buffers: Sequence[bytes], size: int, offset: int) -> None:
        while True:
            try:
                taken = self._pool.disk.pwritev(fd, buffers, offset)
            except InterruptedError:
                continue
            if taken == size:
                return
            if taken <= 0:
                raise OSError(5, "the device did not accept data")
            buffers = [b"".join(buffers)[taken:]]
            size -= taken
            offset += taken

    def _undo(self, segment: Segment) -> None:
        """Cuts off data that a failed append may have left; if that fails, :meth:`_cut_ragged` retries it."""
        try:
            self._pool.disk.truncate(self._descriptor(segment), segment.size)
            self._ragged = False
        except OSError:
            self._ragged = True

    def _cut_ragged(self, segment: Segment) -> None:
        """Retries to cut off data of a failed append; if that fails, raises JournalError before anything is written."""
        if self._ragged:
            self._undo(segment)
            if self._ragged:
                self._check_in_place(segment)
                what = f"data of a failed append behind byte {segment.size} cannot be cut off"
                raise JournalError(f"{segment.path}: {what}; check the device")

    # Syncing

    def sync_if_due(self, now_us: int) -> None:
        """Syncs in mode "interval" if the oldest unsynced byte has waited for it. Raises JournalError."""
        if self._is_due(now_us):
            self._sync(self._segments[-1])

    def sync_due(self, now_us: int) -> float:
        """Returns the seconds until :meth:`sync_if_due` would sync; infinity if it has nothing to sync."""
        if self._options.sync != "interval" or self._unsynced_since is None:
            return math.inf
        waited = now_us - self._unsynced_since
        return max(0, self._options.sync_interval_us - waited) / 1e6 if waited >= 0 else 0.0

    def _is_due(self, now_us: int) -> bool:
        return self.sync_due(now_us) == 0

    def _sync_appended(self, segment: Segment, time_us: int) -> None:
        """Performs the mode's sync before a block counts; if it fails, cuts the block off and raises JournalError."""
        if self._options.sync == "always":
            return self._sync(segment, undo=True)
        if self._unsynced_since is None:
            self._unsynced_since = time_us
            self._dirty.add(self)
        if self._options.sync == "interval" and (not self._pool.pin(segment.path) or self._is_due(time_us)):
            self._sync(segment, undo=True)
        return None

    def _sync(self, segment: Segment, *, undo: bool = False) -> None:
        """Syncs, or fails permanently: raises JournalError, with `undo` after cutting off what was appended last. The
        kernel may drop the data and report success for a retry, so the log takes no more messages until it is reopened.
        """
        while True:
            try:
                self._pool.disk.fdatasync(self._descriptor(segment))
            except InterruptedError:
                continue
            except OSError as error:
                if undo:
                    self._undo(segment)
                todo = "check the device, then start the broker again"
                failed = self._error("cannot sync", segment.path, error, todo)
                self._failed = f"{failed}; the stream takes no more messages until then"
                self._dirty.discard(self)
                raise JournalError(self._failed) from error
            self._unsynced_since = None
            self._dirty.discard(self)
            self._pool.unpin(segment.path)
            return

    # Reading

    def read(self, after: int) -> Block | Lost | None:
        """See ports.StreamLog; joins small blocks, up to 256 KiB and 4,096 messages. Raises JournalError."""
        return self._find(after, Segment.find)

    def select(self, after: int, key_filter: Wanted) -> Block | Selected | Lost | None:
        """See ports.StreamLog. All data read is verified; damage is logged only where data is read."""
        return self._find(after, lambda segment, sequence: segment.select(sequence, key_filter))

    def _find(self, after: int, find: Callable[[Segment, int], Found | None]) -> Block | Found | Lost | None:
        sequence = after + 1
        if sequence > self._last:
            return None
        if sequence < self.first_sequence:
            return Lost(sequence, self.first_sequence - 1, "retention")
        block = self._cache.tail(sequence)
        if block is not None:
            return block
        start = max(0, bisect_right(self._segments, sequence, key=attrgetter("first_sequence")) - 1)
        for segment in self._segments[start:]:
            try:
                result = find(segment, sequence)
            except FileNotFoundError:
                last = self._last if segment.limit is None else segment.limit
                lost = (segment.first_sequence, last, MISSING, "the segment's file is missing")
                self._damages.add(Damage(self._stream, str(segment.path), 0, 0, *lost))
                continue
            except OSError as error:
                todo = "check the device, then read again"
                raise self._error("cannot read", segment.path, error, todo) from error
            if result is not None:
                before = result.first_sequence - 1
                return result if before < sequence else Lost(sequence, before, "damage")
        return Lost(sequence, self._last, "damage")

    # Retention

    def retain(self, now_us: int) -> None:
        """Closes the newest segment if due by age, and removes old segments. Logs failures; the next call retries."""
        if self._failed is not None or not self._segments:
            return
        try:
            first_time = self._first_time(len(self._segments) - 1)
            if first_time is not None and self._options.retention.closes(first_time, now_us):
                self._roll(now_us)
            else:
                self._forget(now_us)
        except JournalError as error:
            self._retention_waits(error)
        except OSError as error:
            self._retention_waits(
                self._error("cannot read a segment", self._folder, error, "check the device")
            )

    def retention_due(self) -> int | None:
        """Returns when :meth:`retain` has work, in microseconds since the epoch; None if never or unknown (logged)."""
        if self._options.retention.seconds is None or not self._segments:
            return None
        try:
            newest_time = self._newest_time(0) if len(self._segments) > 1 else None
            return self._options.retention.due(self._first_time(len(self._segments) - 1), newest_time)
        except OSError as error:
            self._retention_waits(
                self._error("cannot read a segment", self._folder, error, "check the device")
            )
            return None

    def _forget(self, now_us: int) -> None:
        try:
            count = self._options.retention.expired(self._segments, now_us, self._newest_time)
            if count and self._unsynced_header:
                # Only the newest segment's name keeps the sequence: it is synced to the device before other segments
                # are removed.
                self._pool.disk.fdatasync(self._descriptor(self._segments[-1]))
                self._pool.disk.sync_folder(self._folder)
                self._unsynced_header = False
            for segment in self._segments[:count]:
                self._drop(segment)
        except OSError as error:
            todo = "check the device and the folder's permissions"
            self._retention_waits(self._error("cannot read or remove a segment", self._folder, error, todo))

    def _retention_waits(self, error: JournalError) -> None:
        fields = {"event": "retention-waits", "stream": self._stream, "reason": str(error)}
        self._options.log.warning("retention waits: %s", error, extra={"zeps": fields})

    def _drop(self, segment: Segment) -> None:
        self._pool.drop(segment.path)
        with suppress(FileNotFoundError):
            self._pool.disk.unlink(segment.path)
        self._segments.remove(segment)
        self._unsynced_older.discard(segment.path)
        self._first_times.pop(segment.first_sequence, None)
        self._newest_times.pop(segment.first_sequence, None)
        fields = {
            "event": "segment-dropped",
            "stream": self._stream,
            "file": str(segment.path),
            "octets": segment.size,
            "first_sequence": segment.first_sequence,
            "last_sequence": segment.limit,
        }
        self._options.log.info("dropped %s", segment.path, extra={"zeps": fields})

    def _first_time(self, index: int) -> int | None:
        """Returns a segment's first time, in microseconds; None without a readable message. Raises OSError."""
        segment = self._segments[index]
        if segment.is_empty:
            return None
        if segment.first_sequence not in self._first_times:
            block = segment.find(segment.first_sequence)
            self._first_times[segment.first_sequence] = block.times[0] if block is not None else None
        return self._first_times[segment.first_sequence]

    def _newest_time(self, index: int) -> int | None:
        """Returns an upper bound of the times in a segment that is not the newest; None if none is known. Raises
        OSError. Times ascend as long as the clock does; retention by age is only as exact.
        """
        for later in range(index + 1, len(self._segments)):
            following = self._first_time(later)
            if following is not None:
                return following
        segment = self._segments[index]
        if segment.first_sequence not in self._newest_times:
            newest, sequence = None, segment.first_sequence
            while (block := segment.find(sequence)) is not None:
                newest, sequence = max(block.times), block.last_sequence + 1
            self._newest_times[segment.first_sequence] = newest
        return self._newest_times[segment.first_sequence]

    # Closing

    def close(self) -> None:
        """Syncs, in every mode, and frees files and caches; takes no more messages even if it raises JournalError."""
        try:
            if self.is_dirty and self._failed is None:
                for path in self._unsynced_older:
                    self._pool.disk.fdatasync(self._pool.get(path, write=True))
                self._sync(self._segments[-1])
                if self._unsynced_header:
                    self._pool.disk.sync_folder(self._folder)
        except OSError as error:
            raise self._error("cannot sync", self._folder, error, "check the device") from error
        finally:
            self._failed = f"{self._folder}: the journal is closed"
            self._cache.clear()
            for segment in self._segments:
                with suppress(OSError):
                    self._pool.drop(segment.path)

    def _error(self, what: str, path: Path, error: OSError, todo: str) -> JournalError:
        return JournalError(f"{path}: {what}: {error.strerror or error}; {todo}")
