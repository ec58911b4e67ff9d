"""Delivery: unchanged, whole, in order, once, to every subscriber."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.subscribers import received, subscribed
from zeps_conformance.cases.zmtp_pub.topics import listing
from zeps_conformance.sockets.pubsub import BOTH, PubSubTrial


@case("Messages arrive unchanged", "ZMTP-P-8", "ZMTP-F-11", dialects=BOTH)
def unchanged(t: PubSubTrial) -> None:
    a = subscribed(t, "A", b"")
    t.step(
        "The application sends messages of all bytes, of many sizes and numbers of parts; A receives them."
    )
    messages: list[tuple[bytes, ...]] = [
        (bytes(range(256)),),
        (b"\x00",),
        (b"\x01topic",),
        (b"",),
        (b"", b""),
    ]
    for _ in range(40):
        count = t.rng.randint(1, 5)
        messages.append(tuple(t.random_bytes(t.rng.choice((0, 1, 7, 255, 256, 3000))) for _ in range(count)))
    for parts in messages:
        t.app.send(*parts)
    for parts in messages:
        a.expect_message(*parts)


@case("All parts of a message arrive, in order", "ZMTP-F-8", dialects=BOTH)
def whole(t: PubSubTrial) -> None:
    t.step("A and B subscribe to everything; the application sends messages of 1 to 100 parts.")
    peers = [subscribed(t, name, b"") for name in "AB"]
    messages = [tuple(b"%d/%d" % (part, count) for part in range(count)) for count in (1, 2, 3, 10, 100)]
    for parts in messages:
        t.app.send(*parts)
    for peer in peers:
        t.compare(f"{peer.name} receives", messages, peer.collect())


@case("Later parts of a message are not matched", "ZMTP-F-8", "ZMTP-S-8", dialects=BOTH)
def parts_of_others(t: PubSubTrial) -> None:
    t.step("A subscribes to 'a', B to 'b'; each message begins with one topic and continues with the other.")
    a, b = subscribed(t, "A", b"a"), subscribed(t, "B", b"b")
    t.app.send(b"a", b"b", b"a")
    t.app.send(b"b", b"a")
    t.step("Each subscriber receives the whole message whose first part begins with its topic.")
    t.compare("A receives", [(b"a", b"b", b"a")], a.collect())
    t.compare("B receives", [(b"b", b"a")], b.collect())


@case("Messages arrive in order", "ZMTP-F-10", "ZMTP-F-9", dialects=BOTH)
def order(t: PubSubTrial) -> None:
    t.step("The application sends 300 numbered messages of five sizes; A receives them in order, each once.")
    a = subscribed(t, "A", b"")
    messages = [(b"%d" % number, b"." * (number % 5 * 700)) for number in range(300)]
    for parts in messages:
        t.app.send(*parts)
    seen = a.collect()
    right = [parts[0] for parts in messages]
    first = [parts[0] for parts in seen]
    t.check(len(set(first)) == len(first), "no message twice", listing(seen, 300), "ZMTP-F-9")
    t.check(first == right, "0 to 299 in order", listing(seen, 300))


@case(
    "A message that matches several subscriptions arrives once",
    "ZMTP-F-9",
    "ZMTP-P-17",
    "ZMTP-S-10",
    dialects=BOTH,
)
def once(t: PubSubTrial) -> None:
    t.step("A subscribes to '', 'a', 'ab', 'abc', and to 'ab' again.")
    a = subscribed(t, "A", b"", b"a", b"ab", b"abc", b"ab")
    t.step("A receives 'abcd', 'ab', 'a' and 'x' once each.")
    messages = [(b"abcd",), (b"ab",), (b"a",), (b"x",)]
    t.compare("A receives", messages, received(t, a, *messages))


@case("Each of many subscribers receives the messages of its topics", "ZMTP-P-1", "ZMTP-P-3")
def everyone(t: PubSubTrial) -> None:
    t.step("30 subscribers subscribe to 'all', and each to a topic of its own.")
    peers = [subscribed(t, f"A{number}", b"all", b"%d." % number) for number in range(30)]
    t.step("The application sends to 'all', and to each topic; every subscriber receives two messages.")
    t.app.send(b"all")
    for number in range(len(peers)):
        t.app.send(b"%d." % number)
    for number, peer in enumerate(peers):
        t.compare(f"{peer.name} receives", [(b"all",), (b"%d." % number,)], peer.collect(), "ZMTP-P-3")


@case(
    "Large and small messages for several subscribers are not interleaved",
    "ZMTP-F-8",
    "ZMTP-F-10",
    dialects=BOTH,
)
def interleaved(t: PubSubTrial) -> None:
    t.step(
        "A subscribes to 'a', B to 'b', C to both; the application alternates both, in parts of up to "
        "100,000 bytes."
    )
    topics = {"A": (b"a",), "B": (b"b",), "C": (b"a", b"b")}
    peers = {name: subscribed(t, name, *topics[name]) for name in topics}
    messages = []
    for number in range(40):
        parts = (
            b"ab"[number % 2 : number % 2 + 1],
            t.random_bytes(t.rng.choice((0, 10, 8192, 100_000))),
            b"%d" % number,
        )
        messages.append(parts)
        t.app.send(*parts)
    t.step("Each subscriber receives its messages whole and in order.")
    for name, peer in peers.items():
        expected = [parts for parts in messages if parts[0] in topics[name]]
        seen = peer.collect()
        t.check(seen == expected, f"{name} receives {len(expected)} messages", listing(seen))
