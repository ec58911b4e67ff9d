"""Matching by the publisher: topics are compared byte by byte with the beginning of messages."""

from __future__ import annotations

from collections.abc import Sequence

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.subscribers import received, subscribed
from zeps_conformance.cases.zmtp_pub.topics import BOUNDARY_SIZES, listing, topic_of
from zeps_conformance.sockets.markers import show
from zeps_conformance.sockets.pubsub import BOTH, PubSubTrial


def _matched(t: PubSubTrial, topics: tuple[bytes, ...], sent: tuple[bytes, ...]) -> list[tuple[bytes, ...]]:
    """Sends messages that begin with `sent`; returns the first parts that a new subscriber to `topics` receives."""
    seen = received(t, subscribed(t, "A", *topics), *((first, b"body") for first in sent))
    return [parts[:1] for parts in seen]


@case("A topic matches the messages that begin with it", "ZMTP-S-8", dialects=BOTH)
def prefix(t: PubSubTrial) -> None:
    t.step("A subscribes to 'ab': of many messages it receives 'ab', 'abc' and 'ab' followed by other bytes.")
    sent = (b"ab", b"abc", b"ab\x00", b"ab\xff", b"a", b"", b"b", b"Ab", b"aB", b"xab", b" ab", b"a\x00b")
    t.compare("A receives", [(first,) for first in sent[:4]], _matched(t, (b"ab",), sent))


@case("Topics are bytes, including zero and 255", "ZMTP-S-8", dialects=BOTH)
def binary(t: PubSubTrial) -> None:
    t.step("A subscribes to topics with %x00, %xFF and bytes that are not text.")
    topics = (b"\x00", b"\xff\x00\xff", b"a\x00b", b"\xc3", b"\x01\x01")
    right = (
        b"\x00",
        b"\x00\x00",
        b"\x00a",
        b"\xff\x00\xff\x00",
        b"a\x00b",
        b"a\x00bc",
        b"\xc3\xa4",
        b"\x01\x01",
    )
    wrong = (b"\xff\x00", b"\xff", b"a", b"a\x00", b"a\x00c", b"ab", b"\xc4\xa4", b"\x01", b"\x01\x00", b"")
    t.step("A receives only the messages that begin with a topic.")
    t.compare("A receives", [(first,) for first in right], _matched(t, topics, right + wrong))


@case("A zero byte does not end a topic", "ZMTP-S-8", dialects=BOTH)
def zero_ends_nothing(t: PubSubTrial) -> None:
    t.step("A subscribes to 'a', zero, 'b': neither 'a', zero, 'c' nor 'a' is matched.")
    seen = _matched(t, (b"a\x00b",), (b"a", b"a\x00", b"a\x00c", b"a\x00b"))
    t.compare("A receives", [(b"a\x00b",)], seen)


@case("Only the first frame is matched", "ZMTP-S-8", dialects=BOTH)
def first_frame(t: PubSubTrial) -> None:
    t.step("A subscribes to 'ab'. The topic is in later parts, or spans the first and the second part.")
    a = subscribed(t, "A", b"ab")
    sent = ((b"x", b"ab"), (b"", b"ab"), (b"a", b"b"), (b"ab", b"x"), (b"x", b"x", b"ab"))
    t.compare("A receives", [(b"ab", b"x")], received(t, a, *sent))


@case("The empty topic matches every message", "ZMTP-S-9", dialects=BOTH)
def empty_topic(t: PubSubTrial) -> None:
    t.step("A subscribes to the empty topic: it receives every message, including an empty one.")
    a = subscribed(t, "A", b"")
    messages = [(b"a",), (b"",), (b"", b"x"), (b"\x00",), (b"\xff" * 300,)]
    t.compare("A receives", messages, received(t, a, *messages))


@case("An empty message matches only the empty topic", "ZMTP-S-8", "ZMTP-S-9", dialects=BOTH)
def empty_message(t: PubSubTrial) -> None:
    t.step("A subscribes to a zero byte, B to the empty topic; only B receives an empty message.")
    a, b = subscribed(t, "A", b"\x00"), subscribed(t, "B", b"")
    t.compare("A receives", [], received(t, a, b""))
    t.compare("B receives", [(b"",)], b.collect(), "ZMTP-S-9")


