"""Markers: topics that only barriers and brackets use, and that every expectation passes over."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

__all__ = ["MARKER", "Markers", "Parts", "is_marker", "is_marker_notice", "show", "show_all"]

#: How the topic of every marker begins: with what no case has, and is text, since some libraries take nothing else.
MARKER = b"\x02\x03zeps"
NOTICES = (b"\x01", b"\x00")

Parts = tuple[bytes, ...]


class Markers:
    """Topics that nothing else of this case uses."""

    def __init__(self) -> None:
        self._numbers: Iterator[int] = itertools.count(1)

    def topic(self, kind: bytes = b"barrier") -> bytes:
        return MARKER + b"/%s/%d/" % (kind, next(self._numbers))


def is_marker(parts: Parts) -> bool:
    """Whether a message is one of ours."""
    return parts[0].startswith(MARKER)


def is_marker_notice(parts: Parts) -> bool:
    """Whether a message is what XPUB tells its application of a subscription of ours."""
    return parts[0][:1] in NOTICES and parts[0][1:].startswith(MARKER)


def show(parts: Parts | None) -> str:
    """A message for a reader."""
    if parts is None:
        return "nothing"
    return " + ".join(_show(part) for part in parts)


def show_all(messages: Sequence[Parts]) -> str:
    """Several messages for a reader."""
    shown = [show(parts) for parts in messages[:12]]
    more = f" and {len(messages) - 12} more" if len(messages) > 12 else ""
    return (", ".join(shown) or "nothing") + more


def _show(part: bytes) -> str:
    text = ascii(bytes(part[:32]))[1:]
    return text if len(part) <= 32 else f"{text}… ({len(part)} octets)"
