"""Topics and notices for the cases of profile zmtp-pub."""

from __future__ import annotations

from collections.abc import Iterable

from zeps_conformance.sockets.pubsub import PubSubTrial, Subscriber

__all__ = [
    "BOUNDARY_SIZES",
    "drain_notices",
    "listing",
    "topic_of",
]

# Topics whose subscription or cancellation, in either form, has a body of about 255 bytes, the largest short size.
BOUNDARY_SIZES = range(244, 258)

NOTICE_TIMEOUT = 1.0  # seconds within which an application receives a notice


def topic_of(t: PubSubTrial, size: int) -> bytes:
    """A topic of `size` bytes, at least 1: %x00, random bytes, %xFF. Long topics are distinct and not prefixes."""
    if size == 1:
        return b"\xff"
    return b"\x00" + t.random_bytes(size - 2) + b"\xff"


def drain_notices(t: PubSubTrial, peer: Subscriber) -> list[tuple[bytes, ...]]:
    """Removes and returns the application's messages and notices up to a random topic that `peer` subscribes to and
    cancels. Without notices, waits until nothing arrives for one second.
    """
    topic = b"~" + t.random_bytes(8)
    peer.subscribe(topic)
    peer.cancel(topic)
    seen: list[tuple[bytes, ...]] = []
    while (parts := t.app.recv(NOTICE_TIMEOUT)) is not None and parts != (b"\x00" + topic,):
        if parts != (b"\x01" + topic,):
            seen.append(parts)
    return seen


def listing(messages: Iterable[tuple[bytes, ...]], limit: int = 8) -> str:
    """The first parts of the first `limit` messages as text, with the total if there are more; ``nothing`` for none."""
    first = [repr(parts[0]) for parts in messages]
    return ", ".join(first[:limit]) + (f" … {len(first)} in all" if len(first) > limit else "") or "nothing"
