"""Peers that connect to the implementation, for zmtp_any: handshakes, sliced sending, and observation."""

from __future__ import annotations

from collections.abc import Sequence

from zeps_conformance.common.dialects import V3_0, V3_1
from zeps_conformance.sockets.connection import Connection
from zeps_conformance.sockets.peer import Peer
from zeps_conformance.sockets.trial import SocketTrial

__all__ = [
    "GOES_ON",
    "announced",
    "expect_end",
    "fate",
    "greeted",
    "greeting_2_0",
    "in_slices",
    "is_version_three",
    "join",
    "require_dialect",
    "unasked_bytes",
    "version_of",
]

GOES_ON = "ignored: the connection stays open"
PAUSE = 0.02  # seconds between slices, so that the implementation reads each slice by itself


def join(t: SocketTrial, a: Connection, tag: bytes = b"served", rule: str | None = None) -> Peer:
    """Exchanges READY on `a` after both greetings; returns the peer after a check that it is served."""
    a.send_ready(t.peer_type)
    a.finish_handshake()
    peer = t.adopt(a)
    t.serve(peer, tag, rule)
    return peer


def version_of(t: SocketTrial) -> tuple[int, int]:
    """The case's dialect, or 3.1, or the implementation's version if that is known and lower."""
    if t.case.dialect is not None:
        return t.case.dialect.value
    return min(t.implementation.announced.get(t.type, V3_1.value), V3_1.value)


def require_dialect(t: SocketTrial) -> None:
    """Raises UnsupportedError unless the implementation serves peers of the case's version. Called before a handshake
    by hand, because some implementations perform one handshake at a time.
    """
    if t.case.dialect is V3_1 and t.implementation.announced.get(t.type, V3_0.value) < V3_1.value:
        probe = t.peer("probe", V3_1)
        probe.close()
        t.implementation.announced[t.type] = probe.announced


def greeted(t: SocketTrial, name: str) -> Connection:
    """Connects a peer and exchanges greetings, in the case's version, else in the implementation's own. Raises
    UnsupportedError if the implementation does not speak the case's version.
    """
    require_dialect(t)
    a = t.dial(name)
    if t.case.dialect is None:
        a.greet_suitably()
        return a
    a.send_greeting()
    a.read_greeting()
    if t.dialect is V3_1:
        a.dialect = V3_1
    return a


def greeting_2_0(t: SocketTrial, socket_type: str, revision: int = 1) -> bytes:
    """The greeting of version 2.0 of a `socket_type`, with an empty identity; `revision` 1 and 2 denote 2.0."""
    codec = t.wire.old("zmtp_2")
    number = codec.model.members["socket type"][socket_type]
    return codec.encode("GREETING", revision=revision, socket_type=number, identity=b"")


def announced(t: SocketTrial, kind: str, size: int, body: bytes = b"") -> bytes:
    """The beginning of a long frame of the model's `kind`, such as LONG-LAST: it announces `size` bytes."""
    empty = t.wire.frames.encode(kind, body=b"")
    width = t.wire.frames.model.message(kind).field("body").size
    return empty[:-width] + size.to_bytes(width, "big") + body


def unasked_bytes(a: Connection) -> bytes:
    """Returns the bytes of a greeting that arrive within 0.15 s; if none does, up to 10 within 1 s more. They can be
    read again.
    """
    wire = a.trial.wire
    return a.read_available(0.15, wire.greeting_size, keep=True) or a.read_available(
        1.0, wire.major_at, keep=True
    )


def in_slices(connection: Connection, data: bytes, cuts: Sequence[int], why: str) -> None:
    """Sends `data` in slices that end at the offsets `cuts`; checks that the connection stays open between."""
    begin = 0
    for cut in (*cuts, len(data)):
        connection.send_raw(data[begin:cut])
        if cut < len(data):
            connection.expect_open(PAUSE, why=why)
        begin = cut


def fate(peer: Peer) -> str:
    """The effect of an input that no rule covers: ignored (:data:`GOES_ON`), closed, or open and not served for 1 s."""
    outcomes = {
        "served": GOES_ON,
        "closed": "the connection is closed",
        "silent": "the connection stays open but is not served",
    }
    return outcomes[peer.probe()]


def expect_end(t: SocketTrial, a: Connection, libzmq: str | None = None) -> None:
    """Checks that the implementation ends the connection of `a` in time. `libzmq` describes libzmq's deviation, if it
    serves `a`.
    """
    closed = a.ends(t.options.leaving)
    outcome = "it is closed" if closed else fate(a if isinstance(a, Peer) else t.adopt(a))
    expected = f"the connection is closed within {t.options.leaving:g} s"
    t.check(closed, expected, outcome, libzmq=libzmq if outcome == GOES_ON else None)


def is_version_three(t: SocketTrial, seen: bytes) -> bool:
    """Returns whether `seen` continues after signature and version, and begins a greeting of version 3 (any minor)."""
    rest = seen[t.wire.major_at : t.wire.greeting_size]
    if len(rest) <= 2:
        return False
    return t.wire.greeting(version=(3, rest[1]))[t.wire.major_at :].startswith(rest)
