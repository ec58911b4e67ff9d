"""Upstream traffic of XSUB besides subscriptions, and its final cancellations; SUB has neither."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zmtp_sub.handmade_publishers import called, greet, ready
from zeps_conformance.cases.zmtp_sub.subscribe import remaining_topics
from zeps_conformance.sockets.markers import show
from zeps_conformance.sockets.pubsub import BOTH, Frame, Publisher, PubSubTrial

XSUB = ("XSUB",)
SETTLE = 0.2  # seconds in which data under way over the loopback has arrived


@case(
    "Messages of the application reach every publisher, unchanged and in order",
    "ZMTP-U-12",
    "ZMTP-F-4",
    "ZMTP-F-10",
    types=XSUB,
    dialects=BOTH,
)
def messages(t: PubSubTrial) -> None:
    t.step(
        "The implementation is connected to P and Q; the application sends messages of several sizes and parts."
    )
    publishers = [t.publisher("P"), t.publisher("Q")]
    sent = [
        (b"hello",),
        (b"\xff\x00",),
        (b"two", b"parts"),
        (b"empty parts", b"", b""),
        (b"s" * 255,),
        (b"l" * 256,),
        (b"L" * 70_000, b"\xff"),
    ]
    for parts in sent:
        t.check(t.app.send(*parts), "the application sends", "it would block")
    t.step("Both publishers receive each of them.")
    for p in publishers:
        for parts in sent:
            p.expect_message(*parts)


@case("An empty message is sent upstream like any other", "ZMTP-U-12", types=XSUB, dialects=BOTH)
def empty(t: PubSubTrial) -> None:
    t.step("The application sends an empty message, and another message after it: P receives both.")
    p = t.publisher("P")
    t.app.send(b"")
    t.app.send(b"after")
    p.expect_message(b"")
    p.expect_message(b"after")


@case(
    "Only the beginning of a message distinguishes a subscription from a message",
    "ZMTP-U-12",
    "ZMTP-F-8",
    types=XSUB,
    dialects=BOTH,
)
def later_frames(t: PubSubTrial) -> None:
    t.step("The application sends a message whose last frame begins with %x00, and another message.")
    p = t.publisher("P")
    t.app.send(b"head", b"\x00tail")
    t.app.send(b"next")
    t.step("P receives both unchanged, and neither is a cancellation.")
    swallowed = "treats any frame that begins with %x00 as a cancellation, and drops it if it cancels nothing"
    t.compare(
        "the first message that P receives",
        (b"head", b"\x00tail"),
        p.next_message(),
        libzmq=(swallowed, (b"head", b"next")),
    )
    p.expect_message(b"next")
    t.compare("P's other input", [], p.events())


@case(
    "Messages and subscriptions keep their order",
    "ZMTP-F-10",
    "ZMTP-U-8",
    "ZMTP-U-12",
    types=XSUB,
    dialects=BOTH,
)
def between_subscriptions(t: PubSubTrial) -> None:
    t.step("The application subscribes, sends, cancels, and sends again; the frames arrive in this order.")
    p = greet(t, called(t))
    p.send_raw(ready(t), "READY")
    p.expect_command("READY")
    t.app.subscribe(b"topic")
    t.app.send(b"first")
    t.app.unsubscribe(b"topic")
    t.app.send(b"second")
    received = [_describe_frame(t, p.read_frame()) for _ in range(4)]
    t.compare("P receives", ["subscribe 'topic'", "'first'", "cancel 'topic'", "'second'"], received)


def _describe_frame(t: PubSubTrial, frame: Frame | None) -> str:
    """A frame as text: a subscription or a cancellation, in either form, or a message."""
    event = frame and t.wire.subscription(frame)
    if event:
        return f"{event[0]} {show((event[1],))}"
    return show((frame.body,)) if frame else "nothing"


@case("Sending without a publisher does not block", "ZMTP-U-13", types=XSUB)
def nobody_there(t: PubSubTrial) -> None:
    t.step("The application sends messages while it has no connection: it does not block.")
    for number in range(20):
        t.check(t.app.send(b"lost %d" % number), "the library accepts the message", "it would block")


@case(
    "A publisher that does not read neither blocks the application nor affects another publisher",
    "ZMTP-U-13",
    types=XSUB,
)
def full_queue(t: PubSubTrial) -> None:
    t.open(sndhwm=10)
    t.step(
        "The implementation is connected to P, which reads nothing, and to Q. The application sends 200 large messages."
    )
    p = t.publisher("P")
    q = t.publisher("Q")
    taken = 0
    for number in range(200):
        taken += t.app.send(b"%04d" % number, b"\xff" * 20_000)
        q.pump_if_open(0.0)
    t.compare("messages that the library accepted without blocking", 200, taken)
    t.step("Q is served normally; the messages that it received are in order, and each once.")
    q.read_available(SETTLE)
    seen = q.messages()
    t.compare("Q's messages in order", sorted(set(seen)), seen, "ZMTP-F-10")
    t.app.send(b"last")
    q.expect_message(b"last")
    t.step("P reads again: it receives messages in order, each once.")
    p.read_available(SETTLE)
    seen = p.messages()
    t.compare("P's messages in order", sorted(set(seen)), seen, "ZMTP-F-10")


def _taken_back(t: PubSubTrial, p: Publisher) -> None:
    """Checks that the implementation cancels the subscriptions to 'a' and 'b' at P, and then ends the connection."""
    events = list(iter(p.next_event, None))
    t.check(p.lost is not None, "the implementation ends the connection", "it is open")
    left = remaining_topics([("subscribe", b"a"), ("subscribe", b"b"), *events])
    t.compare("the remaining subscriptions when the connection ends", set(), left)


@case("XSUB cancels its subscriptions when it disconnects", "ZMTP-U-9", types=XSUB, dialects=BOTH)
def cancels_when_disconnecting(t: PubSubTrial) -> None:
    t.open(linger=500)
    t.step(
        "The application subscribes to 'a' and 'b', and disconnects from P: both are cancelled before the end."
    )
    p = t.publisher("P")
    t.app.subscribe(b"a", b"b")
    p.expect_subscribe(b"a")
    p.expect_subscribe(b"b")
    t.app.disconnect(p.listener.endpoint)
    _taken_back(t, p)


@case("XSUB cancels its subscriptions when it is closed", "ZMTP-U-9", types=XSUB, dialects=BOTH)
def cancels_when_closing(t: PubSubTrial) -> None:
    t.step(
        "Another socket of the implementation subscribes to 'a' and 'b', and is closed: both are cancelled "
        "first."
    )
    other = t.socket("other", linger=500)
    listener = t.listener()
    other.connect(listener.endpoint)
    p = Publisher.accept(listener, "P")
    other.subscribe(b"a", b"b")
    p.expect_subscribe(b"a")
    p.expect_subscribe(b"b")
    other.close()
    _taken_back(t, p)


@case("SUB sends no messages", "ZMTP-U-1", types=("SUB",), dialects=BOTH)
def sub_only_receives(t: PubSubTrial) -> None:
    t.step("The application of a SUB tries to send a message: no part of it is sent upstream.")
    p = t.publisher("P")
    answer = t.app.try_send(b"hello")
    t.observed("the library accepts it" if answer is None else f"the library refuses it: {answer}")
    p.expect_nothing("SUB only receives")
