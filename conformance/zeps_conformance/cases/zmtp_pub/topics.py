"""What the cases of this profile share beside what is shared by all of peers that are dialled: topics and notices."""

from __future__ import annotations

from collections.abc import Iterable

from zeps_conformance.sockets.pubsub import PubSubTrial, Subscriber

__all__ = [
    "BOUNDARY_SIZES",
    "listing",
    "shown",
    "topic_of",
]

# Topics whose subscription or cancellation, in either form, has a body of about 255 octets, where sizes grow long.
BOUNDARY_SIZES = range(244, 258)

TOLD = 1.0  # seconds within which an application is told


def topic_of(t: PubSubTrial, size: int) -> bytes:
    """A topic of `size` octets, 1 or more, with %x00 and %xFF in it; no two are alike, or begin one another.

    Topics of one octet are all %xFF.
    """
    if size == 1:
        return b"\xff"
    return b"\x00" + t.octets(size - 2) + b"\xff"


def shown(t: PubSubTrial, peer: Subscriber) -> list[tuple[bytes, ...]]:
    """All that the application was shown until now, of `peer` at least: a topic that it has for a moment comes last.

    Of an application that is not told of that topic, all that comes.
    """
    topic = b"~" + t.octets(8)
    peer.subscribe(topic)
    peer.cancel(topic)
    seen: list[tuple[bytes, ...]] = []
    while (parts := t.app.recv(TOLD)) is not None and parts != (b"\x00" + topic,):
        if parts != (b"\x01" + topic,):
            seen.append(parts)
    return seen


def listing(messages: Iterable[tuple[bytes, ...]], limit: int = 8) -> str:
    """The first parts of `messages`, for people."""
    first = [repr(parts[0]) for parts in messages]
    return ", ".join(first[:limit]) + (f" … {len(first)} in all" if len(first) > limit else "") or "nothing"
