"""The header of a segment file, and the check that the file belongs to its folder's stream."""

from __future__ import annotations

from operator import ne
from typing import NamedTuple

from zeps_wire.errors import DecodeError
from zeps_wire.journal import BLOCK_HEAD, SEGMENT_HEAD_SIZE, Segment, decode

__all__ = ["HEADER_SIZE_MAX", "HeaderFault", "header_fault", "header_size", "read_header"]

HEADER_SIZE_MAX = SEGMENT_HEAD_SIZE + 1 + 255
"""Maximum size of a header in bytes."""


class HeaderFault(NamedTuple):
    """A fault of a header. With `is_foreign` the file belongs to another stream, and none of it is served."""

    reason: str
    is_foreign: bool = False


def header_size(stream: str) -> int:
    """Returns the size in bytes of the header of a segment of `stream`; the first block follows it."""
    return SEGMENT_HEAD_SIZE + 1 + len(stream.encode())


def read_header(data: bytes) -> Segment | None:
    """Returns the header at the beginning of `data`; None if it is damaged."""
    try:
        header = decode(data[: _end_of(data)])
    except DecodeError:
        return None
    return header if isinstance(header, Segment) else None


def header_fault(data: bytes, stream: str, first_sequence: int) -> HeaderFault | None:
    """Compares the header at the start of `data` with the names of folder and file; returns None if they agree. `data`
    has HEADER_SIZE_MAX bytes and a block's magic, or all of a shorter file. A damaged header loses no message, because
    its length is known. A header with another stream's name is foreign, unless one damaged byte explains it.
    """
    header = read_header(data)
    if header is None:
        return HeaderFault("a damaged segment header")
    if header.stream != stream:
        name, own = header.stream.encode(), stream.encode()
        if len(name) == len(own):
            is_foreign = sum(map(ne, name, own)) > 1
        else:
            # If the length were damaged, no block would follow the header.
            end = _end_of(data)
            is_foreign = data[end : end + len(BLOCK_HEAD)] in (BLOCK_HEAD, b"")
        return HeaderFault(f"the segment header names the stream {header.stream!r}", is_foreign)
    if header.first_sequence != first_sequence:
        return HeaderFault("the header's sequence differs from the file name's")
    return None


def _end_of(data: bytes) -> int:
    """Returns the header's size in bytes; ``len(data)`` if the length of its stream's name is cut off."""
    size = SEGMENT_HEAD_SIZE
    return size + 1 + data[size] if len(data) > size else len(data)
