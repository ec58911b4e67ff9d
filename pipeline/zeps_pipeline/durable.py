"""What has to outlive a loss of power."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from zeps_pipeline.errors import PipelineError

__all__ = ["sync_path"]


def sync_path(path: str | Path) -> None:
    """Put the file or folder `path` on the device; one that is gone needs nothing. Raises PipelineError."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        # A file system that is mounted for reading only has nothing to sync.
        if error.errno not in (errno.EINVAL, errno.EROFS):
            raise PipelineError(f"{path}: cannot be synced: {error.strerror}") from error
    finally:
        os.close(descriptor)
