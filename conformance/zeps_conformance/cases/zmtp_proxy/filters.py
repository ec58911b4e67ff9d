"""Filters by kind through a proxy, our extension: judged where READY of its backend has X-Filters."""

from __future__ import annotations

from zeps_conformance.cases.zmtp_any.dialled_peers import GOES_ON, fate
from zeps_conformance.sockets.pubsub import BOTH, NEGATIVE, case
from zeps_conformance.sockets.pubsub.proxy_trial import ProxyTrial

KIND = 0x2A
FILTER = b"\x00 a \xff filter"
KNOWS = ((b"X-Filters", bytes((3, KIND))),)
KNOWS_OTHERS = ((b"X-Filters", bytes((3, KIND + 1))),)
KNOWS_ALL = ((b"X-Filters", b"\xff"),)


@case(
    "zmtp-proxy.filters.forwarded",
    "A filter passes unchanged to a publisher that knows its kind",
    "ZMTP-E-6",
    "ZMTP-E-1",
    "ZMTP-E-10",
    "ZMTP-E-2",
    "ZMTP-E-11",
    dialects=BOTH,
)
def forwarded(t: ProxyTrial) -> None:
    t.step("P lists the kind; S subscribes by a filter, and cancels it: P is told of both, as they were.")
    p, s = t.publisher("P", properties=KNOWS), t.subscriber("S")
    s.require_filters()
    s.subscribe_filter(KIND, FILTER)
    p.expect_filter("subscribe", KIND, FILTER)
    s.cancel_filter(KIND, FILTER)
    p.expect_filter("cancel", KIND, FILTER)


@case(
    "zmtp-proxy.filters.any-kind",
    "A filter passes unchanged to a publisher that knows every kind",
    "ZMTP-E-6",
    dialects=BOTH,
)
def any_kind(t: ProxyTrial) -> None:
    t.step("P's X-Filters is %xFF; S subscribes by a filter: P is told of it as it was.")
    p, s = t.publisher("P", properties=KNOWS_ALL), t.subscriber("S")
    s.require_filters()
    s.subscribe_filter(KIND, FILTER)
    p.expect_filter("subscribe", KIND, FILTER)


@case(
    "zmtp-proxy.filters.not-known",
    "A publisher that does not know the kind of a filter is asked for everything",
    "ZMTP-E-13",
    dialects=BOTH,
)
def not_known(t: ProxyTrial) -> None:
    t.step("P has no X-Filters, and Q lists another kind; S subscribes by a filter, and cancels it.")
    p, q, s = t.publisher("P"), t.publisher("Q", properties=KNOWS_OTHERS), t.subscriber("S")
    s.require_filters()
    t.step("Both are asked for the empty topic, and then it is cancelled.")
    s.subscribe_filter(KIND, FILTER)
    for front in (p, q):
        front.expect_subscribe(b"")
    s.cancel_filter(KIND, FILTER)
    for front in (p, q):
        front.expect_cancel(b"")


@case(
    "zmtp-proxy.filters.two-reasons",
    "A cancelled filter does not cancel what another wants everything for",
    "ZMTP-E-6",
    dialects=BOTH,
)
def two_reasons(t: ProxyTrial) -> None:
    t.step("R subscribes to the empty topic, and S by a filter that P does not know; S cancels it.")
    p, r, s = t.publisher("P"), t.subscriber("R"), t.subscriber("S")
    s.require_filters()
    r.subscribe(b"")
    t.forwarded(r, p)
    s.subscribe_filter(KIND, FILTER)
    s.cancel_filter(KIND, FILTER)
    t.forwarded(s, p)
    t.step("P is left with a subscription to everything.")
    events = [way for way, topic in p.events_so_far() if topic == b""]
    left = events.count("subscribe") - events.count("cancel")
    t.check(left > 0, "everything is wanted of P", f"{left} subscriptions are left: {events}")
    t.observed(f"P is told of the empty topic: {', '.join(events)}")


@case(
    "zmtp-proxy.filters.everything",
    "A subscriber with a filter of an unknown kind gets every message",
    "ZMTP-E-4",
    dialects=BOTH,
)
def everything(t: ProxyTrial) -> None:
    t.step("S subscribes by a filter; P, which knows its kind, sends messages of any beginning: S gets them.")
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


@case(
    "zmtp-proxy.filters.messages-upstream",
    "What subscribers send besides subscriptions reaches every publisher",
    "ZMTP-E-8",
    dialects=BOTH,
)
def messages_upstream(t: ProxyTrial) -> None:
    t.step("S sends messages that are empty or begin with 4 and greater, between two subscriptions.")
    p, q, s = t.publisher("P"), t.publisher("Q"), t.subscriber("S")
    s.require_filters()
    messages = [(b"\x04 hello",), (b"",), (b"\xff", b"and", b"parts"), (b"\x05" + t.octets(300),)]
    s.subscribe(b"a")
    for front in (p, q):
        front.expect_subscribe(b"a")
    for parts in messages:
        s.send_message(*parts)
    s.subscribe(b"b")
    t.step("P and Q get them as they were, and both subscriptions.")
    for front in (p, q):
        for parts in messages:
            front.expect_message(*parts)
        front.expect_subscribe(b"b")


@case(
    "zmtp-proxy.filters.unknown-command",
    "A proxy that takes filters by kind ignores commands that it does not know",
    "ZMTP-E-7",
    dialects=BOTH,
    polarity=NEGATIVE,
)
def unknown_command(t: ProxyTrial) -> None:
    t.step("S sends a command that no peer knows: its connection goes on.")
    s = t.subscriber("S")
    s.require_filters()
    s.barrier()
    s.send_frame(b"\x05HELLO", command=True)
    t.compare("S's fate", GOES_ON, fate(s))
