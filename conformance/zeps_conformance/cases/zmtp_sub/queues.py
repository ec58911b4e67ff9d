"""Queues: one for each publisher, taken in turn, and full without harm to others."""

from __future__ import annotations

from collections.abc import Callable

from zeps_conformance.cases.zmtp_sub.handmade_publishers import fill
from zeps_conformance.sockets.pubsub import BOTH, V3_1, Publisher, PubSubTrial, case

SETTLE = 0.1  # seconds in which what was sent over the loopback is in the implementation's queues


@case(
    "zmtp-sub.queues.in-turn",
    "A publisher that sends much does not keep the others waiting",
    "ZMTP-U-4",
    dialects=BOTH,
)
def in_turn(t: PubSubTrial) -> None:
    p, q, r = t.publisher("P"), t.publisher("Q"), t.publisher("R")
    t.app.subscribe(b"")
    t.step(
        "P sends 100 messages, Q and R three each, and P 900 more. The application has not read anything yet."
    )
    message = t.wire.message(b"p", b"body")
    p.send_raw(message * 100, "100 messages")
    for other in (q, r):
        other.send_raw(t.wire.message(other.name.lower().encode(), b"body") * 3, "three messages")
    p.send_raw(message * 900, "900 messages")
    t.step("The application reads: the six of Q and R come while there is still much of P.")
    heads = _heads_until(t, 1006, lambda heads: heads.count(b"q") == heads.count(b"r") == 3)
    t.compare("the messages of Q and R", [3, 3], [heads.count(b"q"), heads.count(b"r")], "ZMTP-U-6")
    t.check(
        len(heads) <= 500, "the six among the first 500 of 1,006", f"the last of them is number {len(heads)}"
    )


def _heads_until(t: PubSubTrial, most: int, done: Callable[[list[bytes]], bool]) -> list[bytes]:
    """The first frames of the messages that the application receives, until they are what is waited for."""
    heads: list[bytes] = []
    while len(heads) < most and not done(heads) and (parts := t.app.recv(1.0)) is not None:
        heads.append(parts[0])
    return heads


@case(
    "zmtp-sub.queues.full",
    "Messages for a full queue are dropped or wait; those that are delivered are in order, each once",
    "ZMTP-U-3",
    "ZMTP-F-9",
    "ZMTP-F-10",
    dialects=BOTH,
)
def full(t: PubSubTrial) -> None:
    t.open(rcvhwm=10)
    p = t.publisher("P")
    t.app.subscribe(b"")
    t.step("The queue holds 10 messages, and the application does not read; P sends 500.")
    p.send_raw(b"".join(t.wire.message(body) for body in fill(500)), "500 messages")
    p.read_available(SETTLE)
    t.step("The application reads: in order, each once, and at least those that the queue holds.")
    numbers = [int(parts[0]) for parts in t.app.take(500, 0.3)]
    t.compare("what comes", sorted(set(numbers)), numbers, "ZMTP-F-10")
    t.check(len(numbers) >= 10, "at least 10 messages", str(len(numbers)), "ZMTP-U-6")
    t.observed(
        f"{len(numbers)} of 500 come: "
        + ("nothing is dropped" if len(numbers) == 500 else "some are dropped")
    )
    t.step("Then P is heard again.")
    p.send(b"after")
    t.app.expect(b"after")


@case(
    "zmtp-sub.queues.slow-application",
    "An application that does not read harms no other connection",
    "ZMTP-U-3",
    dialects=BOTH,
)
def slow_application(t: PubSubTrial) -> None:
    p, q = t.publisher("P"), t.publisher("Q")
    q.barrier()
    t.app.subscribe(b"")
    t.step("P sends 3,000 messages that the application does not read.")
    p.send_raw(t.wire.message(b"p", bytes(50)) * 3000, "3,000 messages")
    p.read_available(SETTLE)
    t.step("Q gets a subscription all the same; R can connect.")
    t.app.subscribe(b"more")
    q.expect_subscribe(b"")
    q.expect_subscribe(b"more")
    r = t.publisher("R")
    t.step("The application reads: what Q and R send arrives.")
    q.send(b"q")
    r.send(b"r")
    heads = _heads_until(t, 3002, lambda heads: {b"q", b"r"} <= set(heads))
    t.check({b"q", b"r"} <= set(heads), "the messages of Q and R arrive", f"{len(heads)} others do")


@case(
    "zmtp-sub.queues.heartbeats",
    "An application that does not read keeps other connections' PINGs from no answer",
    "ZMTP-H-3",
    "ZMTP-U-3",
    dialects=(V3_1,),
)
def heartbeats(t: PubSubTrial) -> None:
    t.open(rcvhwm=10)
    p, q = t.publisher("P"), t.publisher("Q")
    t.app.subscribe(b"")
    t.step(
        "P sends 500 messages that the application does not read; the queue holds 10. Q sends PING: PONG comes."
    )
    p.send_raw(b"".join(t.wire.message(b"p", body) for body in fill(500)), "500 messages")
    p.read_available(SETTLE)
    q.ping(0, b"alive")
    q.expect_pong(b"alive")


@case(
    "zmtp-sub.queues.two-sockets",
    "A socket that is not read harms no other socket",
    "ZMTP-U-3",
    dialects=BOTH,
)
def two_sockets(t: PubSubTrial) -> None:
    p = t.publisher("P")
    t.app.subscribe(b"")
    t.step(
        "Another socket of the implementation's, with a queue of 10 messages, is sent 500, and does not read."
    )
    other = t.socket("other", rcvhwm=10)
    listener = t.listener()
    other.connect(listener.endpoint)
    other.subscribe(b"")
    q = Publisher.accept(listener, "Q")
    q.expect_subscribe(b"")
    q.send_raw(b"".join(t.wire.message(body) for body in fill(500)), "500 messages")
    t.step("P is heard meanwhile.")
    for number in range(50):
        p.send(b"%d" % number)
        t.app.expect(b"%d" % number)
