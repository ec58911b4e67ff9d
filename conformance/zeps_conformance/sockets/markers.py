"""Markers: topics that only barriers and checks before and after a case use, and that expectations skip."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

__all__ = ["MARKER", "Markers", "Parts", "is_marker", "is_marker_notice", "show", "show_all"]

#: Prefix of every marker's topic: cases do not use it, and it is text, because some libraries require text.
MARKER = b"\x02\x03zeps"
NOTICES = (b"\x01", b"\x00")

Parts = tuple[bytes, ...]


class Markers:
    """Topics that are unique within a case."""

    def __init__(self) -> None:
        self._numbers: Iterator[int] = itertools.count(1)

    def topic(self, kind: bytes = b"barrier") -> bytes:
        return MARKER + b"/%s/%d/" % (kind, next(self._numbers))


def is_marker(parts: Parts) -> bool:
    """Returns whether a message is a marker."""
    return parts[0].startswith(MARKER)


def is_marker_notice(parts: Parts) -> bool:
    """Returns whether a message is XPUB's notice of a subscription to a marker, or of its cancellation."""
    return parts[0][:1] in NOTICES and parts[0][1:].startswith(MARKER)


def show(parts: Parts | None) -> str:
    """Formats a message."""
    if parts is None:
        return "nothing"
    return " + ".join(_show(part) for part in parts)


def show_all(messages: Sequence[Parts]) -> str:
    """Formats several messages."""
    texts = [show(parts) for parts in messages[:12]]
    more = f" and {len(messages) - 12} more" if len(messages) > 12 else ""
    return (", ".join(texts) or "nothing") + more


def _show(part: bytes) -> str:
    text = ascii(bytes(part[:32]))[1:]
    return text if len(part) <= 32 else f"{text}… ({len(part)} bytes)"
