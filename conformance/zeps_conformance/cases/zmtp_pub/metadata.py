"""Properties in READY that a publisher ignores."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.subscribers import received, subscribed
from zeps_conformance.cases.zmtp_any.metadata import SOCKET_TYPE, served_with
from zeps_conformance.sockets.pubsub import PubSubTrial


@case("The identity of a subscriber is ignored", "ZMTP-N-10")
def identity(t: PubSubTrial) -> None:
    t.step("A and B have the same identity, C has one of 255 bytes; all three subscribe to 'x'.")
    identities = {"A": b"same", "B": b"same", "C": b"c" * 255}
    peers = [
        subscribed(t, name, b"x", properties=[(b"Identity", value)]) for name, value in identities.items()
    ]
    t.step("All three receive the message, and A is still served after B has disconnected.")
    t.app.send(b"x1")
    for peer in peers:
        peer.expect_message(b"x1")
    peers[1].close()
    peers[0].barrier()
    t.compare("A receives", [(b"x2",)], received(t, peers[0], b"x2"))


@case("An identity that begins with a zero byte is ignored like any other", "ZMTP-N-10")
def identity_zero(t: PubSubTrial) -> None:
    t.step("A has an identity that peers must not use, and is served: a publisher ignores identities.")
    served_with(t, [(SOCKET_TYPE, b"SUB"), (b"Identity", b"\x00reserved")], "ZMTP-N-10")
