"""Many connections at once: stalled handshakes, and peers that connect and disconnect."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zmtp_any.dialled_peers import version_of
from zeps_conformance.sockets.pubsub import NEGATIVE, Connection
from zeps_conformance.sockets.trial import SocketTrial

__all__ = ["opening", "sizes_of", "stops_at"]

SLOW = ("nothing", "9", "10", "11", "63", "64", "mid-ready", "end-of-ready")


def sizes_of(t: SocketTrial) -> dict[str, int]:
    """Number of bytes of its opening that a stalled peer sends, for each entry of `SLOW`."""
    whole = t.wire.greeting_size
    return {
        "nothing": 0,
        "9": t.wire.major_at - 1,
        "10": t.wire.major_at,
        "11": t.wire.major_at + 1,
        "63": whole - 1,
        "64": whole,
        "mid-ready": whole + 12,
        "end-of-ready": len(opening(t)) - 1,
    }


def opening(t: SocketTrial) -> bytes:
    """All bytes that a peer sends before its first message: greeting and READY."""
    return t.wire.greeting(version_of(t)) + t.wire.ready(t.peer_type.encode())


def stops_at(t: SocketTrial, name: str, size: int) -> Connection:
    """Connects a peer that sends the first `size` bytes of its opening and then waits."""
    a = t.dial(name)
    said = opening(t)[:size]
    if said:
        a.send_raw(said)
    return a


def _slow(t: SocketTrial, where: str) -> None:
    size = sizes_of(t)[where]
    t.step("B is served. 24 peers stop in the middle of their handshakes.")
    b = t.peer("B")
    b.barrier()
    peers = [stops_at(t, f"A{number}", size) for number in range(24)]
    t.step("B is still served, and so is C, which connects later.")
    t.serve(b, b"meanwhile")
    t.serve(t.peer("C"))
    t.step("The first stalled peer, unless it was disconnected, continues its handshake and is served.")
    a = peers[0]
    if a.ends(0.0):
        t.observed("the implementation disconnected a stalled peer")
        return
    a.send_raw(opening(t)[size:], "the remaining bytes")
    a.finish_handshake()
    t.serve(t.adopt(a), b"slow")


for _name in SLOW:
    case(
        f"Peers that stop during the handshake do not affect other connections: after {_name.replace('-', ' ')}",
        "ZMTP-X-1",
        subject=f"slow-at-{_name}",
        polarity=NEGATIVE,
    )(_slow, _name)


@case("Dozens of unfinished handshakes do not affect other connections", "ZMTP-X-1", polarity=NEGATIVE)
def half_open(t: SocketTrial) -> None:
    t.step("60 peers stop at different stages of the handshake.")
    sizes = list(sizes_of(t).values())
    peers = [stops_at(t, f"A{number}", sizes[number % len(sizes)]) for number in range(60)]
    t.step("Other peers are served, also after half of the 60 peers and then all disconnect.")
    t.serve(t.peer("B"), b"one")
    for a in peers[::2]:
        a.reset()
    t.serve(t.peer("C"), b"two")
    for a in peers[1::2]:
        a.close()
    t.serve(t.peer("D"), b"three")


@case(
    "Peers that connect and disconnect at once do not affect other connections", "ZMTP-X-1", polarity=NEGATIVE
)
def come_and_go(t: SocketTrial) -> None:
    t.step("B is served. 100 peers connect and disconnect: at once, after a greeting, or after READY.")
    b = t.peer("B")
    b.barrier()
    for number in range(100):
        a = t.dial(f"A{number}")
        if number % 3:
            a.send_raw(opening(t)[: t.wire.greeting_size if number % 3 == 1 else None])
        a.reset() if number % 2 else a.close()
    t.step("B is still served, and so is a peer that connects now.")
    t.serve(b, b"still")
    t.serve(t.peer("C"))
