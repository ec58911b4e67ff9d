"""What the cases of any peer that is dialled share: their registration, slices, and what became of an offender."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from zeps_conformance.common.case import TIME_LIMIT, Body, Polarity, case
from zeps_conformance.common.dialects import V3_1, Dialect
from zeps_conformance.sockets.connection import Connection
from zeps_conformance.sockets.peer import Peer
from zeps_conformance.sockets.trial import SocketTrial

__all__ = [
    "GOES_ON",
    "announced",
    "fate",
    "greeted",
    "in_slices",
    "is_version_three",
    "join",
    "shared",
    "version_of",
]

#: The profiles whose implementations are dialled by peers that the suite plays.
PROFILES = ("zmtp-pub", "zmtp-router")

GOES_ON = "ignored: the connection goes on"
PAUSE = 0.02  # seconds between slices, so that they are read one by one

Function = TypeVar("Function", bound=Body)


def shared(
    subject: str,
    title: str,
    *rules: str,
    polarity: Polarity = Polarity.POSITIVE,
    dialects: tuple[Dialect, ...] = (),
    limit: float = TIME_LIMIT,
) -> Callable[[Function], Function]:
    """As :func:`case`, for each of :data:`PROFILES`; `subject` is the id without the profile's name."""

    def register(function: Function) -> Function:
        for profile in PROFILES:
            case(f"{profile}.{subject}", title, *rules, polarity=polarity, dialects=dialects, limit=limit)(
                function
            )
        return function

    return register


def join(t: SocketTrial, a: Connection, tag: bytes = b"served", rule: str | None = None) -> Peer:
    """READY on `a`, on which both have greeted; the implementation's READY comes, and the peer is served."""
    a.send_ready(t.peer_type)
    a.finish_handshake()
    peer = t.adopt(a)
    t.serve(peer, tag, rule)
    return peer


def version_of(t: SocketTrial) -> tuple[int, int]:
    """The version for a greeting that is sent octet by octet: the case's, or the lower of 3.1 and what is known."""
    if t.case.dialect is not None:
        return t.case.dialect.value
    return min(t.implementation.announced.get(t.type, V3_1.value), V3_1.value)


def greeted(t: SocketTrial, name: str) -> Connection:
    """A connection on which both have greeted.

    UnsupportedError if the implementation does not speak the case's version.
    """
    a = t.dial(name)
    if t.case.dialect is None:
        a.greet_suitably()
        return a
    a.send_greeting()
    a.read_greeting()
    if t.dialect is V3_1 and a.dialect is not V3_1:
        t.unsupported(f"the implementation speaks ZMTP {a.dialect}, and not {t.dialect}")
    return a


def announced(t: SocketTrial, kind: str, size: int, octets: bytes = b"") -> bytes:
    """The beginning of a long frame, of a `kind` that the model names, which announces `size` octets; `octets` come."""
    empty = t.wire.frames.encode(kind, body=b"")
    width = t.wire.frames.model.message(kind).field("body").size
    return empty[:-width] + size.to_bytes(width, "big") + octets


def in_slices(connection: Connection, octets: bytes, cuts: Sequence[int], why: str) -> None:
    """Send `octets` in slices that end at `cuts`; after each the implementation has time to read, and has to stay."""
    begin = 0
    for cut in (*cuts, len(octets)):
        connection.send_raw(octets[begin:cut])
        if cut < len(octets):
            connection.expect_open(PAUSE, why=why)
        begin = cut


def fate(peer: Peer) -> str:
    """What became of `peer` after something that the rules say nothing of: its connection goes on, or it does not."""
    outcomes = {
        "served": GOES_ON,
        "closed": "the connection is closed",
        "silent": "the connection stays open and is served no more",
    }
    return outcomes[peer.probe()]


def is_version_three(t: SocketTrial, seen: bytes) -> bool:
    """Whether `seen`, longer than a signature, is the beginning of a greeting of version 3."""
    rest = seen[t.wire.major_at : t.wire.greeting_size]
    if len(rest) <= 2:
        return False
    return t.wire.greeting(version=(3, rest[1]))[t.wire.major_at :].startswith(rest)
