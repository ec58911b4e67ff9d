"""Subscriptions and cancellations on the wire: their form, framing, number, and recipients."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zmtp_sub.handmade_publishers import deliver, topics
from zeps_conformance.sockets.pubsub import BOTH, V3_0, V3_1, App, Publisher, PubSubTrial

#: Topics that fail in programs that treat them as C strings, or that trim them.
TEXT = (b"", b"\x00", b"\x01", b"a", b"\x00\x00", b"a\x00b", b" ", b"\r\n", b"\x7f", "\u00e9".encode())
#: Topics that fail in programs that treat them as text.
BINARY_TOPICS = (b"\xff", b"\x00\xff", b"\xff\x00\x01", b"\xc3\x28", b"\x80")
SIZES = (0, 1, *range(244, 258))
LARGE = (300, 1000, 65_535, 65_536, 100_000)
QUEUE = 1000  # messages that a queue of libzmq holds by default
CROWD = 3 * QUEUE  # more than any queue holds, even if it is emptied once meanwhile
SETTLE = 0.2  # seconds in which data under way over the loopback has arrived

PASSED_ON = "the messages of an XSUB's application are forwarded unchanged"

Event = tuple[str, bytes]


def counts(events: Sequence[Event], topic: bytes) -> tuple[int, int]:
    """Returns the numbers of subscriptions to `topic` and of its cancellations in `events`."""
    return events.count(("subscribe", topic)), events.count(("cancel", topic))


def remaining_topics(events: Sequence[Event]) -> set[bytes]:
    """Returns the topics with more subscriptions than cancellations in `events`."""
    counts = Counter[bytes]()
    for what, topic in events:
        counts[topic] += 1 if what == "subscribe" else -1
    return {topic for topic, count in counts.items() if count > 0}


@case(
    "In version 3.0 subscriptions and cancellations are messages that begin with %x01 and %x00",
    "ZMTP-S-1",
    "ZMTP-S-2",
    "ZMTP-S-5",
    "ZMTP-U-7",
    "ZMTP-F-11",
    dialects=(V3_0,),
)
def as_message(t: PubSubTrial) -> None:
    t.step("The application subscribes to problematic topics, and cancels each: P receives messages.")
    _check_form(t, TEXT)


@case(
    "In version 3.1 subscriptions and cancellations are the commands SUBSCRIBE and CANCEL",
    "ZMTP-S-3",
    "ZMTP-S-4",
    "ZMTP-U-7",
    "ZMTP-F-14",
    dialects=(V3_1,),
)
def as_command(t: PubSubTrial) -> None:
    t.step("The application subscribes to problematic topics, and cancels each: P receives commands.")
    _check_form(t, TEXT)


@case("Topics are bytes, not text", "ZMTP-S-1", "ZMTP-S-2", "ZMTP-S-3", "ZMTP-S-4", dialects=BOTH)
def any_octets(t: PubSubTrial) -> None:
    t.step(
        "The application subscribes to topics that are not text, and cancels each: P receives them unchanged."
    )
    _check_form(t, BINARY_TOPICS)


def _check_form(t: PubSubTrial, names: Sequence[bytes]) -> None:
    p = t.publisher("P")
    passed_on = PASSED_ON if t.type == "XSUB" and t.dialect is V3_1 else None
    for topic in names:
        t.app.subscribe(topic)
        p.expect_subscribe(topic, form=True, libzmq=passed_on)
    for topic in names:
        t.app.unsubscribe(topic)
        p.expect_cancel(topic, form=True, libzmq=passed_on)


@case(
    "Topics near the limit of a short frame are framed by the size of the whole body",
    "ZMTP-S-6",
    "ZMTP-F-2",
    "ZMTP-F-4",
    "ZMTP-F-5",
    dialects=BOTH,
)
def sizes(t: PubSubTrial) -> None:
    t.step(
        "The application subscribes to topics of 0, 1 and 244 to 257 bytes: frames are long from 256 bytes "
        "of body."
    )
    _check_framing(t, SIZES)


@case(
    "A publisher that connects later receives topics near the limit of a short frame",
    "ZMTP-S-6",
    "ZMTP-F-2",
    "ZMTP-U-15",
    dialects=BOTH,
)
def sizes_anew(t: PubSubTrial) -> None:
    t.step(
        "The application subscribes to topics of 0, 1 and 244 to 257 bytes; then Q connects, and receives "
        "them all."
    )
    names = topics(t, *SIZES)
    p = t.publisher("P")
    for topic in names:
        t.app.subscribe(topic)
        p.expect_subscribe(topic)
    q = t.publisher("Q")
    t.compare("the topics that Q has", set(names), remaining_topics(q.events()), "ZMTP-U-15")
    q.barrier()


@case("Topics may be large", "ZMTP-S-6", "ZMTP-F-2", dialects=BOTH)
def large(t: PubSubTrial) -> None:
    t.step("The application subscribes to topics of 300 to 100,000 bytes, which arrive in long frames.")
    _check_framing(t, LARGE)


def _check_framing(t: PubSubTrial, lengths: Sequence[int]) -> None:
    names = topics(t, *lengths)
    p = t.publisher("P")
    for topic in names:
        t.app.subscribe(topic)
        frame = p.expect_subscribe(topic)
        proper = t.wire.subscribe(topic, V3_1 if frame.command else V3_0)
        t.compare(f"the subscription to {len(topic)} bytes", proper, frame.encoded, "ZMTP-S-6")
    t.step("It cancels them; the cancellations are framed by their own sizes.")
    for topic in names:
        t.app.unsubscribe(topic)
        frame = p.expect_cancel(topic)
        proper = t.wire.cancel(topic, V3_1 if frame.command else V3_0)
        t.compare(f"the cancellation of {len(topic)} bytes", proper, frame.encoded, "ZMTP-S-6")


@case(
    "Subscriptions and cancellations are single frames without reserved flags",
    "ZMTP-F-1",
    "ZMTP-F-2",
    "ZMTP-F-3",
    dialects=BOTH,
)
def flags(t: PubSubTrial) -> None:
    p = t.publisher("P")
    t.step(
        "The application subscribes and cancels; the flags are those of a command or a message, and no "
        "others."
    )
    t.app.subscribe(b"topic")
    t.app.unsubscribe(b"topic")
    for frame in (p.expect_subscribe(b"topic"), p.expect_cancel(b"topic")):
        proper = t.wire.frame(frame.body, command=frame.command)[0]
        t.compare("the flags", f"{proper:#04x}", f"{frame.flags:#04x}")


@case(
    "Subscriptions made before a connection exists are sent when it is established",
    "ZMTP-U-15",
    "ZMTP-U-7",
    dialects=BOTH,
)
def before_connecting(t: PubSubTrial) -> None:
    t.step("The application subscribes to three topics, cancels one of them, and then connects to P.")
    t.app.subscribe(b"a", b"ab", b"")
    t.app.unsubscribe(b"ab")
    p = t.publisher("P")
    t.step("P receives the two remaining topics.")
    t.compare("the topics that P has", {b"a", b""}, remaining_topics(p.events()))
    t.step("P's message arrives.")
    deliver(t, p, b"a", b"body")


@case("A bound subscriber sends its subscriptions to each peer that connects", "ZMTP-U-7", dialects=BOTH)
def bound(t: PubSubTrial) -> None:
    t.step("P connects to the implementation; the application subscribes to 'a', and P receives it.")
    p = t.publisher("P", dial=True)
    p.barrier()
    t.app.subscribe(b"a")
    p.expect_subscribe(b"a")
    t.step("It subscribes to 'b' and cancels 'a': P receives both.")
    t.app.subscribe(b"b")
    t.app.unsubscribe(b"a")
    p.expect_subscribe(b"b")
    p.expect_cancel(b"a")
    t.step("Q connects, and receives 'b'.")
    q = t.publisher("Q", dial=True)
    t.compare("the topics that Q has", {b"b"}, remaining_topics(q.events()))


@case("Every publisher receives every subscription and cancellation", "ZMTP-U-7", "ZMTP-U-1", dialects=BOTH)
def every_publisher(t: PubSubTrial) -> None:
    t.step(
        "The implementation connects to three publishers; each receives each subscription and cancellation."
    )
    publishers = [t.publisher(name) for name in "PQR"]
    for p in publishers:
        p.barrier()
    t.app.subscribe(b"a", b"b", b"")
    t.app.unsubscribe(b"b")
    for p in publishers:
        for topic in (b"a", b"b", b""):
            p.expect_subscribe(topic)
        p.expect_cancel(b"b")
    t.step(
        "A fourth, which connects later, receives the remaining ones; the messages of each publisher arrive."
    )
    late = t.publisher("S")
    t.compare("the topics that S has", {b"a", b""}, remaining_topics(late.events()))
    for p in (*publishers, late):
        deliver(t, p, b"from", p.name.encode())


@case(
    "Publishers of both versions receive their own form, side by side",
    "ZMTP-S-5",
    "ZMTP-S-1",
    "ZMTP-S-3",
    "ZMTP-G-21",
    dialects=(V3_1,),
)
def mixed_dialects(t: PubSubTrial) -> None:
    t.step("The implementation connects to P of version 3.0 and to Q of version 3.1.")
    p, q = t.publisher("P", V3_0), t.publisher("Q", V3_1)
    p.barrier()
    q.barrier()
    t.step("Both receive the application's subscriptions and cancellations, each in its own form.")
    t.app.subscribe(b"topic")
    t.app.unsubscribe(b"topic")
    for publisher in (p, q):
        passed_on = PASSED_ON if t.type == "XSUB" and publisher is q else None
        publisher.expect_subscribe(b"topic", form=True, libzmq=passed_on)
        publisher.expect_cancel(b"topic", form=True, libzmq=passed_on)


@case(
    "A topic subscribed to twice and cancelled twice has as many cancellations as subscriptions",
    "ZMTP-S-12",
    dialects=BOTH,
)
def balance(t: PubSubTrial) -> None:
    p = t.publisher("P")
    t.step("The application subscribes to 'x' twice and cancels both; P counts.")
    for _ in range(2):
        t.app.subscribe(b"x")
    for _ in range(2):
        t.app.unsubscribe(b"x")
    _check_balance(t, p, b"x", 2)


@case(
    "Subscriptions and cancellations balance, however often a topic is subscribed to",
    "ZMTP-S-12",
    dialects=BOTH,
)
def balance_of_many(t: PubSubTrial) -> None:
    p = t.publisher("P")
    t.step("The application subscribes to 'y' seven times and cancels all, but never more than it has.")
    for _ in range(4):
        t.app.subscribe(b"y")
    for _ in range(2):
        t.app.unsubscribe(b"y")
    for _ in range(3):
        t.app.subscribe(b"y")
    for _ in range(5):
        t.app.unsubscribe(b"y")
    _check_balance(t, p, b"y", 7)


def _check_balance(t: PubSubTrial, p: Publisher, topic: bytes, count: int) -> None:
    subscribed, cancelled = counts(p.events(), topic)
    t.check(
        subscribed == cancelled > 0,
        "as many cancellations as subscriptions",
        f"{subscribed} subscriptions and {cancelled} cancellations",
        libzmq="sends every subscription, but only the last cancellation"
        if (subscribed, cancelled) == (count, 1)
        else None,
    )


@case("A topic subscribed to twice and cancelled once is still subscribed to", "ZMTP-S-12", dialects=BOTH)
def one_of_two(t: PubSubTrial) -> None:
    p = t.publisher("P")
    t.step("The application subscribes to 'x' twice and cancels once: P still has it.")
    t.app.subscribe(b"x", b"x")
    t.app.unsubscribe(b"x")
    subscribed, cancelled = counts(p.events(), b"x")
    t.check(
        subscribed > cancelled,
        "more subscriptions than cancellations",
        f"{subscribed} subscriptions and {cancelled} cancellations",
    )
    t.step("P sends 'x': the application receives it.")
    deliver(t, p, b"x1")


@case("Topics with a common beginning are subscribed to separately", "ZMTP-S-12", "ZMTP-U-6", dialects=BOTH)
def overlapping(t: PubSubTrial) -> None:
    p = t.publisher("P")
    t.step("The application subscribes to 'a', 'ab' and '', and cancels 'a'.")
    t.app.subscribe(b"a", b"ab", b"")
    t.app.unsubscribe(b"a")
    events = p.events()
    t.compare("the topics that P has", {b"ab", b""}, remaining_topics(events))
    t.step("It cancels '': messages of 'ab' still arrive.")
    t.app.unsubscribe(b"")
    t.compare("the topics that P has now", {b"ab"}, remaining_topics([*events, *p.events()]))
    deliver(t, p, b"abc")


@case("A cancelled topic can be subscribed to again", "ZMTP-S-12", "ZMTP-F-10", dialects=BOTH)
def again(t: PubSubTrial) -> None:
    p = t.publisher("P")
    t.step("The application subscribes to 'x' and cancels it, ten times, and subscribes once more.")
    for _ in range(10):
        t.app.subscribe(b"x")
        t.app.unsubscribe(b"x")
    t.app.subscribe(b"x")
    t.step("P, which reads all of it in order, has 'x', and its message arrives.")
    expected = [("subscribe", b"x"), ("cancel", b"x")] * 10 + [("subscribe", b"x")]
    t.compare("P's input", expected, p.events(), "ZMTP-F-10")
    deliver(t, p, b"x1")


@case("A topic cancelled without a subscription can be subscribed to", "ZMTP-S-12", dialects=BOTH)
def never_had(t: PubSubTrial) -> None:
    p = t.publisher("P")
    t.step("The application cancels a topic that it never subscribed to, if the implementation allows it.")
    answer = t.app.try_unsubscribe(b"never")
    t.observed("is accepted" if answer is None else f"is refused: {answer}")
    cancelled = counts(p.events(), b"never")[1]
    t.observed("P receives a cancellation" if cancelled else "P receives nothing")
    t.step("A subscription to the same topic is sent, and takes effect.")
    t.app.subscribe(b"never")
    p.expect_subscribe(b"never")
    deliver(t, p, b"never1")


@case("Many subscriptions arrive, and as many cancellations", "ZMTP-U-7", "ZMTP-F-10", dialects=BOTH)
def many(t: PubSubTrial) -> None:
    p = t.publisher("P")
    t.step("The application subscribes to 500 topics and cancels every other one.")
    names = [b"topic-%04d" % number for number in range(500)]
    t.app.subscribe(*names)
    t.app.unsubscribe(*names[::2])
    t.compare("the number of topics that P has", 250, len(remaining_topics(p.events()) & set(names[1::2])))
    t.step("P's message of one of those topics arrives.")
    deliver(t, p, names[499], b"body")


@case("Thousands of subscriptions are not lost", "ZMTP-U-7", dialects=BOTH)
def beyond_the_queue(t: PubSubTrial) -> None:
    other = t.socket("other")
    listener = t.listener()
    other.connect(listener.endpoint)
    p = Publisher.accept(listener, "P", opposite=other)
    t.step(f"The application subscribes to {CROWD:,} topics without receiving messages; then P reads.")
    _subscribe_to_many(other)
    _check_crowd(t, p)


@case(
    "A publisher that connects later receives thousands of subscriptions",
    "ZMTP-U-7",
    "ZMTP-U-15",
    dialects=BOTH,
)
def beyond_a_new_queue(t: PubSubTrial) -> None:
    other = t.socket("other")
    t.step(f"The application subscribes to {CROWD:,} topics, and then connects to P.")
    _subscribe_to_many(other)
    listener = t.listener()
    other.connect(listener.endpoint)
    _check_crowd(t, Publisher.accept(listener, "P", opposite=other))


def _subscribe_to_many(app: App) -> None:
    for number in range(CROWD):
        app.subscribe(b"topic-%04d" % number)


def _check_crowd(t: PubSubTrial, p: Publisher) -> None:
    events: list[Event] = []
    while len(events) < CROWD and (event := p.next_event(t.options.timeout)) is not None:
        events.append(event)
    seen = len(remaining_topics(events))
    dropped = "drops subscriptions when a queue is full, as it drops messages"
    t.check(
        seen == CROWD,
        f"P has {CROWD:,} topics",
        f"{seen:,}",
        libzmq=dropped if QUEUE <= seen < CROWD else None,
    )


@case("A publisher that does not read does not delay the subscriptions of other publishers", "ZMTP-U-13")
def slow_publisher(t: PubSubTrial) -> None:
    t.step("The implementation connects to P, which stops reading, and to Q.")
    p = t.publisher("P")
    q = t.publisher("Q")
    t.step("The application subscribes to 120 topics of 100,000 bytes without delay, and Q receives all.")
    names = [b"%03d" % number + bytes(100_000) for number in range(120)]
    t.app.subscribe(*names)
    t.compare("the number of topics that Q has", len(names), len(remaining_topics(q.events()) & set(names)))
    t.step("P reads again, and receives all as well.")
    t.compare("the number of topics that P has", len(names), len(remaining_topics(p.events()) & set(names)))
