"""Subscribing and cancelling: subscriptions add up, are counted, and belong to one peer."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.subscribers import received, subscribed
from zeps_conformance.cases.zmtp_pub.topics import BOUNDARY_SIZES, topic_of
from zeps_conformance.sockets.pubsub import BOTH, NEGATIVE, PubSubTrial, Subscriber

ONE_CANCEL = "one cancel ends all equal subscriptions of a peer"


def _left(t: PubSubTrial, topics: tuple[bytes, ...], cancelled: tuple[bytes, ...], expected: bytes) -> None:
    """Checks that of the messages '1a', '1ab', '1abc' and '2', those with numbers (from 1) in `expected` arrive."""

    t.step("A subscribes to the topics, and cancels some.")
    a = t.subscriber("A")
    a.subscribe(*topics)
    a.cancel(*cancelled)
    a.barrier()
    t.step("Only the messages of the remaining topics arrive.")
    messages = [(b"1a",), (b"1ab",), (b"1abc",), (b"2",)]
    t.compare("A receives", [messages[number - 1] for number in expected], received(t, a, *messages))


for _name, _title, _topics, _cancelled, _expected in (
    ("everything-and-more", "'1a' adds nothing to ''", (b"1a", b""), (), b"\1\2\3\4"),
    ("cancel-everything", "Cancelling '' keeps '1a'", (b"1a", b""), (b"",), b"\1\2\3"),
    ("cancel-beside-everything", "Cancelling '1a' keeps ''", (b"1a", b""), (b"1a",), b"\1\2\3\4"),
    ("cancel-shorter", "Cancelling '1a' keeps '1ab'", (b"1a", b"1ab"), (b"1a",), b"\2\3"),
    ("cancel-longer", "Cancelling '1ab' keeps '1a'", (b"1a", b"1ab"), (b"1ab",), b"\1\2\3"),
    (
        "cancel-middle",
        "Cancelling '1ab' keeps '1a' and '1abc'",
        (b"1a", b"1ab", b"1abc"),
        (b"1ab",),
        b"\1\2\3",
    ),
    ("cancel-outer", "Cancelling '1' and '1a' keeps '1ab'", (b"1", b"1a", b"1ab"), (b"1", b"1a"), b"\2\3"),
    ("cancel-neighbour", "Cancelling '2' keeps '1a'", (b"1a", b"2"), (b"2",), b"\1\2\3"),
    (
        "cancel-prefix-only",
        "Cancelling '1', which was not subscribed to, keeps '1a'",
        (b"1a",),
        (b"1",),
        b"\1\2\3",
    ),
    (
        "cancel-all",
        "Cancelling all topics leaves no subscription",
        (b"1a", b"", b"2"),
        (b"", b"2", b"1a"),
        b"",
    ),
):
    case(_title, "ZMTP-S-10", subject=_name, dialects=BOTH)(_left, _topics, _cancelled, _expected)


@case(
    "A subscriber with many topics does not change what another subscriber receives",
    "ZMTP-S-7",
    "ZMTP-E-9",
    dialects=BOTH,
)
def greedy_neighbour(t: PubSubTrial) -> None:
    t.step("B subscribes to 'm', and A to 100 topics, for which the publisher may send it every message.")
    topics = [b"s%02d" % number for number in range(100)]
    b, a = subscribed(t, "B", b"m"), subscribed(t, "A", *topics)
    t.step(
        "The application sends a message of each topic, and one of no topic: A and B receive the messages "
        "of their topics."
    )
    t.compare("B receives", [(b"m1",)], received(t, b, *topics, b"m1", b"x"), "ZMTP-E-9")
    got = [parts for parts in a.collect() if parts[0] in topics]
    t.compare("besides unrequested messages, A receives", [(topic,) for topic in topics], got, "ZMTP-S-8")


@case("A topic that was cancelled can be subscribed to again", "ZMTP-S-10", dialects=BOTH)
def resubscribe(t: PubSubTrial) -> None:
    a = t.subscriber("A")
    for turn in range(3):
        t.step("A subscribes to 'x': the message arrives.")
        a.subscribe(b"x")
        a.barrier()
        t.compare("A receives", [(b"x%d" % turn,)], received(t, a, b"x%d" % turn))
        t.step("A cancels it: the message does not arrive.")
        a.cancel(b"x")
        a.barrier()
        t.compare("A receives", [], received(t, a, b"x%d" % turn))


@case("Two subscriptions need two cancellations", "ZMTP-S-11", dialects=BOTH)
def twice(t: PubSubTrial) -> None:
    a = t.subscriber("A")
    t.step("A subscribes to 'x' twice and cancels once: messages still arrive.")
    a.subscribe(b"x", b"x")
    a.cancel(b"x")
    a.barrier()
    t.compare("A receives", [(b"x1",)], received(t, a, b"x1"), libzmq=(ONE_CANCEL, []))
    t.step("A cancels again: no message arrives.")
    a.cancel(b"x")
    a.barrier()
    t.compare("A receives", [], received(t, a, b"x2"))


@case("One of two subscriptions to everything remains after one cancellation", "ZMTP-S-11", dialects=BOTH)
def everything_twice(t: PubSubTrial) -> None:
    a = t.subscriber("A")
    t.step("A subscribes to the empty topic twice and cancels once: messages still arrive.")
    a.subscribe(b"", b"")
    a.cancel(b"")
    a.barrier()
    t.compare("A receives", [(b"x1",)], received(t, a, b"x1"), libzmq=(ONE_CANCEL, []))


@case("A topic ends after as many cancellations as subscriptions", "ZMTP-S-11", dialects=BOTH)
def counted(t: PubSubTrial) -> None:
    t.step("A subscribes to 'x' 300 times, more than a byte can count, and cancels 299 times.")
    a = t.subscriber("A")
    a.send_raw(t.wire.subscribe(b"x", a.dialect) * 300, "300 subscriptions")
    a.send_raw(t.wire.cancel(b"x", a.dialect) * 299, "299 cancellations")
    a.barrier()
    t.step("Messages still arrive, until A cancels once more.")
    t.compare("A receives", [(b"x1",)], received(t, a, b"x1"), libzmq=(ONE_CANCEL, []))
    a.cancel(b"x")
    a.barrier()
    t.compare("A receives", [], received(t, a, b"x2"))


@case("Two subscriptions and two cancellations leave no subscription", "ZMTP-S-11", dialects=BOTH)
def twice_and_gone(t: PubSubTrial) -> None:
    t.step("A subscribes to 'x' twice and cancels twice: no message arrives.")
    a = t.subscriber("A")
    for _ in range(2):
        a.subscribe(b"x")
    for _ in range(2):
        a.cancel(b"x")
    a.barrier()
    t.compare("A receives", [], received(t, a, b"x1"))
    t.step("A subscribes once more: the message arrives.")
    a.subscribe(b"x")
    a.barrier()
    t.compare("A receives", [(b"x2",)], received(t, a, b"x2"))


@case("Subscriptions and cancellations belong to one peer", "ZMTP-S-10", "ZMTP-P-3", dialects=BOTH)
def isolation(t: PubSubTrial) -> None:
    t.step("A, B and C subscribe to 'x'; B cancels it, A and C keep it, and A subscribes to 'y'.")
    a, b, c = (t.subscriber(name) for name in "ABC")
    for peer in (a, b, c):
        peer.subscribe(b"x")
    b.cancel(b"x")
    a.subscribe(b"y")
    for peer in (a, b, c):
        peer.barrier()
    t.compare("A receives", [(b"x1",), (b"y1",)], received(t, a, b"x1", b"y1"))
    t.compare("B receives", [], b.collect())
    t.compare("C receives", [(b"x1",)], c.collect())


@case("A peer cannot cancel another peer's subscription", "ZMTP-S-10", dialects=BOTH, polarity=NEGATIVE)
def cancel_of_another(t: PubSubTrial) -> None:
    t.step("A subscribes to 'x'; B, which did not, cancels it five times.")
    a, b = subscribed(t, "A", b"x"), t.subscriber("B")
    for _ in range(5):
        b.cancel(b"x")
    b.barrier()
    t.step("A still receives messages.")
    t.compare("A receives", [(b"x1",)], received(t, a, b"x1"))
    t.compare("B receives", [], b.collect())


def _departure(t: PubSubTrial, how: str) -> None:
    t.step("A, B and C subscribe to 'x', and B also to 'y'; B disconnects.")
    a, b, c = (t.subscriber(name) for name in "ABC")
    for peer in (a, b, c):
        peer.subscribe(b"x")
    b.subscribe(b"y")
    for peer in (a, b, c):
        peer.barrier()
    b.close() if how == "close" else b.reset()
    t.step("A and C still receive messages. A new connection in B's place has no subscription of B's.")
    d = subscribed(t, "D")
    t.compare("A receives", [(b"x1",)], received(t, a, b"x1", b"y1"))
    t.compare("C receives", [(b"x1",)], c.collect())
    t.compare("D receives", [], d.collect(), "ZMTP-P-5")


for _how in ("close", "reset"):
    case(
        f"A peer that disconnects ends only its own subscriptions: {_how}",
        "ZMTP-S-10",
        "ZMTP-P-5",
        subject=f"departure-{_how}",
        dialects=BOTH,
    )(_departure, _how)


@case("Topics near the largest short size can be cancelled", "ZMTP-S-10", "ZMTP-F-2", dialects=BOTH)
def cancel_sizes(t: PubSubTrial) -> None:
    t.step("A subscribes to topics of 244 to 257 bytes, and cancels every other topic.")
    a = t.subscriber("A")
    topics = [topic_of(t, size) for size in BOUNDARY_SIZES]
    a.subscribe(*topics)
    a.cancel(*topics[::2])
    a.barrier()
    _sizes_left(t, "the other topics", topics, [(topic,) for topic in topics[1::2]], a)
    t.step("A cancels the other topics too.")
    a.cancel(*topics[1::2])
    a.barrier()
    _sizes_left(t, "nothing", topics, [], a)


def _sizes_left(
    t: PubSubTrial, what: str, topics: list[bytes], expected: list[tuple[bytes, ...]], a: Subscriber
) -> None:
    """Sends a message of each of `topics`, and checks that A receives `expected`, which is described by `what`."""
    seen = received(t, a, *topics)
    t.check(seen == expected, f"A receives {what}", f"topics of {[len(parts[0]) for parts in seen]} bytes")


@case("Many subscriptions and cancellations take effect in order", "ZMTP-S-10", dialects=BOTH)
def at_once(t: PubSubTrial) -> None:
    t.step(
        "A subscribes to 'x' and 'y' and cancels both, 200 times, and then subscribes to 'x': only 'x' arrives."
    )
    a = t.subscriber("A")
    turn = [t.wire.subscribe(topic, a.dialect) for topic in (b"x", b"y")]
    turn += [t.wire.cancel(topic, a.dialect) for topic in (b"x", b"y")]
    a.send_raw(b"".join(turn) * 200, "200 turns")
    a.subscribe(b"x")
    a.barrier()
    t.compare("A receives", [(b"x1",)], received(t, a, b"x1", b"y1"))
