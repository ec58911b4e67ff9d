"""Lists the streams of a data folder and the segments of a stream, as absolute paths. Files are neither locked nor
changed, so a broker may be writing at the same time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from zeps_journal.header import HEADER_SIZE_MAX, read_header
from zeps_journal.names import is_folder_name, sequence_of, stream_of
from zeps_journal.segment_file import Segment
from zeps_pipeline.errors import PipelineError

__all__ = ["check_shared", "list_segments", "list_streams", "nameless_folders"]


def list_streams(path: str | Path) -> dict[str, Path]:
    """Folder of each stream in the data folder `path` by stream name, without the `nameless_folders`; if `path` is a
    stream's folder, only that stream. Raises PipelineError if a folder does not exist or cannot be read.
    """
    return {stream: folder for folder, stream in _folders(path).items() if stream is not None}


def nameless_folders(path: str | Path) -> list[Path]:
    """Stream folders for which neither the name nor a segment header names the stream; their messages cannot be read.
    Raises PipelineError if a folder does not exist or cannot be read.
    """
    return [folder for folder, stream in _folders(path).items() if stream is None]


def _folders(path: str | Path) -> dict[Path, str | None]:
    folder = Path(path).absolute()
    try:
        if any(sequence_of(entry.name) is not None for entry in folder.iterdir()):
            return {folder: _stream_of_own(folder.resolve())}
        entries = sorted(entry for entry in folder.iterdir() if is_folder_name(entry.name) and entry.is_dir())
        return {entry: stream_of(entry.name, _headers_in(entry)) for entry in entries}
    except OSError as error:
        place, why = error.filename or folder, error.strerror or error
        raise PipelineError(f"{place}: cannot list the streams: {why}") from error


def _stream_of_own(folder: Path) -> str | None:
    """The stream of a folder with segments, by the folder's name or else its first readable segment header; or None."""
    if is_folder_name(folder.name):
        return stream_of(folder.name, _headers_in(folder))
    headers = (read_header(data) for data in _headers_in(folder))
    return next((header.stream for header in headers if header is not None), None)


def _headers_in(folder: Path) -> Iterator[bytes]:
    """The first HEADER_SIZE_MAX bytes of each segment, or fewer; oldest segment first. Raises OSError."""
    for path in sorted(path for path in folder.iterdir() if sequence_of(path.name) is not None):
        with path.open("rb") as file:
            yield file.read(HEADER_SIZE_MAX)


def list_segments(stream: str, folder: str | Path) -> list[Segment]:
    """The segments of `stream`, oldest first; empty if none exist. Raises PipelineError if the folder is unreadable."""
    files: list[tuple[int, Path, int]] = []
    try:
        for path in Path(folder).absolute().iterdir():
            sequence = sequence_of(path.name)
            if sequence is not None:
                files.append((sequence, path, path.stat().st_size))
    except FileNotFoundError:
        # A running broker removed a segment between two calls; list the remaining segments.
        return list_segments(stream, folder) if Path(folder).is_dir() else []
    except OSError as error:
        raise PipelineError(f"{folder}: cannot list the segments: {error.strerror or error}") from error
    if not files:
        return []
    files.sort()
    limits = [first - 1 for first, _, _ in files[1:]]
    return [
        Segment(stream, str(path), first, size, limit)
        for (first, path, size), limit in zip(files, [*limits, None], strict=True)
    ]


def check_shared(missed: Iterable[str]) -> None:
    """Check that the files `missed`, which no task found, do not exist here either: then retention removed them. Raises
    PipelineError if one of them exists.
    """
    here = sorted(path for path in missed if Path(path).exists())
    if here:
        raise PipelineError(
            f"{here[0]}: this file exists on the driver, but a task did not find it. Driver and executors must share "
            "the journal's folder under the same path"
        )
