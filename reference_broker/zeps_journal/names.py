"""How a stream's name becomes a folder's name.

Any string that is not empty names a stream (ZEPS-STREAM-2), `..` and `a/b` included, so the name reaches the
disk only encoded: lower-case letters, digits, `-` and `_` stay, every other octet of its UTF-8 becomes `%xx`
in lower-case hexadecimal. No two names share a folder, not even on a disk that ignores case, and no folder's
name holds a dot: names with dots in them (`zeps.lock`) are free for other files.

What would pass 200 octets is cut and ends with `~` and the SHA-256 of the whole name; the name itself is then
read from the segments' headers.
"""

from __future__ import annotations

import hashlib
import re
from urllib.parse import unquote_to_bytes

__all__ = ["FOLDER_OCTETS_MAX", "decode_name", "encode_name", "is_cut", "is_folder_name"]

FOLDER_OCTETS_MAX = 200
"""Longest folder name; file systems allow 255 octets."""

_STAYS = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789-_")
_ESCAPED = tuple(chr(octet) if octet in _STAYS else f"%{octet:02x}" for octet in range(256))
_FOLDER = re.compile(r"(?:[a-z0-9_-]|%[0-9a-f]{2})+(~[0-9a-f]{64})?")


def encode_name(stream: str) -> str:
    """The folder of `stream`. Raises ValueError for the empty name and for text that UTF-8 cannot hold."""
    if not stream:
        raise ValueError("a stream's name cannot be empty")
    octets = stream.encode()
    parts = [_ESCAPED[octet] for octet in octets]
    folder = "".join(parts)
    if len(folder) <= FOLDER_OCTETS_MAX:
        return folder
    room = FOLDER_OCTETS_MAX - 65
    kept = folder[:room]
    escape = kept.rfind("%", room - 2)
    if escape >= 0:
        kept = kept[:escape]
    return f"{kept}~{hashlib.sha256(octets).hexdigest()}"


def decode_name(folder: str) -> str | None:
    """The stream of `folder`; None if it was cut, or if it is no stream's folder."""
    if not _FOLDER.fullmatch(folder) or is_cut(folder):
        return None
    try:
        stream = unquote_to_bytes(folder).decode()
    except UnicodeDecodeError:
        return None
    return stream if encode_name(stream) == folder else None


def is_cut(folder: str) -> bool:
    """Whether the stream's name is longer than what `folder` shows of it."""
    return "~" in folder


def is_folder_name(folder: str) -> bool:
    """Whether `folder` may be a stream's folder, so that other entries of the data folder are left alone."""
    return bool(_FOLDER.fullmatch(folder)) and (is_cut(folder) or decode_name(folder) is not None)
