"""Delivery to the application: whole messages, unchanged, in order, each once."""

from __future__ import annotations

from collections.abc import Callable

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zmtp_sub.handmade_publishers import deliver, fill, prompt
from zeps_conformance.cases.zmtp_sub.reconnect import back
from zeps_conformance.sockets.pubsub import BOTH, NEGATIVE, Publisher, PubSubTrial

SETTLE = 0.05  # seconds within which a message under way has arrived


@case(
    "Messages are delivered unchanged, whatever bytes they contain",
    "ZMTP-U-5",
    "ZMTP-U-6",
    "ZMTP-F-11",
    dialects=BOTH,
)
def unchanged(t: PubSubTrial) -> None:
    p = t.publisher("P")
    t.app.subscribe(b"")
    t.step("P sends messages that look like text, like subscriptions, like commands, and like random bytes.")
    for body in (
        b"",
        b"\x00",
        b"\x01",
        b"\x00topic",
        b"\x01topic",
        b"\xff\x00\xff",
        b"\x04PING\x00\x00",
        b"\x09SUBSCRIBE",
        b"\x05READY",
        bytes(range(256)),
        bytes(1000),
        t.random_bytes(500),
    ):
        deliver(t, p, body)


@case("Messages are delivered in order, each once", "ZMTP-F-10", "ZMTP-F-9", "ZMTP-U-6", dialects=BOTH)
def in_order(t: PubSubTrial) -> None:
    p = t.publisher("P")
    t.app.subscribe(b"")
    t.step("P sends 600 numbered messages in 600 writes; the application receives exactly these.")
    bodies = fill(600)
    for body in bodies:
        p.send(body)
    t.compare("the application receives", [(body,) for body in bodies], t.app.take(len(bodies)))
    t.app.expect_nothing("each was delivered")


@case("A message that matches several subscriptions is delivered once", "ZMTP-F-9", dialects=BOTH)
def overlapping(t: PubSubTrial) -> None:
    p = t.publisher("P")
    t.step("The application subscribes to '', 'a', 'ab' and 'ab' again; P sends 'abc' and 'abd' once each.")
    t.app.subscribe(b"", b"a", b"ab", b"ab")
    p.send(b"abc")
    p.send(b"abd")
    t.step("The application receives each of them once.")
    t.app.expect(b"abc")
    t.app.expect(b"abd")
    p.barrier()
    t.app.expect_nothing("each was delivered once")


@case(
    "Messages of several frames are delivered whole, with their empty frames",
    "ZMTP-F-8",
    "ZMTP-U-5",
    dialects=BOTH,
)
def multipart(t: PubSubTrial) -> None:
    p = t.publisher("P")
    t.app.subscribe(b"")
    t.step("P sends messages of 2 to 200 frames, empty ones at the beginning, in the middle and at the end.")
    for parts in (
        (b"a", b"b"),
        (b"", b"body"),
        (b"topic", b""),
        (b"", b"", b""),
        (b"a", b"", b"\x01x", b"\x00", b"c" * 300),
        tuple(b"%d" % number for number in range(200)),
    ):
        deliver(t, p, *parts)


@case("No part of a message is delivered before its last frame has arrived", "ZMTP-F-8", dialects=BOTH)
def frame_by_frame(t: PubSubTrial) -> None:
    p, q = t.publisher("P"), t.publisher("Q")
    t.app.subscribe(b"")
    t.step(
        "P sends a message frame by frame; a message of Q arrives after each frame; the last frame is sent "
        "at the end."
    )
    for body in (b"a", b"b", b"c"):
        p.send_frame(body, more=True)
        q.barrier()
        t.app.expect_nothing("the message is incomplete", grace=SETTLE)
    p.send_frame(b"d")
    t.app.expect(b"a", b"b", b"c", b"d")


@case("Frames of several publishers are not mixed", "ZMTP-F-8", "ZMTP-U-1", dialects=BOTH)
def interleaved(t: PubSubTrial) -> None:
    p, q = t.publisher("P"), t.publisher("Q")
    t.app.subscribe(b"")
    t.step("P and Q send their frames alternately; each message is delivered with its own frames.")
    for part in (b"1", b"2", b"3"):
        p.send_frame(b"p" + part, more=True)
        q.send_frame(b"q" + part, more=True)
    p.send_frame(b"p4")
    q.send_frame(b"q4")
    t.app.expect_any_order((b"p1", b"p2", b"p3", b"p4"), (b"q1", b"q2", b"q3", b"q4"))


@case(
    "A message whose publisher closes in the middle is not delivered",
    "ZMTP-F-8",
    polarity=NEGATIVE,
    dialects=BOTH,
)
def cut_by_close(t: PubSubTrial) -> None:
    t.step(
        "One publisher after the other closes its connection in the middle of a message, while Q's "
        "messages arrive."
    )
    _check_cuts(t, Publisher.close)


@case(
    "A message whose publisher resets the connection in the middle is not delivered",
    "ZMTP-F-8",
    polarity=NEGATIVE,
    dialects=BOTH,
)
def cut_by_reset(t: PubSubTrial) -> None:
    t.step(
        "One publisher after the other resets its connection in the middle of a message, while Q's "
        "messages arrive."
    )
    _check_cuts(t, Publisher.reset)


