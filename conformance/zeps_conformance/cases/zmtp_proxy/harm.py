"""Peers that break the protocol on one side of a proxy do not affect other peers."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.subscribers import subscribed
from zeps_conformance.sockets.peer import Peer
from zeps_conformance.sockets.pubsub import BOTH, NEGATIVE
from zeps_conformance.sockets.pubsub.proxy_trial import ProxyTrial


def _break_in(t: ProxyTrial, endpoint: str, last: Peer) -> None:
    """Opens connections with invalid input, one with half a greeting; an invalid frame must close that of `last`."""
    nonsense = (
        ("another protocol", b"GET / HTTP/1.1\r\nHost: proxy\r\nAccept: " + b"*" * 64 + b"\r\n\r\n"),
        ("random bytes", t.random_bytes(200)),
        ("half a greeting", t.wire.greeting()[:40]),
        ("a greeting with another mechanism", t.wire.greeting(mechanism=b"PLAIN")),
        (
            "a truncated READY",
            t.wire.greeting() + t.wire.frame(b"\x05READY\x0bSocket-Ty", command=True),
        ),
    )
    for what, data in nonsense:
        connection = t.dial(what, endpoint)
        connection.send_raw(data, what)
        if what == "half a greeting":
            connection.close()
    last.send_raw(bytes.fromhex("02 ffffffffffffffff"), "a frame of 2^64-1 bytes")
    last.expect_closed(rule="ZMTP-F-7")


@case(
    "A subscriber that breaks the protocol does not affect other peers",
    "ZMTP-N-15",
    "ZMTP-F-7",
    polarity=NEGATIVE,
)
def behind(t: ProxyTrial) -> None:
    p, s = t.publisher("P"), subscribed(t, "S", b"x")
    t.step("Behind the proxy, connections send other protocols, half greetings, bad metadata and bad frames.")
    _break_in(t, t.backend, t.subscriber("an invalid frame"))
    t.step("P's message still reaches S.")
    p.send(b"x1")
    s.expect_message(b"x1", rule="ZMTP-F-8")


@case(
    "A publisher that breaks the protocol does not affect other peers",
    "ZMTP-N-15",
    "ZMTP-F-7",
    polarity=NEGATIVE,
)
def in_front(t: ProxyTrial) -> None:
    p, s = t.publisher("P"), subscribed(t, "S", b"x")
    t.step(
        "In front of the proxy, connections send other protocols, half greetings, bad metadata and bad frames."
    )
    _break_in(t, t.frontend, t.publisher("an invalid frame"))
    t.step("P's message still reaches S.")
    p.send(b"x1")
    s.expect_message(b"x1", rule="ZMTP-F-8")


@case("A truncated message is not forwarded", "ZMTP-F-8", polarity=NEGATIVE)
def cut_short(t: ProxyTrial) -> None:
    p = t.publisher("P")
    t.relay(p)
    s = subscribed(t, "S", b"")
    t.step("Eight times, Q sends the first frame of a message and half of the second frame, and disconnects.")
    data = t.wire.frame(b"half", more=True) + t.wire.frame(b"a message")[:-4]
    for _ in range(8):
        q = t.publisher("Q")
        q.send_raw(data, "a truncated message")
        q.close()
    t.step("P sends a complete message.")
    p.send(b"a whole", b"message")
    t.step("S receives the complete message, and no part of the truncated messages.")
    t.compare("S receives", [(b"a whole", b"message")], s.collect())


@case("A publisher that disconnects does not affect other peers", "ZMTP-U-6", "ZMTP-U-4", dialects=BOTH)
def publisher_gone(t: ProxyTrial) -> None:
    p, q = t.publisher("P"), t.publisher("Q")
    t.relay(p)
    s = subscribed(t, "S", b"")
    t.step("Q sends a message and closes its connection: S receives the message.")
    q.send(b"from Q")
    s.expect_message(b"from Q")
    q.close()
    t.step("R connects, sends a message, and its connection is reset; then P sends a message: S receives it.")
    r = t.publisher("R")
    r.send(b"from R")
    s.expect_message(b"from R")
    r.reset()
    p.send(b"from P")
    s.expect_message(b"from P")
