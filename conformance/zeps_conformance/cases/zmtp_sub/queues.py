"""Queues: one for each publisher, read in turn; a full queue does not affect other queues."""

from __future__ import annotations

from collections.abc import Callable

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zmtp_sub.handmade_publishers import deliver, fill
from zeps_conformance.sockets.pubsub import BOTH, V3_1, Publisher, PubSubTrial

SETTLE = 0.1  # seconds in which data sent over the loopback has reached the implementation's queues


@case("A publisher that sends many messages does not delay other publishers", "ZMTP-U-4", dialects=BOTH)
def in_turn(t: PubSubTrial) -> None:
    p, q, r = t.publisher("P"), t.publisher("Q"), t.publisher("R")
    t.app.subscribe(b"")
    t.step("P sends 100 messages, Q and R three each, and P 900 more. The application has not read yet.")
    message = t.wire.message(b"p", b"body")
    p.send_raw(message * 100, "100 messages")
    for other in (q, r):
        other.send_raw(t.wire.message(other.name.lower().encode(), b"body") * 3, "three messages")
    p.send_raw(message * 900, "900 messages")
    t.step("The application reads: the six messages of Q and R arrive while many of P's remain.")
    heads = _heads_until(t, 1006, lambda heads: heads.count(b"q") == heads.count(b"r") == 3)
    t.compare("the messages of Q and R", [3, 3], [heads.count(b"q"), heads.count(b"r")], "ZMTP-U-6")
    t.check(
        len(heads) <= 500, "the six among the first 500 of 1,006", f"the last of them is number {len(heads)}"
    )


def _heads_until(t: PubSubTrial, most: int, done: Callable[[list[bytes]], bool]) -> list[bytes]:
    """Returns the first frames of received messages, until they are `done` or `most`, or none arrives for 1 s."""
    heads: list[bytes] = []
    while len(heads) < most and not done(heads) and (parts := t.app.recv(1.0)) is not None:
        heads.append(parts[0])
    return heads


@case(
    "Messages for a full queue are dropped or delayed; the delivered ones are in order, each once",
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
    t.step("The application reads: messages in order, each once, and at least as many as the queue holds.")
    seen = t.app.take(500, 0.3)
    t.compare("the messages in order", sorted(set(seen)), seen, "ZMTP-F-10")
    t.check(len(seen) >= 10, "at least 10 messages", str(len(seen)), "ZMTP-U-6")
    t.observed(
        f"{len(seen)} of 500 arrive: " + ("nothing is dropped" if len(seen) == 500 else "some are dropped")
    )
    t.step("Then P's messages arrive again.")
    deliver(t, p, b"after")


@case("An application that does not read does not affect other connections", "ZMTP-U-3", dialects=BOTH)
def slow_application(t: PubSubTrial) -> None:
    p, q = t.publisher("P"), t.publisher("Q")
    q.barrier()
    t.app.subscribe(b"")
    t.step("P sends 3,000 messages that the application does not read.")
    p.send_raw(t.wire.message(b"p", bytes(50)) * 3000, "3,000 messages")
    p.read_available(SETTLE)
    t.step("Q still receives a subscription; R can connect.")
    t.app.subscribe(b"more")
    q.expect_subscribe(b"")
    q.expect_subscribe(b"more")
    r = t.publisher("R")
    t.step("The application reads: the messages of Q and R arrive.")
    q.send(b"q")
    r.send(b"r")
    heads = _heads_until(t, 3002, lambda heads: {b"q", b"r"} <= set(heads))
    t.check({b"q", b"r"} <= set(heads), "the messages of Q and R arrive", f"{len(heads)} other messages do")


@case(
    "An application that does not read does not keep other connections' PINGs from being answered",
    "ZMTP-H-3",
    "ZMTP-U-3",
    dialects=(V3_1,),
)
def heartbeats(t: PubSubTrial) -> None:
    t.open(rcvhwm=10)
    p, q = t.publisher("P"), t.publisher("Q")
    t.app.subscribe(b"")
    t.step(
        "P sends 500 messages that the application does not read; the queue holds 10. Q sends PING: it "
        "receives PONG."
    )
    p.send_raw(b"".join(t.wire.message(b"p", body) for body in fill(500)), "500 messages")
    p.read_available(SETTLE)
    q.ping(0, b"alive")
    q.expect_pong(b"alive")


@case("A socket that is not read does not affect other sockets", "ZMTP-U-3", dialects=BOTH)
def two_sockets(t: PubSubTrial) -> None:
    p = t.publisher("P")
    t.app.subscribe(b"")
    t.step("Another socket of the implementation, with a queue of 10 messages, is sent 500, and is not read.")
    other = t.socket("other", rcvhwm=10)
    listener = t.listener()
    other.connect(listener.endpoint)
    other.subscribe(b"")
    q = Publisher.accept(listener, "Q")
    q.expect_subscribe(b"")
    q.send_raw(b"".join(t.wire.message(body) for body in fill(500)), "500 messages")
    t.step("P's messages arrive meanwhile.")
    for number in range(50):
        deliver(t, p, b"%d" % number)