def _check_cuts(t: PubSubTrial, end: Callable[[Publisher], None]) -> None:
    t.app.subscribe(b"")
    q = t.publisher("Q")
    two = t.wire.frame(b"cut", more=True) + t.wire.frame(b"message", more=True)
    for index, (what, data) in enumerate(
        (
            ("two of three frames", two),
            ("two frames and a half", two + t.wire.frame(b"the rest")[:5]),
            ("a frame without its last byte", t.wire.frame(b"whole")[:-1]),
            ("the head of a long frame", t.wire.frame(b"", long=True)[:6]),
        )
    ):
        t.step(f"P{index} sends {what}, and disconnects: nothing of it is delivered.")
        p = t.publisher(f"P{index}", dial=True)
        p.send_raw(data, what)
        q.barrier()
        end(p)
        t.step(f"R{index} connects, and sends a whole message: only that message is delivered.")
        t.publisher(f"R{index}", dial=True).send(b"whole", b"message")
        t.app.expect(b"whole", b"message")


@case(
    "A truncated message does not continue when its publisher reconnects",
    "ZMTP-U-14",
    "ZMTP-F-8",
    dialects=BOTH,
)
def cut_and_back(t: PubSubTrial) -> None:
    prompt(t)
    t.step("P sends two of three frames, and disconnects. It reconnects, and sends a whole message.")
    p = t.publisher("P")
    t.app.subscribe(b"")
    p.barrier()
    p.send_raw(t.wire.frame(b"cut", more=True) + t.wire.frame(b"message", more=True), "two frames of three")
    p.close()
    again = back(t, p)
    t.step("Only the whole message is delivered.")
    again.send(b"whole", b"message")
    t.app.expect(b"whole", b"message", rule="ZMTP-F-8")
    again.barrier()
    t.app.expect_nothing("the other message was truncated", rule="ZMTP-F-8")


@case("Only the first frame is compared with subscriptions", "ZMTP-U-6", "ZMTP-S-13", dialects=BOTH)
def first_frame(t: PubSubTrial) -> None:
    p = t.publisher("P")
    t.step(
        "The application subscribes to 'topic'; P sends messages whose first frames match and whose later "
        "frames do not."
    )
    t.app.subscribe(b"topic")
    _expect_each(t, p, (b"topic", b"other"), (b"topic",), (b"topical", b"", b"x"))


@case("A topic of any bytes matches the messages that begin with it", "ZMTP-U-6", "ZMTP-S-13", dialects=BOTH)
def matching_octets(t: PubSubTrial) -> None:
    p = t.publisher("P")
    t.step("The application subscribes to %x00%xFF and to %x80; P sends matching messages.")
    t.app.subscribe(b"\x00\xff", b"\x80")
    _expect_each(t, p, (b"\x00\xff", b"a"), (b"\x00\xff\x00", b"b"), (b"\x80",), (b"\x80\x00\xff", b"\xff"))


def _expect_each(t: PubSubTrial, p: Publisher, *messages: tuple[bytes, ...]) -> None:
    """Checks that the application receives each of `messages` that P sends."""
    for parts in messages:
        deliver(t, p, *parts)


@case(
    "A subscriber may filter messages itself, and XSUB may too", "ZMTP-S-13", dialects=BOTH, subject="filter"
)
def filtered(t: PubSubTrial) -> None:
    p = t.publisher("P")
    t.step("The application subscribes to 'a'; P sends unrequested messages between requested ones.")
    t.app.subscribe(b"a")
    p.expect_subscribe(b"a")
    for topic in (b"a1", b"b", b"", b"A", b"a2"):
        p.send(topic)
    p.barrier()
    seen = t.app.collect()
    t.check(
        [parts for parts in seen if parts[0].startswith(b"a")] == [(b"a1",), (b"a2",)],
        "'a1' and 'a2', in this order",
        repr(seen),
        "ZMTP-U-6",
    )
    t.observed("filters" if len(seen) == 2 else "does not filter")


@case("After a cancellation, messages may still be under way", "ZMTP-S-13", dialects=BOTH)
def taken_back(t: PubSubTrial) -> None:
    p = t.publisher("P")
    t.step(
        "The application subscribes to 'a' and cancels it; P, which has not read the cancellation yet, "
        "sends 'a'."
    )
    t.app.subscribe(b"a")
    p.expect_subscribe(b"a")
    t.app.unsubscribe(b"a")
    p.send(b"a")
    p.barrier()
    t.observed("it is delivered" if t.app.collect() else "it is not delivered")


@case(
    "Messages of many publishers arrive, those of each publisher in order",
    "ZMTP-U-1",
    "ZMTP-F-10",
    "ZMTP-F-9",
    dialects=BOTH,
)
def many_publishers(t: PubSubTrial) -> None:
    t.step("The implementation is connected to eight publishers, each of which sends 50 messages.")
    publishers = [t.publisher(f"P{index}") for index in range(8)]
    t.app.subscribe(b"")
    for number in range(50):
        for p in publishers:
            p.send(p.name.encode(), b"%d" % number)
    seen = t.app.take(8 * 50)
    t.step("All messages arrive; those of each publisher are in order.")
    for p in publishers:
        sent = [(p.name.encode(), b"%d" % number) for number in range(50)]
        mine = [parts for parts in seen if parts[0] == p.name.encode()]
        right = [parts for parts in sent if parts in mine]
        t.compare(f"{p.name}'s messages, in order and once:", right, mine, "ZMTP-F-10")
        t.compare(f"the messages of {p.name}", sent, mine)
