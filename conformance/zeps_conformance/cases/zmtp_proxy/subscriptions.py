"""Subscriptions through a proxy."""

from __future__ import annotations

from collections.abc import Sequence

from zeps_conformance.cases.registration import case
from zeps_conformance.sockets.pubsub import BOTH, V3_0, V3_1
from zeps_conformance.sockets.pubsub.proxy_trial import ProxyTrial

AS_MESSAGES = "XSUB sends messages whatever the version is"


def _balance(events: Sequence[tuple[str, bytes]], topic: bytes) -> int:
    """Returns the number of remaining subscriptions to `topic`."""
    return sum({"subscribe": 1, "cancel": -1}[way] for way, event_topic in events if event_topic == topic)


@case("Subscriptions and cancellations are forwarded", "ZMTP-U-7", "ZMTP-P-13", dialects=BOTH)
def forwarded(t: ProxyTrial) -> None:
    t.step(
        "S subscribes to 'a', to the empty topic and to a topic of any bytes: P receives each subscription."
    )
    p, s = t.publisher("P"), t.subscriber("S")
    topics = (b"a", b"", b"\x00\x01\xff\x00")
    for topic in topics:
        s.subscribe(topic)
        p.expect_subscribe(topic)
    t.step("S cancels them: P receives each cancellation.")
    for topic in topics:
        s.cancel(topic)
        p.expect_cancel(topic)
    p.expect_nothing("every subscription was cancelled")


@case(
    "Each publisher receives subscriptions in its own version, whatever the subscriber's version is",
    "ZMTP-S-3",
    "ZMTP-S-5",
)
def translated(t: ProxyTrial) -> None:
    t.step("P speaks ZMTP 3.0 and Q 3.1; S and R behind the proxy speak one each.")
    p, q = t.publisher("P", V3_0), t.publisher("Q", V3_1)
    s, r = t.subscriber("S", V3_0), t.subscriber("R", V3_1)
    t.step("S subscribes, and then R: P receives messages, and Q receives commands.")
    for behind, topic in ((s, b"from S"), (r, b"from R")):
        behind.subscribe(topic)
        p.expect_subscribe(topic, form=True)
        q.expect_subscribe(topic, form=True, libzmq=AS_MESSAGES)


@case(
    "A second equal subscription need not be forwarded, but it counts", "ZMTP-P-14", "ZMTP-S-8", dialects=BOTH
)
def second(t: ProxyTrial) -> None:
    t.step("S and then R subscribe to 'x'.")
    p, s, r = t.publisher("P"), t.subscriber("S"), t.subscriber("R")
    for subscriber in (s, r):
        subscriber.subscribe(b"x")
        t.forwarded(subscriber, p)
    events = p.events_so_far()
    t.step("P receives the subscription once or twice; its message reaches both subscribers.")
    t.check(
        0 < _balance(events, b"x") <= 2, "P receives 'x' once or twice", f"{_balance(events, b'x')} times"
    )
    t.observed(f"P receives 'x' {'once' if len(events) == 1 else 'twice'}")
    p.send(b"x1")
    s.expect_message(b"x1", rule="ZMTP-S-8")
    r.expect_message(b"x1", rule="ZMTP-S-8")


@case(
    "A topic is cancelled upstream when its last subscriber cancels it",
    "ZMTP-U-7",
    "ZMTP-S-10",
    dialects=BOTH,
)
def last_cancelled(t: ProxyTrial) -> None:
    p, s, r = t.publisher("P"), t.subscriber("S"), t.subscriber("R")
    t.step(
        "S and R subscribe to 'x'; S cancels it: upstream, 'x' remains subscribed, and R receives its "
        "messages."
    )
    for subscriber in (s, r):
        subscriber.subscribe(b"x")
        t.forwarded(subscriber, p)
    s.cancel(b"x")
    t.forwarded(s, p)
    left = _balance(p.events_so_far(), b"x")
    t.check(left > 0, "P still has a subscription to 'x'", f"{left} subscriptions remain")
    p.send(b"x1")
    r.expect_message(b"x1")
    t.step("R cancels it too: upstream, 'x' has no subscription left.")
    r.cancel(b"x")
    t.forwarded(r, p)
    left += _balance(p.events_so_far(), b"x")
    t.check(left == 0, "P has no subscription to 'x'", f"{left} remain")


@case("A subscriber's topics are cancelled upstream when it disconnects", "ZMTP-P-15", dialects=BOTH)
def gone(t: ProxyTrial) -> None:
    t.step("S subscribes to 'a', and R to 'b' and 'c'.")
    p, s, r = t.publisher("P"), t.subscriber("S"), t.subscriber("R")
    for behind, topics in ((s, (b"a",)), (r, (b"b", b"c"))):
        for topic in topics:
            behind.subscribe(topic)
            p.expect_subscribe(topic)
    t.step("S closes its connection: 'a' is cancelled.")
    s.close()
    p.expect_cancel(b"a")
    t.step("R's connection is reset: 'b' and 'c' are cancelled, in any order.")
    r.reset()
    events = [p.next_event(), p.next_event()]
    expected = [("cancel", b"b"), ("cancel", b"c")]
    t.check(sorted(filter(None, events)) == expected, "P receives cancel 'b' and cancel 'c'", repr(events))


@case("A publisher that connects later receives every subscribed topic", "ZMTP-U-7", dialects=BOTH)
def later_publisher(t: ProxyTrial) -> None:
    t.step("S subscribes to 'a', 'b' and 'c', and cancels 'b'.")
    p, s = t.publisher("P"), t.subscriber("S")
    s.subscribe(b"a", b"b", b"c")
    s.cancel(b"b")
    t.forwarded(s, p)
    t.step("Q connects: it receives 'a' and 'c', and no lasting subscription to 'b'.")
    q = t.publisher("Q")
    events = q.events()
    topics = sorted({topic for _, topic in events if _balance(events, topic) > 0})
    t.check(topics == [b"a", b"c"], "Q receives 'a' and 'c'", repr(events))
    t.step("Q's message reaches S.")
    q.send(b"a1")
    s.expect_message(b"a1")
