"""Filters by kind through a proxy, an extension of zeps: judged if the backend's READY has X-Filters."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zmtp_any.dialled_peers import GOES_ON, fate
from zeps_conformance.sockets.pubsub import BOTH, NEGATIVE
from zeps_conformance.sockets.pubsub.proxy_trial import ProxyTrial

KIND = 0x2A
FILTER = b"\x00 a \xff filter"
KNOWS = ((b"X-Filters", bytes((3, KIND))),)
KNOWS_OTHERS = ((b"X-Filters", bytes((3, KIND + 1))),)
KNOWS_ALL = ((b"X-Filters", b"\xff"),)


@case(
    "A filter is forwarded unchanged to a publisher that knows its kind",
    "ZMTP-E-6",
    "ZMTP-E-1",
    "ZMTP-E-10",
    "ZMTP-E-2",
    "ZMTP-E-11",
    dialects=BOTH,
)
def forwarded(t: ProxyTrial) -> None:
    t.step(
        "P lists the kind; S sends a subscription with a filter, and cancels it: P receives both unchanged."
    )
    p, s = t.publisher("P", properties=KNOWS), t.subscriber("S")
    s.require_filters()
    s.subscribe_filter(KIND, FILTER)
    p.expect_filter("subscribe", KIND, FILTER)
    s.cancel_filter(KIND, FILTER)
    p.expect_filter("cancel", KIND, FILTER)


@case("A filter is forwarded unchanged to a publisher that knows every kind", "ZMTP-E-6", dialects=BOTH)
def any_kind(t: ProxyTrial) -> None:
    t.step("P's X-Filters is %xFF; S sends a subscription with a filter: P receives it unchanged.")
    p, s = t.publisher("P", properties=KNOWS_ALL), t.subscriber("S")
    s.require_filters()
    s.subscribe_filter(KIND, FILTER)
    p.expect_filter("subscribe", KIND, FILTER)


@case(
    "A publisher that does not know a filter's kind receives a subscription to the empty topic",
    "ZMTP-E-13",
    dialects=BOTH,
)
def not_known(t: ProxyTrial) -> None:
    t.step(
        "P has no X-Filters, and Q lists another kind; S sends a subscription with a filter, and cancels it."
    )
    p, q, s = t.publisher("P"), t.publisher("Q", properties=KNOWS_OTHERS), t.subscriber("S")
    s.require_filters()
    t.step("Both receive a subscription to the empty topic, and then its cancellation.")
    s.subscribe_filter(KIND, FILTER)
    for front in (p, q):
        front.expect_subscribe(b"")
    s.cancel_filter(KIND, FILTER)
    for front in (p, q):
        front.expect_cancel(b"")


@case(
    "A cancelled filter does not cancel another subscriber's subscription to everything",
    "ZMTP-E-6",
    dialects=BOTH,
)
def two_reasons(t: ProxyTrial) -> None:
    t.step("R subscribes to the empty topic, and S with a filter that P does not know; S cancels it.")
    p, r, s = t.publisher("P"), t.subscriber("R"), t.subscriber("S")
    s.require_filters()
    r.subscribe(b"")
    t.forwarded(r, p)
    s.subscribe_filter(KIND, FILTER)
    s.cancel_filter(KIND, FILTER)
    t.forwarded(s, p)
    t.step("P still has a subscription to the empty topic.")
    events = [way for way, topic in p.events_so_far() if topic == b""]
    left = events.count("subscribe") - events.count("cancel")
    t.check(left > 0, "P has a subscription to the empty topic", f"{left} subscriptions remain: {events}")
    t.observed(f"P receives the empty topic: {', '.join(events)}")


@case(
    "A subscriber with a filter of a kind that the proxy does not know receives every message",
    "ZMTP-E-4",
    dialects=BOTH,
)
def everything(t: ProxyTrial) -> None:
    t.step(
        "S sends a subscription with a filter; P, which knows its kind, sends messages with any beginning: "
        "S receives them."
    )
    p, s = t.publisher("P", properties=KNOWS), t.subscriber("S")
    s.require_filters()
    t.relay(t.publisher("Q"))
    s.subscribe_filter(KIND, FILTER)
    t.forwarded(s, p)
    messages = [(b"a",), (b"",), (b"\xff", b"part")]
    for parts in messages:
        p.send(*parts)
    for parts in messages:
        s.expect_message(*parts)


@case("Messages of subscribers that are not subscriptions reach every publisher", "ZMTP-E-8", dialects=BOTH)
def messages_upstream(t: ProxyTrial) -> None:
    t.step("S sends messages that are empty or begin with a byte of 4 or more, between two subscriptions.")
    p, q, s = t.publisher("P"), t.publisher("Q"), t.subscriber("S")
    s.require_filters()
    messages = [(b"\x04 hello",), (b"",), (b"\xff", b"and", b"parts"), (b"\x05" + t.random_bytes(300),)]
    s.subscribe(b"a")
    for front in (p, q):
        front.expect_subscribe(b"a")
    for parts in messages:
        s.send_message(*parts)
    s.subscribe(b"b")
    t.step("P and Q receive the messages unchanged, and both subscriptions.")
    for front in (p, q):
        for parts in messages:
            front.expect_message(*parts)
        front.expect_subscribe(b"b")


@case(
    "A proxy that supports filters by kind ignores unknown commands",
    "ZMTP-E-7",
    dialects=BOTH,
    polarity=NEGATIVE,
)
def unknown_command(t: ProxyTrial) -> None:
    t.step("S sends an unknown command: its connection stays open.")
    s = t.subscriber("S")
    s.require_filters()
    s.barrier()
    s.send_frame(b"\x05HELLO", command=True)
    t.compare("S's fate", GOES_ON, fate(s))
