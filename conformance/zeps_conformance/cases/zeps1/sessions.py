"""Sessions: which commands need one, and that sessions are independent."""

from __future__ import annotations

from zeps_conformance.broker.session import ALL, PLENTY
from zeps_conformance.broker.trial import BrokerTrial
from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zeps1.refusals import BROKER_ONLY, CLIENT_COMMANDS, NEGATIVE, sample


def _without_session(t: BrokerTrial, name: str) -> None:
    a = t.connect("A")
    t.step("On a connection without a session, A sends the command; it gets INVALID.")
    a.refused(sample(t, name), "ZEPS-SESSION-1", f"{name} without a session", "no-session")
    t.step("No session was opened: PING gets INVALID too.")
    a.expect_no_session("ZEPS-SESSION-1")
    t.step(
        "The command was not kept: A attaches, and receives ATTACH-OK, but neither an answer nor a message."
    )
    a.attach()
    a.quiet("commands without a session are discarded", "ZEPS-SESSION-1")


for _name in (*CLIENT_COMMANDS[1:], "DETACH-OK", *BROKER_ONLY):
    case(
        f"{_name} without a session is refused",
        "ZEPS-SESSION-1",
        subject=f"none-for-{_name.lower()}",
        polarity=NEGATIVE,
    )(_without_session, _name)


@case(
    "Credit and subscriptions sent without a session do not take effect later",
    "ZEPS-SESSION-1",
    "ZEPS-CREDIT-1",
    "ZEPS-SUBSCRIBE-10",
    polarity=NEGATIVE,
)
def refused_not_kept(t: BrokerTrial) -> None:
    items = t.fill(t.messages(2))
    a = t.connect("A")
    t.step("A grants credit and subscribes without a session; both get INVALID.")
    for name, values in (("CREDIT", {"credit": PLENTY}), ("SUBSCRIBE", {"pattern": "", "latest": ALL})):
        a.refused(t.codec.encode(name, **values), "ZEPS-SESSION-1", f"{name} without a session", "no-session")
    t.step("A attaches and subscribes: without credit nothing arrives.")
    a.attach()
    a.quiet("it has not subscribed", "ZEPS-SUBSCRIBE-10")
    a.subscribe("", ALL)
    a.quiet("it has no credit", "ZEPS-CREDIT-1")
    t.step("With credit, everything arrives.")
    a.grant(PLENTY)
    a.expect_items(items)


@case(
    "Messages published without a session are in no stream",
    "ZEPS-SESSION-1",
    "ZEPS-SEQUENCE-2",
    polarity=NEGATIVE,
)
def publish_needs_one(t: BrokerTrial) -> None:
    t.step(
        "A publishes to the stream, detaches, and publishes once more without a session: that gets INVALID."
    )
    a = t.session("A")
    a.publish("kept", b"one")
    a.detach()
    a.publish("lost", b"none")
    a.expect_invalid("ZEPS-SESSION-1", "PUBLISH without a session", "no-session")
    t.step("A attaches again and publishes; B reads the stream from the start.")
    a.attach()
    a.store([("kept", b"two")])
    b = t.reader("B")
    b.expect("DELIVER", None, sequence=1, key="kept", body=b"one")
    b.expect("DELIVER", None, sequence=2, key="kept", body=b"two")
    b.quiet("the stream has two messages", "ZEPS-SESSION-1")


@case("Credit belongs to one session", "ZEPS-SESSION-3")
def independent_credit(t: BrokerTrial) -> None:
    t.step("A and B subscribe to the same stream; only A grants credit.")
    a, b = t.session("A"), t.session("B")
    a.subscribe()
    b.subscribe()
    a.grant(PLENTY)
    items = t.fill(t.messages(3))
    a.expect_items(items)
    b.quiet("it granted no credit", "ZEPS-SESSION-3")
    t.step("B grants the cost of one message: B receives one, A nothing more.")
    b.grant(t.cost(items[0].key, items[0].body))
    b.expect_items(items[:1])
    b.quiet("its credit is used up", "ZEPS-SESSION-3")
    a.quiet("it has received everything", "ZEPS-SESSION-3")


