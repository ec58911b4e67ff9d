"""Many at once: handshakes that do not get on, and peers that come and go."""

from __future__ import annotations

from collections.abc import Callable

from zeps_conformance.cases.zmtp_any.dialled_peers import shared, version_of
from zeps_conformance.sockets.pubsub import NEGATIVE, Connection
from zeps_conformance.sockets.trial import SocketTrial

__all__ = ["opening", "sizes_of", "stops_at"]

SLOW = ("nothing", "9", "10", "11", "63", "64", "mid-ready", "end-of-ready")


def sizes_of(t: SocketTrial) -> dict[str, int]:
    """How many octets of its opening a peer has sent, for each of `SLOW`."""
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
    """All that a peer sends before its first message."""
    return t.wire.greeting(version_of(t)) + t.wire.ready(t.peer_type.encode())


def stops_at(t: SocketTrial, name: str, size: int) -> Connection:
    """A peer that has sent `size` octets of its opening, and waits."""
    a = t.dial(name)
    said = opening(t)[:size]
    if said:
        a.send_raw(said)
    return a


def _slow(where: str) -> Callable[[SocketTrial], None]:
    def run(t: SocketTrial) -> None:
        size = sizes_of(t)[where]
        t.step("B is served. 24 peers stop in the middle of their handshake.")
        b = t.peer("B")
        b.barrier()
        peers = [stops_at(t, f"A{number}", size) for number in range(24)]
        t.step("B is served meanwhile, and so is C, which comes later.")
        t.serve(b, b"meanwhile")
        t.serve(t.peer("C"))
        t.step("The first of the slow ones goes on where it was, and is served.")
        a = peers[0]
        if a.ends(0.0):
            t.observed("the slow ones were left")
            return
        a.send_raw(opening(t)[size:], "the rest")
        a.finish_handshake()
        t.serve(t.adopt(a), b"slow")

    return run


for _name in SLOW:
    shared(
        f"crowd.slow-at-{_name}",
        f"Peers that stop in their handshake harm nobody: after {_name.replace('-', ' ')}",
        "ZMTP-X-1",
        polarity=NEGATIVE,
    )(_slow(_name))


@shared(
    "crowd.half-open",
    "Dozens of handshakes that go no further harm nobody",
    "ZMTP-X-1",
    polarity=NEGATIVE,
)
def half_open(t: SocketTrial) -> None:
    t.step("60 peers stop at all stages of the handshake.")
    sizes = list(sizes_of(t).values())
    peers = [stops_at(t, f"A{number}", sizes[number % len(sizes)]) for number in range(60)]
    t.step("Others are served, also when half of the 60 vanish.")
    t.serve(t.peer("B"), b"one")
    for a in peers[::2]:
        a.reset()
    t.serve(t.peer("C"), b"two")
    for a in peers[1::2]:
        a.close()
    t.serve(t.peer("D"), b"three")


@shared(
    "crowd.come-and-go",
    "Peers that connect and vanish at once harm nobody",
    "ZMTP-X-1",
    polarity=NEGATIVE,
)
def come_and_go(t: SocketTrial) -> None:
    t.step("B is served. 100 peers connect and vanish, some at once, some after a greeting.")
    b = t.peer("B")
    b.barrier()
    for number in range(100):
        a = t.dial(f"A{number}")
        if number % 3:
            a.send_raw(opening(t)[: t.wire.greeting_size if number % 3 == 1 else None])
        a.reset() if number % 2 else a.close()
    t.step("B is served, and so is who comes now.")
    t.serve(b, b"still")
    t.serve(t.peer("C"))
