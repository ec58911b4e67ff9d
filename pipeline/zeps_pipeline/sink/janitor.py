"""Staged rows that nobody will publish: of tasks that died, of attempts that lost, of queries that never came back."""

from __future__ import annotations

import logging
import shutil
import time
from pathlib import Path

from zeps_pipeline.sink.staging import Stage

__all__ = ["ABANDONED_SECONDS", "sweep"]

ABANDONED_SECONDS = 7 * 86_400.0
_LOG = logging.getLogger("zeps.pipeline")


def sweep(stage: Stage, now: float | None = None) -> None:
    """Remove this query's epochs up to the last that is committed, and what other queries in the same folder staged
    a week ago and never declared. An epoch that is declared may be published in part: it is kept, and named in the
    log, however old it is.

    Other queries come and go meanwhile, and may be another user's: what cannot be looked at or removed is left.
    """
    committed = stage.committed().epoch
    for folder in _epochs(stage.folder):
        if int(folder.name) <= committed:
            shutil.rmtree(folder, ignore_errors=True)
    before = (time.time() if now is None else now) - ABANDONED_SECONDS
    for query in _folders(stage.root):
        if query != stage.folder:
            _sweep_abandoned(query, before)


def _sweep_abandoned(query: Path, before: float) -> None:
    for folder in _epochs(query):
        try:
            if folder.stat().st_mtime >= before:
                continue
            declared = (folder / "declared.json").exists()
        except OSError:  # its own query is at work after all
            continue
        if declared:
            _LOG.warning(
                "%s: an epoch that was not finished; restart its query, or remove the folder", folder
            )
        else:
            shutil.rmtree(folder, ignore_errors=True)


def _epochs(query: Path) -> list[Path]:
    return [folder for folder in _folders(query) if folder.name.isdigit()]


def _folders(folder: Path) -> list[Path]:
    try:
        return [each for each in folder.iterdir() if each.is_dir()]
    except OSError:
        return []
