"""Many connections at once: the time limit of handshakes, and floods of subscriptions."""

from __future__ import annotations

from collections.abc import Sequence

from zeps_conformance.cases.races import rounds
from zeps_conformance.cases.registration import case
from zeps_conformance.cases.subscribers import received, subscribed
from zeps_conformance.cases.zmtp_any.crowd import sizes_of, stops_at
from zeps_conformance.sockets.pubsub import BOTH, NEGATIVE, PubSubTrial

FLOOD = 10_000
FLOODS, SPELL = 3, 2.0  # floods in a row, and the seconds that they take at least
PEERS, VANISHING = 4, 3  # peers that flood at the same time, and the number of their floods
MEANWHILE = tuple((b"x1 %d" % number,) for number in range(100))  # messages for B during a flood
# messages without a subscriber, sent during a flood
NOBODYS = tuple((b"y1 %d" % number,) for number in range(100))


def _many(frame: bytes, topics: Sequence[bytes]) -> bytes:
    """Returns `frame` once for each of `topics`, in place of its topic 't00000' of the same length."""
    return b"".join(frame.replace(b"t00000", topic) for topic in topics)


@case("A handshake has a time limit", "ZMTP-X-1", polarity=NEGATIVE)
def handshake_limit(t: PubSubTrial) -> None:
    t.step("Handshakes have a time limit of 0.3 s. Peers stop at all stages of the handshake.")
    t.allow(5)
    t.open(handshake_ivl=300)
    peers = {where: stops_at(t, f"A {where}", size) for where, size in sizes_of(t).items()}
    t.step("All of them are disconnected.")
    for where, a in peers.items():
        t.check(a.ends(2.0), f"the connection that stopped at {where} is closed", "it stays open")


def _send_meanwhile(t: PubSubTrial, messages: Sequence[tuple[bytes]] = MEANWHILE) -> None:
    for parts in messages:
        if not t.app.send(*parts):
            t.check(
                False,
                "the application sends without delay",
                f"a message is not accepted: {parts[0].decode()}",
                "ZMTP-P-11",
            )


@case("10,000 subscriptions, and 10,000 cancellations", "ZMTP-S-10", "ZMTP-P-3", "ZMTP-P-11", dialects=BOTH)
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
        t.step("The first and the last of them take effect; B is served.")
        for topic in (*some, b"t", b"t09999x", b"x2"):
            t.app.send(topic)
        for a in peers:
            t.compare(f"{a.name} receives", [(topic,) for topic in (*some, b"t09999x")], a.collect())
        t.compare("B receives", [*MEANWHILE, (b"x2",)], b.collect(), "ZMTP-P-3")
        t.step(
            "The peers cancel all topics but one: only that one remains. All this repeats until 2 s have passed."
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
    "10,000 subscriptions of a peer that disappears",
    "ZMTP-P-5",
    "ZMTP-P-11",
    dialects=BOTH,
    polarity=NEGATIVE,
)
def flood_and_go(t: PubSubTrial) -> None:
    t.allow(20)
    t.step(
        f"B subscribes to 'x'. {PEERS} peers subscribe to 10,000 topics each, without a pause, and "
        f"disappear; for a PUB {VANISHING} times or more."
    )
    b = subscribed(t, "B", b"x")
    topics = [b"t%05d" % number for number in range(FLOOD)]
    flood = _many(t.wire.subscribe(topics[0], t.dialect), topics)
    t.step("B is served throughout, and so is C, which connects afterwards.")
    # An XPUB's application receives each subscription: one round costs it as much as many rounds cost a PUB.
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
    t.compare("C receives", [], received(t, c, b"t00000"))


@case("One topic, subscribed to 10,000 times", "ZMTP-F-9", "ZMTP-P-11", dialects=BOTH)
def same_topic_flood(t: PubSubTrial) -> None:
    t.allow(20)
    t.step(
        f"{PEERS} peers subscribe to 'x' 10,000 times each while other messages are sent: a message still "
        "arrives once. "
        f"This repeats {FLOODS} times or more."
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


@case("A topic of 400,000 bytes", "ZMTP-X-2", dialects=BOTH, polarity=NEGATIVE)
def deep_topic(t: PubSubTrial) -> None:
    t.allow(20)
    t.step("A subscribes to a topic of 400,000 bytes, cancels it, subscribes again, and disappears.")
    topic = b"deep" * 100_000
    a = t.subscriber("A")
    a.subscribe(topic)
    a.cancel(topic)
    a.subscribe(topic)
    a.barrier()
    t.app.send(topic)
    t.check(a.collect() == [(topic,)], "the matching message", "another", "ZMTP-S-8")
    a.reset()
    t.step("Other peers are served.")
    t.serve(t.subscriber("B"))
