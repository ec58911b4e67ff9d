"""Messages of subscribers that are not subscriptions: PUB discards them, XPUB delivers them to the application."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.subscribers import received, subscribed
from zeps_conformance.cases.zmtp_pub.topics import listing
from zeps_conformance.sockets.pubsub import BOTH, NEGATIVE, V3_1, PubSubTrial

# Messages that do not begin with %x00 to %x03: not subscriptions in any version, nor in the filter extension.
MESSAGES: tuple[tuple[bytes, ...], ...] = (
    (b"hello",),
    (b"\x04x",),
    (b"several", b"", b"parts"),
    (b"\xff" * 300,),
    (b"end",),
)


@case(
    "PUB discards the messages of subscribers", "ZMTP-P-7", dialects=BOTH, types=("PUB",), polarity=NEGATIVE
)
def discarded(t: PubSubTrial) -> None:
    t.step("A subscribes to 'x', and sends messages that are not subscriptions, small and large.")
    a = t.subscriber("A")
    a.subscribe(b"x")
    for parts in (*MESSAGES, (t.random_bytes(300_000),)):
        if parts[0][0] > 1:
            a.send_message(*parts)
    a.barrier()
    t.step("A stays connected and subscribed, and the application receives nothing.")
    t.compare("A receives", [(b"x",)], received(t, a, b"x", b"y"))
    seen = t.app.try_recv()
    t.check(seen is None or isinstance(seen, str), "nothing for the application", repr(seen))


@case(
    "A subscriber's message does not reach other subscribers",
    "ZMTP-P-7",
    dialects=BOTH,
    types=("PUB",),
    polarity=NEGATIVE,
)
def not_sent_back(t: PubSubTrial) -> None:
    t.step("A and B subscribe to everything; A sends messages: neither A nor B receives them.")
    a, b = subscribed(t, "A", b""), subscribed(t, "B", b"")
    for parts in MESSAGES:
        a.send_message(*parts)
    t.compare("A receives", [], a.collect())
    t.compare("B receives", [], b.collect())


@case(
    "PUB discards thousands of messages, and continues to serve",
    "ZMTP-P-7",
    types=("PUB",),
    polarity=NEGATIVE,
)
def many_discarded(t: PubSubTrial) -> None:
    t.step("A sends 5,000 messages without a pause; then it subscribes to 'x', which takes effect.")
    a = t.subscriber("A")
    a.send_raw(t.wire.message(b"noise") * 5000, "5,000 messages")
    a.subscribe(b"x")
    a.barrier()
    t.compare("A receives", [(b"x",)], received(t, a, b"x"))


@case(
    "XPUB delivers the messages of subscribers to the application",
    "ZMTP-P-16",
    dialects=BOTH,
    types=("XPUB",),
)
def shown(t: PubSubTrial) -> None:
    t.step("A sends messages that are not subscriptions; the application receives them unchanged, in order.")
    a = t.subscriber("A")
    for parts in MESSAGES:
        a.send_message(*parts)
    for parts in MESSAGES:
        t.app.expect(*parts)


@case("XPUB delivers an empty message", "ZMTP-P-16", dialects=BOTH, types=("XPUB",))
def empty_shown(t: PubSubTrial) -> None:
    t.step("A sends an empty message, and a message of two empty parts; the application receives both.")
    a = t.subscriber("A")
    a.send_message(b"")
    a.send_message(b"", b"")
    a.send_message(b"end")
    t.app.expect(b"")
    t.app.expect(b"", b"")
    t.app.expect(b"end")


@case(
    "Messages and subscriptions of a peer are delivered in order",
    "ZMTP-P-16",
    "ZMTP-F-10",
    dialects=BOTH,
    types=("XPUB",),
)
def shown_among_subscriptions(t: PubSubTrial) -> None:
    t.step("A subscribes, sends a message, subscribes again, sends another message and cancels.")
    a = t.subscriber("A")
    a.subscribe(b"x")
    a.send_message(b"one")
    a.subscribe(b"y")
    a.send_message(b"two", b"parts")
    a.cancel(b"x")
    t.step("The application receives them in this order.")
    t.app.expect_notice(True, b"x")
    t.app.expect(b"one")
    t.app.expect_notice(True, b"y")
    t.app.expect(b"two", b"parts")
    t.app.expect_notice(False, b"x")


@case(
    "In version 3.1, a message that begins with %x01 or %x00, as the application receives it",
    "ZMTP-S-15",
    dialects=(V3_1,),
    types=("XPUB",),
    polarity=NEGATIVE,
)
def leading_octet_in_3_1(t: PubSubTrial) -> None:
    t.step("A of version 3.1 sends messages of %x01 and of %x00 with a topic; they are ordinary messages.")
    a = t.subscriber("A")
    a.send_message(b"\x01x")
    a.send_message(b"\x00x")
    a.send_message(b"end")
    t.compare("the application receives", [(b"\x01x",), (b"\x00x",), (b"end",)], t.app.take(3))


@case("XPUB reads from subscribers in turn", "ZMTP-P-20", types=("XPUB",))
def in_turn(t: PubSubTrial) -> None:
    t.step("A sends 200 messages, then B sends one; the application has not read yet.")
    a, b = t.subscriber("A"), t.subscriber("B")
    a.send_raw(b"".join(t.wire.message(b"A%d" % number) for number in range(200)), "200 messages")
    if a.probe() == "silent":
        t.unsupported("it queues fewer than 200 messages for an application that does not read")
    b.send_message(b"B")
    b.barrier()
    t.step("The application receives B's message long before A's last message.")
    seen = t.app.take(201)
    t.check(len(seen) == 201, "201 messages", f"{len(seen)}: {listing(seen)}")
    place = seen.index((b"B",)) + 1
    t.check(
        place < 150,
        "B's message among the first 150",
        f"B's is number {place}",
        libzmq="reads all messages of one subscriber before it reads from the next" if place == 201 else None,
    )
