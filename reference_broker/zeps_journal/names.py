"""Encodes a stream's name as a folder name, and a segment's first sequence as a file name.

Any non-empty string names a stream (ZEPS-STREAM-2), including `..` and `a/b`. Lower-case letters, digits, `-` and `_`
stay, every other byte of its UTF-8 becomes `%xx` in lower-case hexadecimal. Two streams never share a folder, even on a
file system that ignores case. Names with a dot (`zeps.lock`) are free for other files. A folder name of more than 200
bytes is cut and ends with `~` and the SHA-256 of the whole stream name, which is then read from a segment header that
has this hash.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from urllib.parse import unquote_to_bytes

from zeps_journal.header import read_header

__all__ = [
    "FOLDER_SIZE_MAX",
    "decode_name",
    "encode_name",
    "is_cut",
    "is_folder_name",
    "segment_name",
    "sequence_of",
    "stream_of",
]

FOLDER_SIZE_MAX = 200
"""Maximum bytes of a folder name; file systems allow 255."""

_STAYS = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789-_")
_ESCAPED = tuple(chr(byte) if byte in _STAYS else f"%{byte:02x}" for byte in range(256))
_FOLDER = re.compile(r"(?:[a-z0-9_-]|%[0-9a-f]{2})+(~[0-9a-f]{64})?")
_SEGMENT = re.compile(r"([0-9]{20})\.segment")


def encode_name(stream: str) -> str:
    """Returns the name of the stream's folder. Raises ValueError if the name is empty or cannot be encoded as UTF-8."""
    if not stream:
        raise ValueError("a stream's name cannot be empty")
    name = stream.encode()
    folder = "".join([_ESCAPED[byte] for byte in name])
    if len(folder) <= FOLDER_SIZE_MAX:
        return folder
    room = FOLDER_SIZE_MAX - 65
    kept = folder[:room]
    escape = kept.rfind("%", room - 2)
    if escape >= 0:
        kept = kept[:escape]
    return f"{kept}~{hashlib.sha256(name).hexdigest()}"


def decode_name(folder: str) -> str | None:
    """Returns the stream of a folder; None if the name is cut or is not the name of a stream's folder."""
    if not _FOLDER.fullmatch(folder) or is_cut(folder):
        return None
    try:
        stream = unquote_to_bytes(folder).decode()
    except UnicodeDecodeError:
        return None
    return stream if encode_name(stream) == folder else None


def is_cut(folder: str) -> bool:
    """Returns whether the folder name contains only a part of its stream's name."""
    return "~" in folder


def is_folder_name(folder: str) -> bool:
    """Returns whether a stream's folder can have this name."""
    return bool(_FOLDER.fullmatch(folder)) and (is_cut(folder) or decode_name(folder) is not None)


def stream_of(folder: str, headers: Iterable[bytes]) -> str | None:
    """Returns a folder's stream; None if it is not a stream's folder, or its name is cut and no header has it.
    `headers`, the first HEADER_SIZE_MAX bytes of its segments, are only read if needed.
    """
    if not is_cut(folder):
        return decode_name(folder)
    for data in headers:
        header = read_header(data)
        if header is not None and encode_name(header.stream) == folder:
            return header.stream
    return None


def segment_name(first_sequence: int) -> str:
    """Returns the name of a segment file (JOURNAL-SEGMENT-1)."""
    return f"{first_sequence:020d}.segment"


def sequence_of(name: str) -> int | None:
    """Returns the first sequence of the segment file with this name; None if it is not a segment name."""
    match = _SEGMENT.fullmatch(name)
    return int(match[1]) if match else None
