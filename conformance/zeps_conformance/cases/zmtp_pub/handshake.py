"""The NULL handshake in version 3.0: subscriptions that follow READY without waiting for the publisher's READY."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.subscribers import received
from zeps_conformance.cases.zmtp_any.dialled_peers import greeted, version_of
from zeps_conformance.sockets.pubsub import V3_0, PubSubTrial, Subscriber


@case(
    "In version 3.0, subscriptions that follow READY at once take effect",
    "ZMTP-N-19",
    "ZMTP-N-2",
    dialects=(V3_0,),
)
def subscribes_with_ready(t: PubSubTrial) -> None:
    t.step("A sends READY and subscriptions to 'x' and 'y' in one write, before it has received READY.")
    a = greeted(t, "A")
    a.send_raw(t.wire.ready(b"SUB") + _two_subscriptions(t), "READY, subscriptions")
    a.finish_handshake()
    t.step("Both subscriptions take effect.")
    _two_come(t, Subscriber.of(a, t.dialect))


@case(
    "In version 3.0, greeting, READY and subscriptions may arrive in one packet",
    "ZMTP-N-19",
    "ZMTP-N-2",
    dialects=(V3_0,),
)
def all_at_once(t: PubSubTrial) -> None:
    t.step(
        "A sends its greeting, READY and subscriptions to 'x' and 'y' in one write, before it has read anything."
    )
    a = t.dial("A")
    opening = t.wire.greeting(version_of(t)) + t.wire.ready(b"SUB") + _two_subscriptions(t)
    a.send_raw(opening, "all in one write")
    seen = a.read_available(1.0, t.wire.greeting_size)
    early = "disconnects a peer whose subscriptions arrive before it has sent its own READY"
    t.check(
        not a.lost,
        "the handshake is completed",
        f"the connection is closed after {len(seen)} bytes",
        libzmq=early if len(seen) <= t.wire.major_at + 1 else None,
    )
    if len(seen) < t.wire.greeting_size:
        a.read_exactly(t.wire.greeting_size - len(seen))
    t.step("Both subscriptions take effect.")
    _two_come(t, Subscriber.of(a, t.dialect))


def _two_subscriptions(t: PubSubTrial) -> bytes:
    return t.wire.subscribe(b"x", t.dialect) + t.wire.subscribe(b"y", t.dialect)


def _two_come(t: PubSubTrial, peer: Subscriber) -> None:
    peer.barrier()
    t.compare("A receives", [(b"x1",), (b"y1",)], received(t, peer, b"x1", b"z1", b"y1"))
