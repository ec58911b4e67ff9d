"""Reconnections of a proxy to its publisher."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zmtp_sub.subscribe import remaining_topics
from zeps_conformance.sockets.pubsub import BOTH, V3_0, V3_1, Publisher, Subscriber
from zeps_conformance.sockets.pubsub.proxy_trial import ProxyTrial

AWAY = 0.5  # seconds in which a proxy that reconnects has at least one attempt refused


def _connected(t: ProxyTrial) -> tuple[Publisher, Subscriber]:
    """Returns a publisher that the proxy has connected to, and a subscriber behind the proxy."""
    listener = t.listener()
    t.start(listener.endpoint)
    u = Publisher.accept(listener, "U")
    t.relay(u)
    return u, t.subscriber("S")


@case("A publisher that reconnects receives every subscribed topic", "ZMTP-U-15", dialects=BOTH)
def returns(t: ProxyTrial) -> None:
    t.step("The proxy connects to U; S subscribes to 'a', 'b' and 'c', and cancels 'b'.")
    u, s = _connected(t)
    s.subscribe(b"a", b"b", b"c")
    s.cancel(b"b")
    t.forwarded(s, u)
    t.step("U closes the connection; the proxy connects again, and U receives 'a' and 'c' once more.")
    u.close()
    again = Publisher.accept(u.listener, "U again", within=10)
    t.relay(again)
    events = again.events()
    topics = sorted({topic for way, topic in events if way == "subscribe"} - {b"b"})
    t.check(topics == [b"a", b"c"], "U receives 'a' and 'c'", repr(events))
    t.check(("subscribe", b"b") not in events, "U does not receive 'b'", repr(events))
    t.step("U's message reaches S.")
    again.send(b"a1")
    s.expect_message(b"a1")


@case(
    "A topic that was cancelled while the publisher was away is not requested again",
    "ZMTP-U-15",
    dialects=BOTH,
)
def cancelled_meanwhile(t: ProxyTrial) -> None:
    t.step(
        "The proxy connects to U; S subscribes to 'a' and 'b'. U leaves, and S cancels 'a' and subscribes "
        "to 'c'."
    )
    u, s = _connected(t)
    s.subscribe(b"a", b"b")
    t.forwarded(s, u)
    u.listener.pause()
    u.close()
    s.expect_open(AWAY, why="the publisher is away, and its address refuses connections")
    s.cancel(b"a")
    s.subscribe(b"c")
    s.expect_open(AWAY, why="the proxy receives the changes meanwhile")
    t.step("U returns: it receives 'b' and 'c', and 'a' is not subscribed in the end.")
    u.listener.resume()
    again = Publisher.accept(u.listener, "U again", within=10)
    t.relay(again)
    t.forwarded(s, again)
    left = remaining_topics(again.events_so_far())
    right = left >= {b"b", b"c"} and b"a" not in left
    t.check(right, "'b' and 'c' are subscribed, and 'a' is not", repr(sorted(left)))


@case(
    "A publisher that returns with another version receives that version's form",
    "ZMTP-U-15",
    "ZMTP-S-5",
    "ZMTP-S-3",
)
def other_version(t: ProxyTrial) -> None:
    t.step("The proxy connects to U; S subscribes to 'a'.")
    u, s = _connected(t)
    s.subscribe(b"a")
    t.forwarded(s, u)
    for dialect in (V3_0, V3_1):
        t.step(f"U closes, and returns with ZMTP {dialect}: it receives 'a' in that version's form.")
        u.close()
        u = Publisher.accept(u.listener, f"U with {dialect}", dialect, within=10)
        t.relay(u)
        libzmq = "XSUB sends messages whatever the version is" if dialect is V3_1 else None
        u.expect_subscribe(b"a", form=True, libzmq=libzmq)
