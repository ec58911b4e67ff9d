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
    """
    committed = stage.committed().epoch
    for folder in _epochs(stage.folder):
        if int(folder.name) <= committed:
            shutil.rmtree(folder, ignore_errors=True)
    before = (time.time() if now is None else now) - ABANDONED_SECONDS
    for query in stage.root.iterdir():
        if query != stage.folder and query.is_dir():
            _sweep_abandoned(query, before)


def _sweep_abandoned(query: Path, before: float) -> None:
    for folder in _epochs(query):
        try:
            if folder.stat().st_mtime >= before:
                continue
        except FileNotFoundError:  # its own query is at work after all
            continue
        if (folder / "declared.json").exists():
            _LOG.warning(
                "%s: an epoch that was not finished; restart its query, or remove the folder", folder
            )
        else:
            shutil.rmtree(folder, ignore_errors=True)


def _epochs(query: Path) -> list[Path]:
    return [folder for folder in query.iterdir() if folder.name.isdigit() and folder.is_dir()]
