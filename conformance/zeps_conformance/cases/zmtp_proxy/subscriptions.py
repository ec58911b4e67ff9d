"""Subscriptions through a proxy."""

from __future__ import annotations

from collections.abc import Sequence

from zeps_conformance.sockets.pubsub import BOTH, V3_0, V3_1, case
from zeps_conformance.sockets.pubsub.proxy_trial import ProxyTrial

AS_MESSAGES = "XSUB sends messages whatever the version"


def _balance(events: Sequence[tuple[str, bytes]], topic: bytes) -> int:
    """How many subscriptions to `topic` are left."""
    return sum({"subscribe": 1, "cancel": -1}[way] for way, one in events if one == topic)


@case(
    "zmtp-proxy.subscriptions.forwarded",
    "Subscriptions and cancellations are passed on",
    "ZMTP-U-7",
    "ZMTP-P-13",
    dialects=BOTH,
)
def forwarded(t: ProxyTrial) -> None:
    t.step("S subscribes to 'a', to the empty topic and to one of any octets: P is told of each.")
    p, s = t.publisher("P"), t.subscriber("S")
    topics = (b"a", b"", b"\x00\x01\xff\x00")
    for topic in topics:
        s.subscribe(topic)
        p.expect_subscribe(topic)
    t.step("S takes them back: P is told of that too.")
    for topic in topics:
        s.cancel(topic)
        p.expect_cancel(topic)
    p.expect_nothing("all was taken back")


@case(
    "zmtp-proxy.subscriptions.translated",
    "Each publisher is told in its own version, whatever the subscriber's",
    "ZMTP-S-3",
    "ZMTP-S-5",
)
def translated(t: ProxyTrial) -> None:
    t.step("P speaks ZMTP 3.0 and Q 3.1; S and R behind the proxy speak one each.")
    p, q = t.publisher("P", V3_0), t.publisher("Q", V3_1)
    s, r = t.subscriber("S", V3_0), t.subscriber("R", V3_1)
    t.step("S subscribes, and then R: P is told by messages, and Q by commands.")
    for behind, topic in ((s, b"from S"), (r, b"from R")):
        behind.subscribe(topic)
        p.expect_subscribe(topic, form=True)
        q.expect_subscribe(topic, form=True, libzmq=AS_MESSAGES)


@case(
    "zmtp-proxy.subscriptions.second",
    "A second equal subscription need not be passed on, and counts",
    "ZMTP-P-14",
    "ZMTP-S-8",
    dialects=BOTH,
)
def second(t: ProxyTrial) -> None:
    t.step("S and then R subscribe to 'x'.")
    p, s, r = t.publisher("P"), t.subscriber("S"), t.subscriber("R")
    for each in (s, r):
        each.subscribe(b"x")
        t.forwarded(each, p)
    events = p.events_so_far()
    t.step("P is told of it, once or twice; its message reaches both.")
    t.check(
        0 < _balance(events, b"x") <= 2, "P is told of 'x' once or twice", f"{_balance(events, b'x')} times"
    )
    t.observed(f"P is told of 'x' {'once' if len(events) == 1 else 'twice'}")
    p.send(b"x1")
    s.expect_message(b"x1", rule="ZMTP-S-8")
    r.expect_message(b"x1", rule="ZMTP-S-8")


@case(
    "zmtp-proxy.subscriptions.last-cancelled",
    "A topic is cancelled upstream when the last who wants it cancels",
    "ZMTP-U-7",
    "ZMTP-S-10",
    dialects=BOTH,
)
def last_cancelled(t: ProxyTrial) -> None:
    p, s, r = t.publisher("P"), t.subscriber("S"), t.subscriber("R")
    t.step("S and R subscribe to 'x'; S cancels: upstream, 'x' is still wanted, and R gets it.")
    for each in (s, r):
        each.subscribe(b"x")
        t.forwarded(each, p)
    s.cancel(b"x")
    t.forwarded(s, p)
    left = _balance(p.events_so_far(), b"x")
    t.check(left > 0, "'x' is wanted of P", f"{left} subscriptions are left")
    p.send(b"x1")
    r.expect_message(b"x1")
    t.step("R cancels too: upstream, nobody wants it.")
    r.cancel(b"x")
    t.forwarded(r, p)
    left += _balance(p.events_so_far(), b"x")
    t.check(left == 0, "no subscription of 'x' is left with P", f"{left} are left")


@case(
    "zmtp-proxy.subscriptions.gone",
    "What a subscriber wanted is cancelled upstream when it goes",
    "ZMTP-P-15",
    dialects=BOTH,
)
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
    t.step("R's connection is reset: 'b' and 'c' are cancelled, in whatever order.")
    r.reset()
    events = [p.next_event(), p.next_event()]
    wanted = [("cancel", b"b"), ("cancel", b"c")]
    t.check(sorted(filter(None, events)) == wanted, "P receives cancel 'b' and cancel 'c'", repr(events))


@case(
    "zmtp-proxy.subscriptions.later-publisher",
    "A publisher that comes later is told of every topic that is wanted",
    "ZMTP-U-7",
    dialects=BOTH,
)
def later_publisher(t: ProxyTrial) -> None:
    t.step("S subscribes to 'a', 'b' and 'c', and cancels 'b'.")
    p, s = t.publisher("P"), t.subscriber("S")
    for topic in (b"a", b"b", b"c"):
        s.subscribe(topic)
    s.cancel(b"b")
    t.forwarded(s, p)
    t.step("Q comes: it is told of 'a' and of 'c', and of 'b' not so that it would last.")
    q = t.publisher("Q")
    events = q.events()
    wanted = sorted({topic for _, topic in events if _balance(events, topic) > 0})
    t.check(wanted == [b"a", b"c"], "Q is told of 'a' and 'c'", repr(events))
    t.step("A message of Q's reaches S.")
    q.send(b"a1")
    s.expect_message(b"a1")
