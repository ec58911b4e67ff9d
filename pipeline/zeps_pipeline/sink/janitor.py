"""Removes staged rows that will not be published: of dead tasks, of superseded attempts, and of abandoned queries."""

from __future__ import annotations

import logging
import shutil
import time
from pathlib import Path

from zeps_pipeline.sink.staging import Stage

__all__ = ["ABANDONED_SECONDS", "sweep"]

ABANDONED_SECONDS = 7 * 86_400.0
_LOG = logging.getLogger("zeps.pipeline")


def sweep(stage: Stage) -> None:
    """Remove this query's epochs up to the last committed one, and week-old undeclared epochs of other queries. A
    declared epoch may be partly published: it is kept, and logged as a warning. Files that cannot be read or removed
    are skipped.
    """
    committed = stage.committed().epoch
    for folder in _epochs(stage.folder):
        if int(folder.name) <= committed:
            shutil.rmtree(folder, ignore_errors=True)
    before = time.time() - ABANDONED_SECONDS
    for query in _folders(stage.root):
        if query != stage.folder:
            _sweep_abandoned(query, before)


def _sweep_abandoned(query: Path, before: float) -> None:
    for folder in _epochs(query):
        try:
            if folder.stat().st_mtime >= before:
                continue
            declared = (folder / "declared.json").exists()
        except OSError:  # its query is running after all
            continue
        if declared:
            _LOG.warning(
                "%s: an epoch that was not finished; restart its query, or remove this folder", folder
            )
        else:
            shutil.rmtree(folder, ignore_errors=True)


def _epochs(query: Path) -> list[Path]:
    return [folder for folder in _folders(query) if folder.name.isdigit()]


def _folders(folder: Path) -> list[Path]:
    try:
        return [entry for entry in folder.iterdir() if entry.is_dir()]
    except OSError:
        return []
