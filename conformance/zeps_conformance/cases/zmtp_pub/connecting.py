"""Publishers that connect to subscribers, and reconnect."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.subscribers import received
from zeps_conformance.cases.zmtp_pub.topics import drain_notices, listing
from zeps_conformance.sockets.pubsub import BOTH, NEGATIVE, V3_1, Listener, PubSubTrial, Subscriber


def _connected(t: PubSubTrial, **options: int) -> tuple[Listener, Subscriber]:
    """Opens the publisher with `options`, connected to a new listener; returns that and the connection's subscriber."""
    t.open(**options)
    listener = t.listener()
    t.app.connect(listener.endpoint)
    return listener, Subscriber.accept(listener, "A")


@case(
    "A publisher that connects serves subscribers as a publisher that binds does",
    "ZMTP-P-1",
    "ZMTP-S-8",
    "ZMTP-S-10",
    dialects=BOTH,
)
def serves(t: PubSubTrial) -> None:
    t.step("The publisher connects to A, which subscribes to 'x' and 'y' and cancels 'y'.")
    _, a = _connected(t)
    a.subscribe(b"x", b"y")
    a.cancel(b"y")
    a.barrier()
    for topic in (b"x1", b"y1", b""):
        t.app.send(topic, b"body")
    t.compare("A receives", [(b"x1", b"body")], a.collect(), "ZMTP-S-8")


@case("A publisher connects to several subscribers, and is bound too", "ZMTP-P-1", "ZMTP-P-3")
def several(t: PubSubTrial) -> None:
    t.step("The publisher connects to A and B; C connects to it. All three subscribe.")
    peers = []
    for name in "AB":
        listener = t.listener()
        t.app.connect(listener.endpoint)
        peers.append(Subscriber.accept(listener, name))
    peers.append(t.subscriber("C"))
    for peer in peers:
        peer.subscribe(peer.name.encode(), b"all")
        peer.barrier()
    t.step("Each subscriber receives the messages of its topics.")
    for topic in (b"A", b"B", b"C", b"all"):
        t.app.send(topic)
    for peer in peers:
        t.compare(f"{peer.name} receives", [(peer.name.encode(),), (b"all",)], peer.collect(), "ZMTP-P-3")


@case("A publisher that connects reconnects after the connection was closed", "ZMTP-N-23", dialects=BOTH)
def again(t: PubSubTrial) -> None:
    t.step("The publisher connects to A, which subscribes to 'x' and closes the connection.")
    t.allow(5)
    listener, a = _connected(t, reconnect_ivl=50)
    a.subscribe(b"x")
    a.barrier()
    a.close()
    t.step("It reconnects; A subscribes to 'y', and receives 'y' messages.")
    b = Subscriber.accept(listener, "A again")
    b.subscribe(b"y")
    b.barrier()
    for topic in (b"x1", b"y1"):
        t.app.send(topic)
    seen = b.collect()
    t.check(seen[-1:] == [(b"y1",)], "A receives 'y1'", listing(seen))
    t.observed(f"of the old connection's subscription {'remains' if len(seen) > 1 else 'nothing remains'}")


@case(
    "The notices of a publisher that connects, across a lost connection",
    "ZMTP-P-15",
    "ZMTP-P-13",
    types=("XPUB",),
    dialects=BOTH,
)
def shown_again(t: PubSubTrial) -> None:
    t.step("The publisher connects to A, which subscribes to 'x' and resets the connection.")
    t.allow(5)
    listener, a = _connected(t, reconnect_ivl=50)
    a.subscribe(b"x")
    t.app.expect_notice(True, b"x", "ZMTP-P-13")
    a.reset()
    t.step(
        "The application receives the cancellation of 'x', and its subscription again when A has returned."
    )
    b = Subscriber.accept(listener, "A again")
    t.compare(
        "the application receives",
        [(b"\x00x",)],
        drain_notices(t, b),
        libzmq=("keeps the subscriptions of a connection that it opened, for the next connection", []),
    )
    b.subscribe(b"x")
    t.app.expect_notice(True, b"x", "ZMTP-P-13")


@case("A publisher does not reconnect after ERROR", "ZMTP-N-22", "ZMTP-N-21", polarity=NEGATIVE)
def error_ends_it(t: PubSubTrial) -> None:
    t.step("The publisher connects to A, which answers its greeting with ERROR.")
    t.allow(3)
    t.open(reconnect_ivl=50)
    listener = t.listener()
    t.app.connect(listener.endpoint)
    a = listener.accept("A")
    a.greet_suitably()
    a.send_command("ERROR", reason="go away")
    t.check(a.ends(t.options.leaving), "the connection is closed", "it stays open", "ZMTP-N-21")
    t.step("It does not reconnect with the credentials that were refused.")
    listener.expect_no_connection("the peer was refused with ERROR", 0.5)


@case(
    "A publisher that connects disconnects from a peer of an incompatible type", "ZMTP-N-8", polarity=NEGATIVE
)
def wrong_type(t: PubSubTrial) -> None:
    t.step("The publisher connects to A, which is REP: the connection is closed.")
    listener = t.listener()
    t.app.connect(listener.endpoint)
    a = listener.accept("A")
    a.greet_suitably()
    a.send_ready("REP")
    t.check(a.ends(t.options.leaving), "the connection is closed", "it stays open")


@case(
    "A publisher that connects reconnects after its heartbeat has failed",
    "ZMTP-H-7",
    "ZMTP-H-11",
    dialects=(V3_1,),
)
def after_heartbeat(t: PubSubTrial) -> None:
    t.step("The publisher connects to A and sends PING every 0.1 s; A sends nothing.")
    t.allow(5)
    listener, a = _connected(t, heartbeat_ivl=100, heartbeat_timeout=200, reconnect_ivl=50)
    a.answers_pings = False
    t.check(a.ends(2.0), "the connection is closed", "it stays open", "ZMTP-H-11")
    t.step("It reconnects, and A is served.")
    b = Subscriber.accept(listener, "A again")
    b.subscribe(b"x")
    b.barrier()
    t.compare("A receives", [(b"x1",)], received(t, b, b"x1"))
