"""Synchronisation of files and folders with the storage device."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from zeps_pipeline.errors import PipelineError

__all__ = ["sync_path"]


def sync_path(path: str | Path) -> None:
    """Sync the file or folder `path`; does nothing if it does not exist. Raises PipelineError if the sync fails."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        # A read-only file system has nothing to sync.
        if error.errno not in (errno.EINVAL, errno.EROFS):
            raise PipelineError(f"{path}: cannot sync: {error.strerror}") from error
    finally:
        os.close(descriptor)
