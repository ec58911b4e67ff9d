"""Messages through a proxy."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.subscribers import subscribed
from zeps_conformance.sockets.pubsub import BOTH, Publisher, Subscriber
from zeps_conformance.sockets.pubsub.proxy_trial import ProxyTrial

SIZES = (0, 1, 254, 255, 256, 257, 70_000)


def _pair(t: ProxyTrial, *topics: bytes, name: str = "S") -> tuple[Publisher, Subscriber]:
    """Returns a publisher in front of the proxy, which also serves barriers, and the subscriber `name` to `topics`."""
    p = t.publisher("P")
    t.relay(p)
    return p, subscribed(t, name, *topics)


@case("Messages are forwarded in order, and each of them once", "ZMTP-F-10", "ZMTP-F-9", dialects=BOTH)
def in_order(t: ProxyTrial) -> None:
    t.step("S, behind the proxy, subscribes to everything; P, in front of it, sends 200 messages.")
    p, s = _pair(t, b"")
    messages = [(b"%d" % number,) for number in range(200)]
    for parts in messages:
        p.send(*parts)
    t.compare("S receives", messages, s.collect())


@case("Messages are forwarded whole and unchanged", "ZMTP-F-8", "ZMTP-P-8", "ZMTP-U-5", dialects=BOTH)
def whole(t: ProxyTrial) -> None:
    t.step(
        "S subscribes to 'm'; P sends messages of up to five frames: empty, short and long, with any bytes."
    )
    p, s = _pair(t, b"m")
    messages: list[tuple[bytes, ...]] = [(b"m", t.random_bytes(size)) for size in SIZES]
    messages += [(b"m", *(t.random_bytes(count),) * count) for count in range(5)]
    messages.append((b"m", b"", b"", b""))
    for parts in messages:
        p.send(*parts)
    t.step("Each message arrives unchanged.")
    for parts in messages:
        s.expect_message(*parts)


@case("A proxy does not forward messages that no subscriber requested", "ZMTP-S-7", "ZMTP-S-8", dialects=BOTH)
def unmatched_stays(t: ProxyTrial) -> None:
    t.step("S subscribes to 'a' and R to 'b'; P sends messages of 'a', of 'b', and of 'c'.")
    p, s = _pair(t, b"a")
    r = subscribed(t, "R", b"b")
    for topic in (b"a1", b"c1", b"b1", b"a2", b"c2", b"b2"):
        p.send(topic)
    t.step("Each subscriber receives the messages of its topic.")
    t.compare("S receives", [(b"a1",), (b"a2",)], s.collect())
    t.compare("R receives", [(b"b1",), (b"b2",)], r.collect())


@case(
    "A subscriber with many topics does not change what another subscriber receives",
    "ZMTP-S-7",
    "ZMTP-E-9",
    dialects=BOTH,
)
def greedy_neighbour(t: ProxyTrial) -> None:
    t.step("R subscribes to 'm', and S to 100 topics, for which the proxy may send it every message.")
    topics = [b"s%02d" % number for number in range(100)]
    p, r = _pair(t, b"m", name="R")
    s = subscribed(t, "S", *topics)
    t.step(
        "P sends a message of each topic, and one of no topic: R and S receive the messages of their topics."
    )
    for topic in (*topics, b"m1", b"x"):
        p.send(topic)
    t.compare("R receives", [(b"m1",)], r.collect(), "ZMTP-E-9")
    got = [parts for parts in s.collect() if parts[0] in topics]
    t.compare("besides unrequested messages, S receives", [(topic,) for topic in topics], got, "ZMTP-S-8")


@case("A message that matches several subscriptions is forwarded once", "ZMTP-F-9", dialects=BOTH)
def overlapping(t: ProxyTrial) -> None:
    t.step("S subscribes to 'a', to 'ab' and to the empty topic; P sends 'abc' and 'x'.")
    p, s = _pair(t, b"a", b"ab", b"")
    p.send(b"abc")
    p.send(b"x")
    t.step("S receives each message once.")
    t.compare("S receives", [(b"abc",), (b"x",)], s.collect())


@case("Messages of every publisher are forwarded", "ZMTP-U-4", "ZMTP-U-6")
def from_all(t: ProxyTrial) -> None:
    t.step("Three publishers in front of the proxy send ten messages each to S behind it.")
    publishers = [t.publisher(name) for name in ("P", "Q", "R")]
    s = subscribed(t, "S", b"")
    for number in range(10):
        for publisher in publishers:
            publisher.send(publisher.name.encode(), b"%d" % number)
    t.step("All messages arrive, and those of each publisher are in order.")
    seen = [parts for _ in range(30) if (parts := s.next_message()) is not None]
    for publisher in publishers:
        mine = [(publisher.name.encode(), b"%d" % number) for number in range(10)]
        t.compare(
            f"S receives of {publisher.name}", mine, [parts for parts in seen if parts[0] == mine[0][0]]
        )