@case("Messages that do not match are never sent", "ZMTP-S-7", "ZMTP-P-9", dialects=BOTH)
def at_the_publisher(t: PubSubTrial) -> None:
    t.step(
        "A subscribes to 'a', and B does not subscribe; the application sends 100 other messages, and one "
        "'a'."
    )
    a, b = subscribed(t, "A", b"a"), subscribed(t, "B")
    for number in range(100):
        t.app.send(b"b%d" % number, t.random_bytes(100))
    t.app.send(b"a")
    t.step("A's connection carries only that message, and B's connection carries none.")
    t.compare("A receives", [(b"a",)], a.collect())
    b.expect_nothing("B has no subscription")


@case("A peer without a subscription receives nothing", "ZMTP-S-7", dialects=BOTH)
def never_subscribed(t: PubSubTrial) -> None:
    t.step("A completes the handshake without subscribing; the application sends three messages.")
    a = t.subscriber("A")
    for topic in (b"", b"a", b"\x00"):
        t.app.send(topic, b"body")
    t.step("A's connection carries no message.")
    seen = a.next_message(0.15)
    t.check(seen is None and a.lost is None, "nothing", a.lost or show(seen))


def _sizes(t: PubSubTrial, range_of: Sequence[int]) -> None:
    t.step("A subscribes to a topic of each size.")
    a = t.subscriber("A")
    topics = [topic_of(t, size) for size in range_of]
    a.subscribe(*topics)
    a.barrier()
    t.step(
        "For each topic, A receives the topic itself and a longer message, but not a shorter or a "
        "different one."
    )
    expected = []
    for topic in topics:
        last = bytes((topic[-1] ^ 1,))
        for first in (topic, topic[:-1] + last, topic + b"\x00", topic[:-1], topic[:-1] + last + b"\xff"):
            t.app.send(first)
        expected += [(topic,), (topic + b"\x00",)]
    seen = a.collect()
    t.check(
        seen == expected,
        f"topics of {', '.join(str(len(topic)) for topic in topics)} bytes, and one byte more",
        f"messages of {', '.join(str(len(parts[0])) for parts in seen)} bytes",
    )


for _name, _range in {
    "small": (1, 2, 3, 16),
    "boundary": BOUNDARY_SIZES,
    "large": (999, 1000, 1500, 2000),
    "huge": (10_000, 65_535, 65_536, 200_000),
}.items():
    case(
        f"Topics of {_range[0]} to {_range[-1]} bytes",
        "ZMTP-S-8",
        "ZMTP-F-2",
        subject=f"sizes-{_name}",
        dialects=BOTH,
    )(_sizes, _range)


@case("Random subscriptions and messages match as computed", "ZMTP-S-8", "ZMTP-S-10", dialects=BOTH)
def as_reckoned(t: PubSubTrial) -> None:
    alphabet = b"\x00a\xff"
    words = sorted({bytes(t.rng.choices(alphabet, k=t.rng.randint(1, 4))) for _ in range(60)})
    peers = [t.subscriber(name) for name in "ABC"]
    held: list[set[bytes]] = [set() for _ in peers]
    for turn in range(4):
        t.step(
            f"Turn {turn + 1}: three peers subscribe and cancel at random, no topic twice; 30 messages follow."
        )
        for peer, topics in zip(peers, held, strict=True):
            for word in t.rng.sample(words, 12):
                if word in topics:
                    peer.cancel(word)
                else:
                    peer.subscribe(word)
                topics ^= {word}
            peer.barrier()
        messages = [(word + bytes(t.rng.choices(alphabet, k=2)), b"%d" % turn) for word in words[:30]]
        for parts in messages:
            t.app.send(*parts)
        for peer, topics in zip(peers, held, strict=True):
            expected = [parts for parts in messages if any(parts[0].startswith(topic) for topic in topics)]
            seen = peer.collect()
            t.check(seen == expected, f"{peer.name} receives {listing(expected, 30)}", listing(seen, 30))


@case("Subscribers of versions 3.0 and 3.1 are served side by side", "ZMTP-S-8", "ZMTP-G-21")
def mixed_versions(t: PubSubTrial) -> None:
    t.step("A of version 3.0 and B of version 3.1 both subscribe to 'x'; both receive the message.")
    peers = [subscribed(t, name, b"x", dialect=dialect) for name, dialect in zip("AB", BOTH, strict=True)]
    t.app.send(b"x1")
    for peer in peers:
        t.compare(f"{peer.name} receives", [(b"x1",)], peer.collect())
    t.step("A cancels: B still receives messages.")
    peers[0].cancel(b"x")
    peers[0].barrier()
    t.compare("A receives", [], received(t, peers[0], b"x2"))
    t.compare("B receives", [(b"x2",)], peers[1].collect())
