"""Notices of subscriptions: an XPUB's application receives them, and a PUB's does not."""

from __future__ import annotations

from collections import Counter

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.subscribers import received
from zeps_conformance.cases.zmtp_any.dialled_peers import greeted
from zeps_conformance.cases.zmtp_pub.topics import BOUNDARY_SIZES, drain_notices, topic_of
from zeps_conformance.sockets.markers import show_all
from zeps_conformance.sockets.pubsub import BOTH, PubSubTrial, Subscriber

XPUB = ("XPUB",)
ONE_CANCEL = "one cancel ends all equal subscriptions of a peer"


@case(
    "A PUB's application receives no subscriptions", "ZMTP-P-12", "ZMTP-P-19", dialects=BOTH, types=("PUB",)
)
def none_for_pub(t: PubSubTrial) -> None:
    t.step("A subscribes and cancels; it receives the matching message, so the subscription took effect.")
    a = t.subscriber("A")
    a.subscribe(b"x", b"y", b"")
    a.cancel(b"", b"y")
    a.barrier()
    t.compare("A receives", [(b"x",)], received(t, a, b"x", b"y"))
    t.step("The application receives nothing; usually it cannot receive at all.")
    seen = t.app.try_recv()
    if isinstance(seen, str):
        t.observed(f"cannot receive: {seen}")
    else:
        t.check(seen is None, "nothing for the application", repr(seen), "ZMTP-P-19")


@case(
    "An XPUB's application receives subscriptions and cancellations",
    "ZMTP-P-13",
    dialects=BOTH,
    types=XPUB,
    subject="shown",
)
def subscribed_and_cancelled(t: PubSubTrial) -> None:
    a = t.subscriber("A")
    for topic in (b"x", b"", b"\x00", b"\xff\x00\xff", b"x\x00", bytes(range(200))):
        t.step(f"A subscribes to {topic[:8]!r}, and cancels: the application receives both.")
        a.subscribe(topic)
        t.app.expect_notice(True, topic)
        a.cancel(topic)
        t.app.expect_notice(False, topic)


@case("Notices of topics near the largest short size", "ZMTP-P-13", dialects=BOTH, types=XPUB)
def sizes(t: PubSubTrial) -> None:
    t.step(
        "A subscribes to topics of 244 to 257 bytes and of 1,000 bytes, and cancels them; the application "
        "receives all, in order."
    )
    a = t.subscriber("A")
    topics = [topic_of(t, size) for size in (*BOUNDARY_SIZES, 1000)]
    a.subscribe(*topics)
    for topic in topics:
        t.app.expect_notice(True, topic)
    a.cancel(*topics)
    for topic in topics:
        t.app.expect_notice(False, topic)


