"""Lock of a data folder: one process at a time."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path

from zeps_broker.ports import JournalError
from zeps_journal.regular_file import open_regular

__all__ = ["LOCK_FILE", "FolderLock", "holder"]

LOCK_FILE = "zeps.lock"

_REMEDY = (
    "the data folder must stay in place while a broker uses it: make sure that no other broker writes to it, "
    "restore it, then start the broker again"
)
_ATTEMPTS = 5
_PAUSE_SECONDS = 0.02


class FolderLock:
    """The lock of a data folder, held from construction to :meth:`release`; the kernel releases it if the process dies.
    The lock file holds the process id. Raises JournalError if another process (which the text names) or another store
    of this process holds it, or if the lock file cannot be opened or created.

    The lock belongs to the file, not to its name. If the file is deleted or replaced, or the folder is moved, another
    broker can start: the holder must detect that with :meth:`check`.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / LOCK_FILE
        try:
            self._fd = open_regular(self.path, os.O_RDWR | os.O_CREAT)
        except OSError as error:
            raise JournalError(
                f"{self.path}: cannot make the lock file: {error.strerror}; check the folder and its permissions"
            ) from error
        try:
            self._take()
        except OSError as error:
            pid = _pid(self._fd)
            os.close(self._fd)
            who = f"process {pid}" if pid else "another process"
            raise JournalError(
                f"{folder}: the journal is in use by {who}; stop it, or give this broker another data folder"
            ) from error
        status = os.fstat(self._fd)
        self._identity = status.st_dev, status.st_ino
        try:
            self.check()  # the file may have been deleted between open and lock
        except JournalError:
            os.close(self._fd)
            raise
        # The process id is only information for people: a full disk must not prevent a broker from starting.
        try:
            os.ftruncate(self._fd, 0)
            os.pwrite(self._fd, f"{os.getpid()}\n".encode(), 0)
        except OSError:
            pass

    def _take(self) -> None:
        # An inspection takes the lock for a moment to find its holder; that must not prevent a broker from starting.
        for _ in range(_ATTEMPTS - 1):
            try:
                return fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                time.sleep(_PAUSE_SECONDS)
        return fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def check(self) -> None:
        """Raises JournalError if the lock file is gone, or is not the file that was locked."""
        try:
            status = os.stat(self.path)
        except OSError as error:
            raise JournalError(f"{self.path}: the lock file is gone ({error.strerror}); {_REMEDY}") from error
        if (status.st_dev, status.st_ino) != self._identity:
            raise JournalError(
                f"{self.path}: the lock file was replaced, perhaps by another broker; {_REMEDY}"
            )

    def release(self) -> None:
        """Releases the lock; may be called again. The file stays: without it, two processes could hold a lock."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def holder(folder: Path) -> int | None:
    """Returns the process id of the holder: 0 if unknown, None if not locked or not readable. Locks for a moment."""
    try:
        fd = open_regular(folder / LOCK_FILE, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return _pid(fd)
    else:
        return None
    finally:
        os.close(fd)


def _pid(fd: int) -> int:
    text = os.pread(fd, 32, 0).strip()
    return int(text) if text.isdigit() else 0
