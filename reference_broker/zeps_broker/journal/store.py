"""The journals of all streams in one data folder."""

from __future__ import annotations

import errno
import logging
import math
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from zeps_broker.journal.cache import JournalCache
from zeps_broker.journal.disk import FilePool, OsDisk
from zeps_broker.journal.lock import FolderLock
from zeps_broker.journal.options import JournalOptions, Sync
from zeps_broker.journal.retention import Retention
from zeps_broker.journal.stream_journal import Options, StreamJournal
from zeps_broker.ports import JournalError
from zeps_journal.header import HEADER_SIZE_MAX
from zeps_journal.names import encode_name, is_folder_name, sequence_of, stream_of
from zeps_wire.errors import EncodeError
from zeps_wire.journal import Segment as Header

__all__ = ["JournalStore"]

_DEFAULTS = JournalOptions()
IDLE_MAX = 1000
"""Maximum number of open logs without sessions. The least recently used one is closed first."""
_LOOK_EVERY_US = 1_000_000


class JournalStore:
    """A folder of streams; implements ports.Store. Not thread-safe.

    The settings are described in :class:`JournalOptions`; None for both `retain_bytes` and `retain_seconds` retains
    everything (see :class:`Retention`). `log` None: the logger ``zeps.journal``.

    A stream's folder is created with its first message. Of the streams with messages, at most `IDLE_MAX` without
    sessions stay open, and data is synced, in every mode, before a stream is closed. For retention the store also
    opens closed streams: each once at first, and by age when a segment is due. With `read_only` the folder is neither
    locked nor changed, and a broker may be writing to it: data that was written before a stream was opened can be read.

    Raises JournalError if the folder cannot be created or listed, is in use, or with `read_only` does not exist;
    ValueError for invalid settings.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        sync: Sync = _DEFAULTS.sync,
        sync_seconds: float = _DEFAULTS.sync_seconds,
        segment_bytes: int = _DEFAULTS.segment_bytes,
        retain_bytes: int | None = _DEFAULTS.retain_bytes,
        retain_seconds: float | None = _DEFAULTS.retain_seconds,
        cache_bytes_max: int = _DEFAULTS.cache_bytes_max,
        log: logging.Logger | None = None,
        read_only: bool = False,
        disk: OsDisk | None = None,
    ) -> None:
        self.path = Path(path)
        JournalOptions(  # checks the values
            self.path, sync, sync_seconds, segment_bytes, retain_bytes, retain_seconds, cache_bytes_max
        )
        self._log = log if log is not None else logging.getLogger("zeps.journal")
        retention = Retention(retain_bytes, retain_seconds)
        self._disk = disk if disk is not None else OsDisk()
        self._pool = FilePool(self._disk)
        self._cache = JournalCache(cache_bytes_max)
        self._logs: dict[str, StreamJournal] = {}
        self._dirty: set[StreamJournal] = set()
        self._idle: OrderedDict[str, None] = OrderedDict()
        self._retain_closed: list[str] = []
        """Closed streams that retention must examine."""
        self._retention_due: dict[str, int] = {}
        """When retention must examine each closed stream, in microseconds since the epoch."""
        self._looked_at: int | None = None
        self._count: int | None = None
        """Number of stream folders, once they have been counted."""
        self._closed = False
        self._lock: FolderLock | None = None
        if not read_only:
            try:
                self._make_folder(syncs=sync != "os")
            except OSError as error:
                reason = error.strerror or error
                raise JournalError(
                    f"{self.path}: cannot make the data folder: {reason}; check the path and its permissions"
                ) from error
            self._lock = FolderLock(self.path)
        elif not self.path.is_dir():
            raise JournalError(f"{self.path}: the folder does not exist")
        interval_us = round(sync_seconds * 1e6)
        self._options = Options(sync, interval_us, segment_bytes, retention, read_only, self._lock, self._log)
        try:
            if retain_bytes is not None or retain_seconds is not None:
                self._retain_closed = self.streams()
        except JournalError:
            self.close()
            raise

    def _make_folder(self, *, syncs: bool) -> None:
        """Creates the data folder and its parents if needed; with `syncs`, a power loss cannot remove them. A broker
        that was killed may have left the innermost existing folder unsynced, so its name is synced, too.
        """
        folders = [self.path, *self.path.parents]
        made = [path for path in folders if not path.exists()]
        existing = folders[len(made)]
        if syncs and existing.parent != existing:
            with suppress(PermissionError):  # others made it, or the broker could not have synced it
                self._disk.sync_folder(existing.parent)
        for path in reversed(made):
            self._disk.mkdir(path)
            if syncs:
                self._disk.sync_folder(path.parent)

    def open(self, stream: str) -> StreamJournal:
        """See ports.Store."""
        self._idle.pop(stream, None)
        log = self._logs.get(stream)
        if log is None:
            if self._closed:
                raise JournalError(f"{self.path}: the journal is closed")
            try:
                folder = self.path / encode_name(stream)
                Header(1, 0, stream).encode()
            except (ValueError, EncodeError) as error:
                raise JournalError(f"{self.path}: invalid stream name {stream!r}: {error}") from error
            log = StreamJournal(
                stream, folder, self._options, self._pool, self._cache.stream(), self._dirty, self._count_one
            )
            self._logs[stream] = log
            self._retention_due.pop(stream, None)
        return log

    def leave(self, stream: str) -> None:
        """See ports.Store. A stream that is not open is ignored."""
        log = self._logs.get(stream)
        if log is None:
            return
        if not log.segments:
            self._close_log(stream)
            return
        self._idle[stream] = None
        while len(self._idle) > IDLE_MAX:
            self._close_log(self._idle.popitem(last=False)[0])

    def _close_log(self, stream: str) -> None:
        log = self._logs.pop(stream)
        due = log.retention_due()
        if due is not None:
            self._retention_due[stream] = due
        log.close()

    def streams(self) -> list[str]:
        """See ports.Store: returns the streams that have a folder. Logs folders whose stream is not known. Raises
        JournalError if the folder, or a segment that must be read for a long name, cannot be read.
        """
        return sorted(name for name in self._folders().values() if name is not None)

    def count(self) -> int:
        """See ports.Store. The first call lists the folder; includes `nameless`."""
        if self._count is None:
            try:
                self._count = sum(map(is_folder_name, self._disk.listdir(self.path)))
            except OSError as error:
                raise JournalError(
                    f"{self.path}: cannot count the streams: {error.strerror or error}"
                ) from error
        return self._count

    def _count_one(self) -> None:
        if self._count is not None:
            self._count += 1

    def nameless(self) -> list[Path]:
        """Returns the folders, sorted, of streams whose names are unknown; logs them. Raises JournalError."""
        return sorted(self.path / folder for folder, name in self._folders().items() if name is None)

    def _folders(self) -> dict[str, str | None]:
        """Returns each folder's stream; None, which is logged, if no header names it. Raises JournalError."""
        try:
            folders = [name for name in self._disk.listdir(self.path) if is_folder_name(name)]
            streams = {name: stream_of(name, self._headers_in(name)) for name in folders}
        except OSError as error:
            where, reason = error.filename or self.path, error.strerror or error
            raise JournalError(f"{where}: cannot list the streams: {reason}") from error
        for path in [self.path / name for name, stream in streams.items() if stream is None]:
            fields = {"event": "stream-without-name", "file": str(path)}
            reason = "no segment's header names the stream"
            self._log.error("%s: %s", path, reason, extra={"zeps": fields})
        return streams

    def tick(self, now_us: int) -> None:
        """See ports.Store; checks the lock and retention each second, and opens at most one closed stream per call."""
        for log in list(self._dirty):
            log.sync_if_due(now_us)
        if self._lock is None:
            return
        if self._retain_closed:
            self._retain(self._retain_closed.pop(), now_us)
        if self._looked_at is None or not 0 <= now_us - self._looked_at < _LOOK_EVERY_US:
            self._looked_at = now_us
            self._lock.check()
            retention = self._options.retention
            if retention.bytes_max is None and retention.seconds is None:
                return
            for log in self._logs.values():
                log.retain(now_us)
            due = [stream for stream, moment in self._retention_due.items() if moment <= now_us]
            for stream in due:
                del self._retention_due[stream]
            self._retain_closed += due

    def _retain(self, stream: str, now_us: int) -> None:
        """Applies retention to a stream without sessions. One that cannot be opened waits until it was opened again."""
        if stream in self._logs:
            return
        try:
            log = self.open(stream)
        except JournalError as error:
            fields = {"event": "retention-waits", "stream": stream, "reason": str(error)}
            self._log.warning("retention waits: %s", error, extra={"zeps": fields})
            return
        log.retain(now_us)
        self.leave(stream)

    def timeout(self, now_us: int) -> float:
        """Returns the seconds until :meth:`tick` has urgent work, or infinity; a longer sleep delays syncing."""
        if self._retain_closed:
            return 0.0
        return min([log.sync_due(now_us) for log in self._dirty], default=math.inf)

    def close(self) -> None:
        """See ports.Store. Closes everything, then raises the first failure, if any. May be called again."""
        if self._closed:
            return
        self._closed = True
        failures: list[JournalError] = []
        for log in self._logs.values():
            try:
                log.close()
            except JournalError as error:
                failures.append(error)
        self._pool.close()
        if self._lock is not None:
            self._lock.release()
        if failures:
            raise failures[0]

    def _headers_in(self, folder: str) -> Iterator[bytes]:
        """Yields the first bytes of the folder's segments, oldest first; logs and skips segments that are not regular
        files. Raises OSError.
        """
        for name in sorted(self._disk.listdir(self.path / folder)):
            if sequence_of(name) is None:
                continue
            path = self.path / folder / name
            try:
                fd = self._pool.get(path)
            except OSError as error:
                if error.errno != errno.EINVAL:
                    raise
                fields = {"event": "stream-not-opened", "file": str(path), "reason": error.strerror}
                self._log.error("%s: %s", path, error.strerror, extra={"zeps": fields})
                continue
            yield self._disk.pread(fd, HEADER_SIZE_MAX, 0)
