"""Files and folders that are synced with the storage device, and JSON files that survive a crash."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from zeps_pipeline.errors import PipelineError

__all__ = ["read_json", "sync_path", "write_json"]

_VERSION = 1


def read_json(path: Path, remedy: str = "") -> dict[str, Any] | None:
    """The fields of a file of :func:`write_json`; None if it does not exist. Raises PipelineError, with `remedy` at the
    end of its message, if the file is not valid JSON or another version of zeps wrote it; OSError if it cannot be read.
    """
    try:
        fields = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise PipelineError(f"{path}: not valid JSON: {error}{remedy}") from error
    if not isinstance(fields, dict) or fields.get("version") != _VERSION:
        raise PipelineError(f"{path}: written by another version of zeps{remedy}")
    return fields


def write_json(path: Path, fields: Mapping[str, Any]) -> None:
    """Replace the file atomically by one with a version and `fields`, and sync it and its folder. Raises OSError, and
    PipelineError if the folder cannot be synced.
    """
    fresh = path.with_suffix(".new")
    try:
        with fresh.open("w") as file:
            json.dump({"version": _VERSION, **fields}, file)
            file.flush()
            os.fsync(file.fileno())
        fresh.rename(path)
    except BaseException:
        with suppress(OSError):
            fresh.unlink()
        raise
    sync_path(path.parent)


def sync_path(path: str | Path) -> None:
    """Sync the file or folder `path`; does nothing if it does not exist or its file system cannot sync. Raises
    PipelineError if the sync fails, OSError if `path` cannot be opened.
    """
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
