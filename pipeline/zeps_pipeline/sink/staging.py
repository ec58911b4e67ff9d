"""Staged rows and the records of their commits, in a folder that driver and tasks share.

    STAGING/QUERY/lock               locked by the running commit
    STAGING/QUERY/committed.json     last published epoch, and a sequence for each stream that its later rows follow
    STAGING/QUERY/EPOCH/*.arrow      rows, one file per task attempt
    STAGING/QUERY/EPOCH/declared.json   files of the epoch in their order, and where the streams ended

A declared epoch consists of these files in this order until it is committed. After a crash, Spark may run the epoch's
tasks again, with other partitions in another order; the files that they stage then are dropped. So rows need no ids,
which would have to be equal for other partitions. Every file and folder is synced before later steps depend on it.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from zeps_pipeline.durable import read_json, sync_path, write_json
from zeps_pipeline.errors import PipelineError

__all__ = ["ROWS", "Committed", "Declared", "Stage"]

ROWS = pa.schema(
    [
        pa.field("stream", pa.string(), nullable=False),
        pa.field("key", pa.string(), nullable=False),
        pa.field("value", pa.binary(), nullable=False),
    ]
)
"""Schema of a staged file."""

_REMEDY = (
    "; use the version that wrote it, or restore it from a backup: without it rows may be published twice"
)
_SAFE = re.compile(r"[A-Za-z0-9._-]{1,200}")


@dataclass(frozen=True, slots=True)
class Declared:
    """A declared epoch: `files` in the order of their rows, and for each stream the sequence that its rows follow."""

    files: tuple[str, ...]
    after: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Committed:
    """The last published epoch, and for each stream ever written a sequence that all later rows follow."""

    epoch: int = -1
    positions: Mapping[str, int] = field(default_factory=dict)


class Stage:
    """Staged rows of the query `query` in the folder `root`. Raises PipelineError if `query` cannot be a folder name.
    All methods raise PipelineError for file system errors.
    """

    def __init__(self, root: str | Path, query: str) -> None:
        if not _SAFE.fullmatch(query) or query.startswith("."):
            raise PipelineError(f"{query!r} cannot be a folder name: use letters, digits, '.', '_' and '-'")
        self.root = Path(root)
        self.folder = self.root / query

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the query's lock; waits without a time limit. The kernel releases a dead process's lock."""
        with _complain(self.folder):
            _make_folder(self.folder)
            fd = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o640)
        try:
            with _complain(self.folder):
                fcntl.flock(fd, fcntl.LOCK_EX)
            yield
        finally:
            os.close(fd)

    def epoch_folder(self, epoch: int) -> Path:
        return self.folder / str(epoch)

    def write(self, epoch: int, name: str, batches: Iterator[pa.RecordBatch]) -> dict[str, int]:
        """Write `batches` (of the schema ROWS) to the new file `name`, and sync it. Returns the number of rows of each
        stream. Without rows, and if `batches` raises, no file is kept.
        """
        folder = self.epoch_folder(epoch)
        rows: dict[str, int] = {}
        with _complain(folder):
            _make_folder(folder)
            path = folder / name
            try:
                with path.open("xb") as file, pa.ipc.new_stream(file, ROWS) as writer:
                    for batch in batches:
                        writer.write_batch(batch)
                        for count in batch.column(0).value_counts().to_pylist():
                            rows[count["values"]] = rows.get(count["values"], 0) + count["counts"]
                    writer.close()
                    file.flush()
                    os.fsync(file.fileno())
            except BaseException:
                path.unlink(missing_ok=True)
                raise
            if not rows:
                path.unlink()
            sync_path(folder)
        return rows

    def read(self, epoch: int, files: Sequence[str], stream: str) -> Iterator[tuple[str, bytes]]:
        """Yield key and body of the rows of `stream` in `files`, in order."""
        for name in files:
            path = self.epoch_folder(epoch) / name
            with _complain(path), pa.OSFile(str(path)) as file, pa.ipc.open_stream(file) as reader:
                for batch in reader:
                    chosen = batch.filter(pa.compute.equal(batch.column(0), stream))
                    yield from zip(chosen.column(1).to_pylist(), chosen.column(2).to_pylist(), strict=True)

    def discard(self, epoch: int, files: Sequence[str]) -> None:
        """Remove files that will not be published; those that do not exist are skipped."""
        for name in files:
            path = self.epoch_folder(epoch) / name
            with _complain(path):
                path.unlink(missing_ok=True)

    def missing(self, epoch: int, files: Sequence[str]) -> list[Path]:
        """Paths of those `files` that do not exist."""
        folder = self.epoch_folder(epoch)
        with _complain(folder):
            return [folder / name for name in files if not (folder / name).is_file()]

    # --- declarations and commits

    def declared(self, epoch: int) -> Declared | None:
        """The declaration of the epoch; None if its publishing has not begun."""
        record = _read_record(self.epoch_folder(epoch) / "declared.json")
        if record is None:
            return None
        return Declared(tuple(record["files"]), record["after"])

    def declare(self, epoch: int, declared: Declared) -> None:
        """Write and sync the declaration, which fixes the epoch's rows."""
        with _complain(self.folder):
            # A task may have created them and died before the sync.
            for folder in (self.folder, self.root):
                sync_path(folder)
            write_json(self.epoch_folder(epoch) / "declared.json", asdict(declared))

    def committed(self) -> Committed:
        """The last published epoch and its positions; epoch -1 and no positions before the first."""
        record = _read_record(self.folder / "committed.json")
        return Committed() if record is None else Committed(record["epoch"], record["positions"])

    def commit(self, committed: Committed) -> None:
        """Record the epoch as published, and remove its staged rows."""
        with _complain(self.folder):
            write_json(self.folder / "committed.json", asdict(committed))
        shutil.rmtree(self.epoch_folder(committed.epoch), ignore_errors=True)


def _read_record(path: Path) -> dict[str, Any] | None:
    with _complain(path):
        return read_json(path, _REMEDY)


@contextmanager
def _complain(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise PipelineError(
            f"{path}: {error.strerror or error}. The option zeps.staging must name a folder that the driver and all "
            "tasks share and may write to"
        ) from error


def _make_folder(folder: Path) -> None:
    """Create `folder` and its missing parents, and sync each."""
    if folder.is_dir():
        return
    _make_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    sync_path(folder.parent)
