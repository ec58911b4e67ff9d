"""Filters by kind, our extension: judged where a publisher's READY has X-Filters, and unsupported elsewhere.

Nothing is known here of what a kind means, so all filters are of kinds that the publisher does not list.
"""

from __future__ import annotations

from zeps_conformance.cases.zmtp_any.dialled_peers import GOES_ON, fate
from zeps_conformance.sockets.pubsub import BOTH, NEGATIVE, PubSubTrial, Subscriber, case

ANY = 0xFF  # in X-Filters, every kind
MESSAGES = ((b"x1",), (b"y1",), (b"",))


def _unknown_kinds(t: PubSubTrial, a: Subscriber) -> tuple[int, int]:
    """Two kinds that the implementation does not list. UnsupportedError if it lists all, or takes no filters."""
    listed = a.require_filters()
    found = [kind for kind in range(ANY) if kind not in listed and ANY not in listed]
    if len(found) < 2:
        t.unsupported("the implementation knows every kind of filter")
    return found[0], found[-1]


def _brought(t: PubSubTrial, a: Subscriber) -> list[tuple[bytes, ...]]:
    """What `a` receives of :data:`MESSAGES`."""
    a.barrier()
    for parts in MESSAGES:
        t.app.send(*parts)
    return a.collect()


@case("zmtp-pub.filters.announced", "X-Filters lists each kind once", "ZMTP-E-3")
def announced(t: PubSubTrial) -> None:
    t.step("A reads the implementation's READY: X-Filters has one octet for each kind.")
    kinds = t.subscriber("A").require_filters()
    t.observed(f"X-Filters: {kinds.hex(' ') or 'empty'}")
    t.check(len(set(kinds)) == len(kinds), "no kind is listed twice", kinds.hex(" "))


@case(
    "zmtp-pub.filters.everything",
    "A filter of an unknown kind brings everything",
    "ZMTP-E-4",
    dialects=BOTH,
)
def everything(t: PubSubTrial) -> None:
    t.step("A subscribes by a filter of a kind that the implementation does not list: every message comes.")
    a = t.subscriber("A")
    kind, _ = _unknown_kinds(t, a)
    a.subscribe_filter(kind, b"x\x00\xff")
    t.compare("A receives", list(MESSAGES), _brought(t, a))


@case(
    "zmtp-pub.filters.until-cancelled",
    "A filter of an unknown kind brings everything until it is cancelled",
    "ZMTP-E-4",
    dialects=BOTH,
)
def until_cancelled(t: PubSubTrial) -> None:
    t.step(
        "A subscribes to 'x' and by a filter, and cancels the filter: what 'x' begins comes, and nothing else."
    )
    a = t.subscriber("A")
    kind, _ = _unknown_kinds(t, a)
    a.subscribe(b"x")
    a.subscribe_filter(kind, b"")
    a.cancel_filter(kind, b"")
    t.compare("A receives", [(b"x1",)], _brought(t, a))


@case(
    "zmtp-pub.filters.twice",
    "A filter that was asked for twice has to be cancelled twice",
    "ZMTP-E-5",
    dialects=BOTH,
)
def twice(t: PubSubTrial) -> None:
    t.step("A subscribes by the same filter twice, and cancels it once: every message comes.")
    a = t.subscriber("A")
    kind, _ = _unknown_kinds(t, a)
    a.subscribe_filter(kind, b"")
    a.subscribe_filter(kind, b"")
    a.cancel_filter(kind, b"")
    t.compare("A receives", list(MESSAGES), _brought(t, a))


@case(
    "zmtp-pub.filters.beside-topics",
    "A cancelled topic leaves a filter as it was",
    "ZMTP-E-12",
    dialects=BOTH,
)
def beside_topics(t: PubSubTrial) -> None:
    t.step(
        "A subscribes by a filter, to 'x' and to the empty topic, and cancels both topics: every message comes."
    )
    a = t.subscriber("A")
    kind, _ = _unknown_kinds(t, a)
    a.subscribe_filter(kind, b"")
    for topic in (b"x", b""):
        a.subscribe(topic)
        a.cancel(topic)
    t.compare("A receives", list(MESSAGES), _brought(t, a))


@case(
    "zmtp-pub.filters.others-cancelled",
    "Cancelling a filter leaves another of its kind, and one of its octets, as it was",
    "ZMTP-E-12",
    dialects=BOTH,
)
def others_cancelled(t: PubSubTrial) -> None:
    t.step(
        "A subscribes by a filter, and cancels two that it has not: one of another kind, one of other octets."
    )
    a = t.subscriber("A")
    kind, other = _unknown_kinds(t, a)
    a.subscribe_filter(kind, b"")
    for octets in (
        t.wire.cancel_filter(other, b"", t.dialect),
        t.wire.cancel_filter(kind, b"more", t.dialect),
    ):
        a.send_raw(octets)
    t.step("The filter still brings every message.")
    t.compare("A receives", list(MESSAGES), _brought(t, a))


@case(
    "zmtp-pub.filters.unknown-command",
    "A publisher that takes filters by kind ignores commands that it does not know",
    "ZMTP-E-7",
    dialects=BOTH,
    polarity=NEGATIVE,
)
def unknown_command(t: PubSubTrial) -> None:
    t.step("A sends commands that no peer knows, one of them nearly SUBSCRIBE-X: its connection goes on.")
    a = t.subscriber("A")
    a.require_filters()
    a.barrier()
    for name in (b"HELLO", b"SUBSCRIBE-Y", b"X"):
        a.send_frame(bytes((len(name),)) + name + b"\x07x", command=True)
    t.compare("A's fate", GOES_ON, fate(a))