@case("Notices arrive in the order of the subscriptions", "ZMTP-P-13", "ZMTP-F-10", dialects=BOTH, types=XPUB)
def in_order(t: PubSubTrial) -> None:
    t.step(
        "A subscribes to 100 topics and cancels half of them in between; the application receives them in "
        "that order."
    )
    a = t.subscriber("A")
    expected = []
    for number in range(100):
        a.subscribe(b"%d" % number)
        expected.append((b"\x01%d" % number,))
        if number % 2:
            a.cancel(b"%d" % (number // 2))
            expected.append((b"\x00%d" % (number // 2),))
    t.compare("the application receives", expected, drain_notices(t, a))


@case(
    "Equal subscriptions of two peers: all notices, or the first and the last",
    "ZMTP-P-14",
    "ZMTP-P-13",
    dialects=BOTH,
    types=XPUB,
)
def of_two_peers(t: PubSubTrial) -> None:
    t.step("A and B subscribe to 'x'; the application receives one notice, or two.")
    a, b = t.subscriber("A"), t.subscriber("B")
    for peer in (a, b):
        peer.subscribe(b"x")
        peer.barrier()
    subscribed = drain_notices(t, b)
    every = [(b"\x01x",), (b"\x01x",)]
    t.check(subscribed in (every[:1], every), "one notice of 'x', or two", show_all(subscribed), "ZMTP-P-13")
    t.step("A cancels; the application receives a notice if it receives every notice.")
    a.cancel(b"x")
    first = drain_notices(t, a)
    t.check(first in ([], [(b"\x00x",)]), "at most one notice", show_all(first), "ZMTP-P-13")
    t.step("B cancels: the application receives the cancellation now at the latest.")
    b.cancel(b"x")
    last = drain_notices(t, b)
    t.compare("the application receives", [(b"\x00x",)], last, "ZMTP-P-13")


@case(
    "The application receives every notice if it requests every notice",
    "ZMTP-P-14",
    "ZMTP-P-13",
    dialects=BOTH,
    types=XPUB,
)
def verbose(t: PubSubTrial) -> None:
    t.step("The application requests every notice; A and B subscribe to 'x', A twice, and all is cancelled.")
    t.open(verbose=1)
    a, b = t.subscriber("A"), t.subscriber("B")
    for peer in (a, b, a):
        peer.subscribe(b"x")
        peer.barrier()
    t.compare("the application receives", [(b"\x01x",)] * 3, drain_notices(t, a), "ZMTP-P-13")
    for peer in (a, b, a):
        peer.cancel(b"x")
        peer.barrier()
    t.compare("the application receives", [(b"\x00x",)] * 3, drain_notices(t, a), "ZMTP-P-13")


@case(
    "The notice of a cancellation arrives when the last of several equal subscriptions is cancelled",
    "ZMTP-S-11",
    dialects=BOTH,
    types=XPUB,
)
def twice(t: PubSubTrial) -> None:
    t.step("A subscribes to 'x' twice; the application receives one notice, or two.")
    a = t.subscriber("A")
    a.subscribe(b"x", b"x")
    subscribed = drain_notices(t, a)
    count = len(subscribed)
    t.check(
        subscribed in ([(b"\x01x",)], [(b"\x01x",)] * 2),
        "one notice of 'x', or two",
        show_all(subscribed),
        "ZMTP-P-13",
    )
    t.step("A cancels once: an application that received one notice receives nothing yet.")
    a.cancel(b"x")
    cancelled = [(b"\x00x",)]
    t.compare(
        "the application receives",
        [] if count == 1 else cancelled,
        drain_notices(t, a),
        libzmq=(ONE_CANCEL, cancelled) if count == 1 else None,
    )
    t.step("A cancels again, and the application receives the cancellation.")
    a.cancel(b"x")
    t.compare("the application receives", cancelled, drain_notices(t, a))


def _goes(t: PubSubTrial, how: str) -> None:
    t.step(
        "A subscribes to five topics, one a prefix of another; B to one of them, and to a topic of its own."
    )
    a, b = t.subscriber("A"), t.subscriber("B")
    topics = (b"", b"x", b"xy", b"\x00\xff", b"shared")
    a.subscribe(*topics)
    drain_notices(t, a)
    b.subscribe(b"shared", b"own")
    every = (b"\x01shared",) in drain_notices(t, b)
    t.step(
        "A disconnects: the application receives the cancellations of A's topics; of the one that B has "
        "too, only if it receives every notice."
    )
    _leave(a, how)
    gone = [b"\x00" + topic for topic in topics if every or topic != b"shared"]
    t.app.expect_any_order(*((notice,) for notice in gone))
    t.compare("the application receives no more", [], drain_notices(t, b))
    t.step("B disconnects: the application receives the remaining cancellations.")
    _leave(b, how)
    t.app.expect_any_order((b"\x00shared",), (b"\x00own",))


def _leave(peer: Subscriber, how: str) -> None:
    if how == "reset":
        peer.reset()
    elif how == "half-close":
        peer.shut_down_sending()
    else:
        peer.close()


for _how in ("close", "reset", "half-close"):
    case(
        f"A peer that disconnects leaves no subscription behind: {_how}",
        "ZMTP-P-15",
        subject=f"peer-goes-{_how}",
        dialects=BOTH,
        types=XPUB,
    )(_goes, _how)


@case("A peer that disconnects with two equal subscriptions", "ZMTP-P-15", dialects=BOTH, types=XPUB)
def goes_with_duplicates(t: PubSubTrial) -> None:
    t.step("A subscribes to 'x' twice and to 'y', and disconnects.")
    a, b = t.subscriber("A"), t.subscriber("B")
    a.subscribe(b"x", b"x", b"y")
    before = Counter(drain_notices(t, a))
    a.close()
    t.step("The application receives as many cancellations as it received subscriptions, and no more.")
    expected = [(b"\x00" + notice[0][1:],) for notice in before.elements()]
    t.app.expect_any_order(*expected)
    t.compare("the application receives no more", [], drain_notices(t, b))


@case(
    "A cancelled topic is not cancelled again when its peer disconnects",
    "ZMTP-P-15",
    dialects=BOTH,
    types=XPUB,
)
def goes_after_cancelling(t: PubSubTrial) -> None:
    t.step("A subscribes to 'x' and 'y', cancels 'x', and disconnects: 'x' is cancelled once, 'y' once.")
    a, b = t.subscriber("A"), t.subscriber("B")
    a.subscribe(b"x", b"y")
    a.cancel(b"x")
    t.compare(
        "the application receives", [(b"\x01x",), (b"\x01y",), (b"\x00x",)], drain_notices(t, a), "ZMTP-P-13"
    )
    a.close()
    t.app.expect_notice(False, b"y")
    t.compare("the application receives no more", [], drain_notices(t, b))


@case("A peer whose time to live has passed is disconnected", "ZMTP-P-15", "ZMTP-H-6", types=XPUB)
def expired(t: PubSubTrial) -> None:
    t.step("A subscribes to 'x', sends PING with 0.2 s to live, and then sends nothing.")
    t.allow(3)
    a = t.subscriber("A")
    a.subscribe(b"x")
    t.app.expect_notice(True, b"x")
    a.ping(ttl=2)
    a.answers_pings = False
    t.check(a.ends(2.0), "the connection is closed", "it stays open", "ZMTP-H-6")
    t.step("The application receives the cancellation.")
    t.app.expect_notice(False, b"x")


@case("A peer that has not completed the handshake causes no notice", "ZMTP-P-13", types=XPUB)
def no_handshake(t: PubSubTrial) -> None:
    t.step("A sends a greeting and disconnects; B sends a greeting and READY, and disconnects.")
    greeted(t, "A").close()
    b = greeted(t, "B")
    b.send_ready("SUB")
    b.reset()
    t.step("C subscribes to 'x'; the application receives only that subscription.")
    c = t.subscriber("C")
    c.subscribe(b"x")
    t.compare("the application receives", [(b"\x01x",)], drain_notices(t, c))
