"""Filters by kind, an extension of zeps: judged if a publisher's READY has X-Filters, and otherwise unsupported."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.subscribers import received
from zeps_conformance.cases.zmtp_any.dialled_peers import GOES_ON, fate
from zeps_conformance.sockets.pubsub import BOTH, NEGATIVE, PubSubTrial, Subscriber

ANY = 0xFF  # in X-Filters, every kind
MESSAGES = ((b"x1",), (b"y1",), (b"",))


def _unknown_kinds(t: PubSubTrial, a: Subscriber) -> tuple[int, int]:
    """Two kinds that the publisher does not list. Raises UnsupportedError if it lists all, or accepts no filters."""
    listed = a.require_filters()
    unlisted = [kind for kind in range(ANY) if kind not in listed and ANY not in listed]
    if len(unlisted) < 2:
        t.unsupported("the implementation knows every kind of filter")
    return unlisted[0], unlisted[-1]


def _matched(t: PubSubTrial, a: Subscriber) -> list[tuple[bytes, ...]]:
    """Returns the messages of :data:`MESSAGES` that `a` receives after its commands have taken effect."""
    a.barrier()
    return received(t, a, *MESSAGES)


@case("X-Filters lists each kind once", "ZMTP-E-3")
def announced(t: PubSubTrial) -> None:
    t.step("A reads the implementation's READY: X-Filters has one byte for each kind.")
    kinds = t.subscriber("A").require_filters()
    t.observed(f"X-Filters: {kinds.hex(' ') or 'empty'}")
    t.check(len(set(kinds)) == len(kinds), "no kind is listed twice", kinds.hex(" "))


@case("A filter of an unknown kind matches every message", "ZMTP-E-4", dialects=BOTH)
def everything(t: PubSubTrial) -> None:
    t.step(
        "A subscribes with a filter of a kind that the implementation does not list: every message arrives."
    )
    a = t.subscriber("A")
    kind, _ = _unknown_kinds(t, a)
    a.subscribe_filter(kind, b"x\x00\xff")
    t.compare("A receives", list(MESSAGES), _matched(t, a))


@case("A filter of an unknown kind matches every message until it is cancelled", "ZMTP-E-4", dialects=BOTH)
def until_cancelled(t: PubSubTrial) -> None:
    t.step(
        "A subscribes to 'x' and with a filter, and cancels the filter: only messages that begin with 'x' "
        "arrive."
    )
    a = t.subscriber("A")
    kind, _ = _unknown_kinds(t, a)
    a.subscribe(b"x")
    a.subscribe_filter(kind, b"")
    a.cancel_filter(kind, b"")
    t.compare("A receives", [(b"x1",)], _matched(t, a))


@case("A filter that was subscribed to twice remains after one cancellation", "ZMTP-E-5", dialects=BOTH)
def twice(t: PubSubTrial) -> None:
    t.step("A subscribes with the same filter twice, and cancels it once: every message arrives.")
    a = t.subscriber("A")
    kind, _ = _unknown_kinds(t, a)
    a.subscribe_filter(kind, b"")
    a.subscribe_filter(kind, b"")
    a.cancel_filter(kind, b"")
    t.compare("A receives", list(MESSAGES), _matched(t, a))


@case("Cancelling a topic does not change a filter", "ZMTP-E-12", dialects=BOTH)
def beside_topics(t: PubSubTrial) -> None:
    t.step(
        "A subscribes with a filter, to 'x' and to the empty topic, and cancels both topics: every message "
        "arrives."
    )
    a = t.subscriber("A")
    kind, _ = _unknown_kinds(t, a)
    a.subscribe_filter(kind, b"")
    for topic in (b"x", b""):
        a.subscribe(topic)
        a.cancel(topic)
    t.compare("A receives", list(MESSAGES), _matched(t, a))


@case(
    "Cancelling a filter does not change another filter of its kind, or another with its bytes",
    "ZMTP-E-12",
    dialects=BOTH,
)
def others_cancelled(t: PubSubTrial) -> None:
    t.step(
        "A subscribes with a filter, and cancels two that it does not have: one of another kind, one of "
        "other bytes."
    )
    a = t.subscriber("A")
    kind, other = _unknown_kinds(t, a)
    a.subscribe_filter(kind, b"")
    for cancellation in (
        t.wire.cancel_filter(other, b"", t.dialect),
        t.wire.cancel_filter(kind, b"more", t.dialect),
    ):
        a.send_raw(cancellation)
    t.step("The filter still matches every message.")
    t.compare("A receives", list(MESSAGES), _matched(t, a))


@case(
    "A publisher that supports filters by kind ignores unknown commands",
    "ZMTP-E-7",
    dialects=BOTH,
    polarity=NEGATIVE,
)
def unknown_command(t: PubSubTrial) -> None:
    t.step("A sends unknown commands, one of them similar to SUBSCRIBE-X: its connection stays open.")
    a = t.subscriber("A")
    a.require_filters()
    a.barrier()
    for name in (b"HELLO", b"SUBSCRIBE-Y", b"X"):
        a.send_frame(bytes((len(name),)) + name + b"\x07x", command=True)
    t.compare("A's fate", GOES_ON, fate(a))
