"""Many at once: the time that a handshake has, and floods of subscriptions."""

from __future__ import annotations

from collections.abc import Sequence

from zeps_conformance.cases.races import rounds
from zeps_conformance.cases.zmtp_any.crowd import sizes_of, stops_at
from zeps_conformance.sockets.pubsub import BOTH, NEGATIVE, PubSubTrial, case

FLOOD = 10_000
FLOODS, SPELL = 3, 2.0  # one after the other, and for so many seconds
PEERS, VANISHING = 4, 3  # who flood at the same time, and how often they do
MEANWHILE = tuple((b"x1 %d" % number,) for number in range(100))  # messages for B while a flood is taken in
NOBODYS = tuple((b"y1 %d" % number,) for number in range(100))  # messages that nobody wants, likewise


def _many(frame: bytes, topics: Sequence[bytes]) -> bytes:
    """`frame`, which is about topic 't00000', for each of `topics`, which are as long."""
    return b"".join(frame.replace(b"t00000", topic) for topic in topics)


@case("zmtp-pub.crowd.handshake-limit", "A handshake has its time", "ZMTP-X-1", polarity=NEGATIVE)
def handshake_limit(t: PubSubTrial) -> None:
    t.step("Handshakes may take 0.3 s. Peers stop at all stages of it.")
    t.allow(5)
    t.open(handshake_ivl=300)
    peers = {where: stops_at(t, f"A {where}", size) for where, size in sizes_of(t).items()}
    t.step("All are left.")
    for where, a in peers.items():
        t.check(a.ends(2.0), f"the connection that stopped at {where} is closed", "it stays open")


def _send_meanwhile(t: PubSubTrial, messages: Sequence[tuple[bytes]] = MEANWHILE) -> None:
    for parts in messages:
        if not t.app.send(*parts):
            t.check(
                False,
                "the application sends, and is not held up",
                f"a message is not taken: {parts[0].decode()}",
                "ZMTP-P-11",
            )


@case(
    "zmtp-pub.crowd.flood",
    "10,000 subscriptions, and 10,000 cancellations",
    "ZMTP-S-10",
    "ZMTP-P-3",
    "ZMTP-P-11",
    dialects=BOTH,
)
def flood(t: PubSubTrial) -> None:
    t.allow(20)
    t.step(
        f"B subscribes to 'x'. {PEERS} peers subscribe to 10,000 topics each, without a pause, while B is served."
    )
    b = t.subscriber("B")
    peers = [t.subscriber(f"A{number}") for number in range(PEERS)]
    b.subscribe(b"x")
    b.barrier()
    topics = [b"t%05d" % number for number in range(FLOOD)]
    some = [topics[0], topics[1], topics[FLOOD // 2], topics[-1]]
    for _ in rounds(1, SPELL):
        for a in peers:
            a.send_raw(_many(t.wire.subscribe(topics[0], t.dialect), topics), f"{FLOOD} subscriptions")
        _send_meanwhile(t)
        for a in peers:
            a.barrier()
        t.step("They count, from the first to the last; B is served.")
        for topic in (*some, b"t", b"t09999x", b"x2"):
            t.app.send(topic)
        for a in peers:
            t.compare(f"{a.name} receives", [(topic,) for topic in (*some, b"t09999x")], a.collect())
        t.compare("B receives", [*MEANWHILE, (b"x2",)], b.collect(), "ZMTP-P-3")
        t.step(
            "They cancel them all but one: that is the only one left. Once more, as long as there is time."
        )
        for a in peers:
            a.send_raw(_many(t.wire.cancel(topics[0], t.dialect), topics[1:]), f"{FLOOD - 1} cancellations")
            a.barrier()
        for topic in (*some, b"x3"):
            t.app.send(topic)
        for a in peers:
            t.compare(f"{a.name} receives", [(topics[0],)], a.collect())
            a.cancel(topics[0])
            a.barrier()
        t.compare("B receives", [(b"x3",)], b.collect(), "ZMTP-P-3")


@case(
    "zmtp-pub.crowd.flood-and-go",
    "10,000 subscriptions of a peer that vanishes",
    "ZMTP-P-5",
    "ZMTP-P-11",
    dialects=BOTH,
    polarity=NEGATIVE,
)
def flood_and_go(t: PubSubTrial) -> None:
    t.allow(20)
    t.step(
        f"B subscribes to 'x'. {PEERS} peers subscribe to 10,000 topics each, without a pause, and vanish; "
        f"of a PUB {VANISHING} times or more."
    )
    b = t.subscriber("B")
    b.subscribe(b"x")
    b.barrier()
    topics = [b"t%05d" % number for number in range(FLOOD)]
    flood = _many(t.wire.subscribe(topics[0], t.dialect), topics)
    t.step("B is served all the while, and so is C, who comes in their place.")
    # An XPUB's application is shown each of the subscriptions: once is as much for it as many rounds for a PUB.
    again = rounds(1, 0.0) if t.type == "XPUB" else rounds(VANISHING, SPELL)
    for _ in again:
        peers = [t.subscriber(f"A{number}") for number in range(PEERS)]
        for a in peers:
            a.send_raw(flood, f"{FLOOD} subscriptions")
        _send_meanwhile(t)
        for a in peers:
            a.reset()
        _send_meanwhile(t)
        t.compare("B receives", [*MEANWHILE, *MEANWHILE], b.collect())
    c = t.subscriber("C")
    t.serve(c)
    t.app.send(b"t00000")
    t.compare("C receives", [], c.collect())


@case(
    "zmtp-pub.crowd.same-topic-flood",
    "One topic, subscribed to 10,000 times",
    "ZMTP-F-9",
    "ZMTP-P-11",
    dialects=BOTH,
)
def same_topic_flood(t: PubSubTrial) -> None:
    t.allow(20)
    t.step(
        f"{PEERS} peers subscribe to 'x' 10,000 times each while others are served: a message still comes once. "
        f"{FLOODS} times or more."
    )
    for _ in rounds(FLOODS, SPELL):
        peers = [t.subscriber(f"A{number}") for number in range(PEERS)]
        for a in peers:
            a.send_raw(t.wire.subscribe(b"x", t.dialect) * FLOOD, f"{FLOOD} subscriptions")
        _send_meanwhile(t, NOBODYS)
        for a in peers:
            a.barrier()
        t.app.send(b"x1")
        for a in peers:
            t.compare(f"{a.name} receives", [(b"x1",)], a.collect())
            a.close()


@case("zmtp-pub.crowd.deep-topic", "A topic of 400,000 octets", "ZMTP-X-2", dialects=BOTH, polarity=NEGATIVE)
def deep_topic(t: PubSubTrial) -> None:
    t.allow(20)
    t.step("A subscribes to a topic of 400,000 octets, cancels it, subscribes again, and vanishes.")
    topic = b"deep" * 100_000
    a = t.subscriber("A")
    a.subscribe(topic)
    a.cancel(topic)
    a.subscribe(topic)
    a.barrier()
    t.app.send(topic)
    t.check(a.collect() == [(topic,)], "the message that matches", "another", "ZMTP-S-8")
    a.reset()
    t.step("Others are served.")
    t.serve(t.subscriber("B"))
