"""Which streams a data folder has, and which segments a stream has. Nothing is locked or changed: a broker may
be writing meanwhile. Paths that are handed out are absolute: a task works in another folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from zeps_pipeline.errors import PipelineError
from zeps_wire import journal as wire
from zeps_wire.errors import DecodeError

__all__ = ["HEADER_OCTETS_MAX", "Segment", "check_shared", "list_segments", "list_streams", "read_header"]

_SEGMENT_NAME = re.compile(r"([0-9]{20})\.segment")
_FOLDER_NAME = re.compile(r"(?:[a-z0-9_-]|%[0-9a-f]{2})+(~[0-9a-f]{64})?")
HEADER_OCTETS_MAX = wire.SEGMENT_HEAD_SIZE + 1 + 255


class Segment(NamedTuple):
    """A segment file of `stream`, as long as it was when it was looked at. `limit` is the last sequence that
    belongs here; None for the newest segment, which may still grow.
    """

    stream: str
    path: str
    first_sequence: int
    octets: int
    limit: int | None

    @property
    def header_octets(self) -> int:
        """Where the first block begins."""
        return wire.SEGMENT_HEAD_SIZE + 1 + len(self.stream.encode())


def list_streams(path: str | Path) -> dict[str, Path]:
    """The streams of the data folder `path` by name, each with its folder; a stream's own folder counts as one
    of that stream alone. Raises PipelineError if there is no such folder.
    """
    folder = Path(path).absolute()
    try:
        entries = sorted(entry for entry in folder.iterdir() if _FOLDER_NAME.fullmatch(entry.name))
        if any(_SEGMENT_NAME.fullmatch(entry.name) for entry in folder.iterdir()):
            return {_name_of(folder.resolve()): folder}
        return {_name_of(entry): entry for entry in entries if entry.is_dir()}
    except OSError as error:
        raise PipelineError(f"{folder}: cannot list the streams: {error.strerror or error}") from error


def list_segments(stream: str, folder: str | Path) -> list[Segment]:
    """The segments of `stream`, oldest first; none if there is no such folder, or nothing in it yet. Raises
    PipelineError.
    """
    found: list[tuple[int, Path, int]] = []
    try:
        for path in Path(folder).absolute().iterdir():
            match = _SEGMENT_NAME.fullmatch(path.name)
            if match is not None:
                found.append((int(match[1]), path, path.stat().st_size))
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


def read_header(octets: bytes) -> wire.Segment | None:
    """The segment's header that `octets` begin with; None if it is damaged."""
    size = wire.SEGMENT_HEAD_SIZE
    try:
        found = wire.decode(octets[: size + 1 + octets[size]]) if len(octets) > size else None
    except DecodeError:
        return None
    return found if isinstance(found, wire.Segment) else None


def _name_of(folder: Path) -> str:
    """The stream's name: what its folder's name encodes, or, where that was cut, what a header says."""
    if "~" not in folder.name and _FOLDER_NAME.fullmatch(folder.name):
        try:
            return unquote_to_bytes(folder.name).decode()
        except UnicodeDecodeError:
            return folder.name
    for path in sorted(folder.iterdir()):
        if _SEGMENT_NAME.fullmatch(path.name):
            with path.open("rb") as file:
                header = read_header(file.read(HEADER_OCTETS_MAX))
            if header is not None:
                return header.stream
    return folder.name
