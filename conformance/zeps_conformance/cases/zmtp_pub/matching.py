"""Which messages a subscriber gets."""

from __future__ import annotations

from zeps_conformance.pubsub import BOTH, NEGATIVE, Trial, case


@case(
    "zmtp-pub.matching.prefix",
    "A message is matched by the beginning of its first frame",
    "ZMTP-S-8",
    "ZMTP-S-7",
    dialects=BOTH,
)
def prefix(t: Trial) -> None:
    t.step("A subscribes to 'ab'.")
    a = t.subscriber("A")
    a.subscribe(b"ab")
    a.barrier()
    t.step("The application sends 'ab', 'abc', 'a' and 'xab': the first two come.")
    for topic in (b"ab", b"abc", b"a", b"xab"):
        t.app.send(topic)
    t.compare("A receives", [(b"ab",), (b"abc",)], a.collect())


@case(
    "zmtp-pub.matching.cancelled-once",
    "A topic that was subscribed to twice has to be cancelled twice",
    "ZMTP-S-11",
    dialects=BOTH,
)
def cancelled_once(t: Trial) -> None:
    t.step("A subscribes to 'x' twice, and cancels once: messages still come.")
    a = t.subscriber("A")
    a.subscribe(b"x")
    a.subscribe(b"x")
    a.cancel(b"x")
    a.barrier()
    t.app.send(b"x1")
    a.expect_message(b"x1", libzmq="one cancellation ends both subscriptions")
    t.step("A cancels a second time: they come no more.")
    a.cancel(b"x")
    a.barrier()
    t.app.send(b"x2")
    a.expect_nothing("both subscriptions are over")


@case(
    "zmtp-pub.matching.size-too-large",
    "A frame of more than 2^63-1 octets is refused",
    "ZMTP-F-7",
    polarity=NEGATIVE,
)
def size_too_large(t: Trial) -> None:
    t.step("A, with its handshake complete, begins a frame of 2^63 octets.")
    a = t.subscriber("A")
    a.send_raw(bytes.fromhex("02 8000000000000000"), "a frame of 2^63 octets")
    a.expect_closed()
