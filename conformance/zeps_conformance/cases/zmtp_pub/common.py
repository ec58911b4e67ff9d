"""What the cases of this profile share: topics, slices of a greeting, and what became of an offender."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from zeps_conformance.pubsub import V3_1, Connection, Subscriber, Trial

__all__ = [
    "BOUNDARY_SIZES",
    "GOES_ON",
    "LEAVES",
    "announced",
    "fate",
    "greeted",
    "in_slices",
    "listing",
    "serve",
    "shown",
    "topic_of",
    "version_of",
]

# Topics whose subscription or cancellation, in either form, has a body of about 255 octets, where sizes grow long.
BOUNDARY_SIZES = range(244, 258)

GOES_ON = "ignored: the connection goes on"
LEAVES = 1.0  # seconds within which a peer is left that has to be left
TOLD = 1.0  # seconds within which an application is told
PAUSE = 0.02  # seconds between slices, so that they are read one by one


def topic_of(t: Trial, size: int) -> bytes:
    """A topic of `size` octets, 1 or more, with %x00 and %xFF in it; no two are alike, or begin one another.

    Topics of one octet are all %xFF.
    """
    if size == 1:
        return b"\xff"
    return b"\x00" + t.octets(size - 2) + b"\xff"


def version_of(t: Trial) -> tuple[int, int]:
    """The version for a greeting that is sent octet by octet: the case's, or the lower of 3.1 and what is known."""
    if t.case.dialect is not None:
        return t.case.dialect.value
    return min(t.shim.announced.get(t.type, V3_1.value), V3_1.value)


def greeted(t: Trial, name: str) -> Connection:
    """A connection on which both have greeted. UnsupportedError if the testee does not speak the case's version."""
    a = t.dial(name)
    if t.case.dialect is None:
        a.greet_suitably()
        return a
    a.send_greeting()
    a.read_greeting()
    if t.dialect is V3_1 and a.dialect is not V3_1:
        t.unsupported(f"the testee speaks ZMTP {a.dialect}, and not {t.dialect}")
    return a


def announced(t: Trial, kind: str, size: int, octets: bytes = b"") -> bytes:
    """The beginning of a long frame, of a `kind` that the model names, which announces `size` octets; `octets` come."""
    empty = t.wire.frames.encode(kind, body=b"")
    width = t.wire.frames.model.message(kind).field("body").size
    return empty[:-width] + size.to_bytes(width, "big") + octets


def in_slices(connection: Connection, octets: bytes, cuts: Sequence[int], why: str) -> None:
    """Send `octets` in slices that end at `cuts`; after each the testee has time to read, and has to stay."""
    begin = 0
    for cut in (*cuts, len(octets)):
        connection.send_raw(octets[begin:cut])
        if cut < len(octets):
            connection.expect_open(PAUSE, why=why)
        begin = cut


def serve(t: Trial, peer: Subscriber, topic: bytes = b"served", rule: str | None = None) -> None:
    """Subscribe `peer` to `topic`, and show that a message comes, and one that does not match does not."""
    peer.subscribe(topic)
    peer.barrier()
    t.app.send(b"not " + topic)
    t.app.send(topic + b" first", b"part")
    t.compare(f"{peer.name} receives", [(topic + b" first", b"part")], peer.collect(), rule)


def shown(t: Trial, peer: Subscriber) -> list[tuple[bytes, ...]]:
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


def fate(peer: Subscriber) -> str:
    """What became of `peer` after something that the rules say nothing of: its connection goes on, or it does not."""
    outcomes = {
        "served": GOES_ON,
        "closed": "the connection is closed",
        "silent": "the connection stays open and is served no more",
    }
    return outcomes[peer.probe()]


def listing(messages: Iterable[tuple[bytes, ...]], limit: int = 8) -> str:
    """The first parts of `messages`, for people."""
    first = [repr(parts[0]) for parts in messages]
    return ", ".join(first[:limit]) + (f" … {len(first)} in all" if len(first) > limit else "") or "nothing"