@case("Subscriptions belong to one session", "ZEPS-SESSION-3")
def independent_subscriptions(t: BrokerTrial) -> None:
    t.step("On one stream A subscribes to a., B to b., and C to nothing; all have credit.")
    a, b, c = t.reader("A", "a."), t.reader("B", "b."), t.session("C")
    c.grant(PLENTY)
    items = t.fill(t.messages(6, ("a.x", "b.x", "c.x")))
    t.step("Each receives the messages of its subscription.")
    a.expect_items(items[0::3])
    b.expect_items(items[1::3])
    for session in (a, b, c):
        session.quiet("it did not subscribe to the other keys", "ZEPS-SESSION-3")


@case("The end of one session does not affect the others", "ZEPS-SESSION-3")
def independent_end(t: BrokerTrial) -> None:
    t.step("A, B, C and D subscribe to one stream.")
    a, b, c, d = (t.reader(name) for name in "ABCD")
    t.step("B attaches again, C detaches, and D's connection is reset.")
    b.attach()
    c.detach()
    d.vanish()
    t.step("A publishes: A receives it, once; B and C do not.")
    a.publish("after", b"still attached")
    a.expect("DELIVER", "ZEPS-SESSION-3", sequence=1, key="after", body=b"still attached")
    a.quiet("it has received its message", "ZEPS-SESSION-3")
    b.quiet("its new session has no subscription", "ZEPS-ATTACH-4")
    c.expect_no_session("ZEPS-DETACH-2")


@case(
    "A session belongs to the connection over which it was opened",
    "ZEPS-SESSION-4",
    "ZEPS-SESSION-1",
    polarity=NEGATIVE,
)
def bound_to_connection(t: BrokerTrial) -> None:
    t.step("A subscribes to a stream with plenty of credit; the same client opens a second connection, A2.")
    a = t.reader("A")
    a2 = t.connect("A2")
    t.step("A2 has no session: its PING and its PUBLISH get INVALID.")
    a2.refused(t.codec.encode("PING"), "ZEPS-SESSION-4", "PING of the second connection", "no-session")
    publish = t.codec.encode("PUBLISH", key="k", body=b"none")
    a2.refused(publish, "ZEPS-SESSION-4", "PUBLISH of the second connection", "no-session")
    t.step(
        "A's connection is reset. A3, its third, attaches to the same stream: it begins without a subscription."
    )
    a.vanish()
    b = t.session("B")
    messages = t.messages(2)
    b.store(messages)
    a3 = t.session("A3")
    a3.quiet("the first connection's subscription ended with it", "ZEPS-SESSION-4")
    t.step("A3 subscribes: it begins without credit.")
    a3.subscribe("", ALL)
    a3.quiet("the first connection's credit ended with it", "ZEPS-SESSION-4")
    t.step("After it has granted credit, A3 receives everything.")
    a3.grant(PLENTY)
    a3.expect_items(t.items(messages), "ZEPS-SESSION-4")


@case(
    "Every command on a connection with a routing id of its own choice is refused",
    "ZEPS-SESSION-5",
    polarity=NEGATIVE,
)
def own_routing_id(t: BrokerTrial) -> None:
    t.step("B subscribes to the stream. A's READY requests a routing id of its own choice.")
    b = t.reader("B")
    a = t.connect("A", routing_id=b"mine" + t.random_bytes(8))
    for name in CLIENT_COMMANDS:
        t.step(f"A sends {name}: it gets INVALID, because of its routing id.")
        frame = t.codec.encode("ATTACH", stream=t.stream) if name == "ATTACH" else sample(t, name)
        a.refused(frame, "ZEPS-SESSION-5", name, "routing-id")
    t.step(
        "No command took effect: the stream is empty. A disconnects, because every further command would be "
        "refused."
    )
    b.quiet("PUBLISH was refused", "ZEPS-SESSION-5")
    a.leave()
