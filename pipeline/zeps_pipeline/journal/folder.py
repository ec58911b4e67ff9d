"""Which streams a data folder has, and which segments a stream has.

Nothing is locked or changed: a broker may be writing meanwhile. Paths are absolute, because a task works in another
folder.
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
    """The streams of the data folder `path` by name, each with its folder, or a stream's own folder as one of that
    stream alone. Raises PipelineError if there is no such folder.
    """
    return {stream: folder for folder, stream in _folders(path).items() if stream is not None}


def nameless_folders(path: str | Path) -> list[Path]:
    """Streams' folders whose names are cut and whose segment headers do not say which stream it is: their messages
    cannot be read. Raises PipelineError if there is no such folder.
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
        raise PipelineError(f"{folder}: cannot list the streams: {error.strerror or error}") from error


def _stream_of_own(folder: Path) -> str | None:
    """The stream of a folder with segments; that of the first header if the folder was given another name."""
    if is_folder_name(folder.name):
        return stream_of(folder.name, _headers_in(folder))
    headers = (read_header(data) for data in _headers_in(folder))
    return next((header.stream for header in headers if header is not None), None)


def _headers_in(folder: Path) -> Iterator[bytes]:
    """The first bytes of each segment in the folder. Raises OSError."""
    for path in sorted(path for path in folder.iterdir() if sequence_of(path.name) is not None):
        with path.open("rb") as file:
            yield file.read(HEADER_SIZE_MAX)


def list_segments(stream: str, folder: str | Path) -> list[Segment]:
    """The segments of `stream`, oldest first; none if there is no such folder, or nothing in it yet. Raises
    PipelineError.
    """
    found: list[tuple[int, Path, int]] = []
    try:
        for path in Path(folder).absolute().iterdir():
            sequence = sequence_of(path.name)
            if sequence is not None:
                found.append((sequence, path, path.stat().st_size))
    except FileNotFoundError:
        # A broker that is running dropped a segment between two calls: what it left is found the next time.
        return list_segments(stream, folder) if Path(folder).is_dir() else []
    except OSError as error:
        raise PipelineError(f"{folder}: cannot list the segments: {error.strerror or error}") from error
    if not found:
        return []
    found.sort()
    limits = [first - 1 for first, _, _ in found[1:]]
    return [
        Segment(stream, str(path), first, octets, limit)
        for (first, path, octets), limit in zip(found, [*limits, None], strict=True)
    ]


def check_shared(missed: Iterable[str]) -> None:
    """Raises PipelineError if one of the segments at `missed`, which no task found, is here: it is not retention that
    removed them.
    """
    here = sorted(path for path in missed if Path(path).exists())
    if here:
        raise PipelineError(
            f"{here[0]}: the driver has this file, and a task did not find it. The journal has to be in a folder that "
            "driver and executors share, under the same path"
        )
