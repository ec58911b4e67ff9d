"""SUBSCRIBE: its values, its refusals, and several subscriptions."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.clients.tested import NEW
from zeps_conformance.clients.trial import ClientTrial
from zeps_conformance.common.case import Polarity


@case("Pattern and latest are sent as the user gave them", "ZEPS-FRAME-2", "ZEPS-TEXT-1")
def values(t: ClientTrial) -> None:
    for pattern, latest in (
        ("", 0),
        ("a pattern ", 1),
        ("é" * 127, 2**32 + 1),
        ("x" * 255, NEW),
        ("p", NEW - 1),
    ):
        t.step(
            f"A client subscribes to a pattern of {len(pattern.encode())} bytes, with the latest {latest}."
        )
        client = t.client(pattern, latest)
        connection = client.attach()
        client.subscribe(connection)
        client.barrier(connection)
        client.close()


@case("Each subscription of a session is sent", "ZEPS-FRAME-2", "ZEPS-PING-14")
def several(t: ClientTrial) -> None:
    t.needs("subscribe", "a second subscription")
    client = t.client(None)
    connection = client.attach()
    patterns = ["a", "b", "c/"]
    t.step("The application subscribes to three patterns; the client sends three SUBSCRIBEs.")
    for pattern in patterns:
        client.app.ask("subscribe", pattern=pattern, latest=0)
    for pattern in patterns:
        message = client.expect(connection, "SUBSCRIBE", "ZEPS-FRAME-2")
        t.check(message["pattern"] == pattern, f"pattern {pattern}", str(message["pattern"]), "ZEPS-TEXT-1")
        connection.send("SUBSCRIBE-OK")
    t.step("Messages of all patterns arrive; after the loss of the connection all subscriptions are resumed.")
    for key in ("a1", "b1", "c/1", "a2"):
        client.deliver(connection, key=key)
    client.confirm(connection)
    connection.close()
    again = client.attach(None, "ZEPS-PING-13")
    t.step(
        "The broker delivers what follows the latest of each SUBSCRIBE: the application has each message once."
    )
    client.serve_subscriptions(again, patterns)
    client.confirm(again)


@case("A refused pattern is reported, and the session goes on", "ZEPS-INVALID-6", polarity=Polarity.NEGATIVE)
def refused_pattern(t: ClientTrial) -> None:
    for code in ("bad-pattern", "too-many-subscriptions"):
        client = t.client("refused/(")
        t.step(
            f"The broker refuses the pattern with the code {code}; the client reports it, and does not attach again."
        )
        connection = client.attach()
        client.expect(connection, "SUBSCRIBE", "ZEPS-ATTACH-7")
        connection.send("INVALID", reason=f"{code} not this one")
        if "refusals" in t.features:
            t.wait(
                lambda client=client, code=code: any(code in refusal for refusal in client.app.refusals),  # type: ignore[misc]
                "a report of the refusal",
                "ZEPS-INVALID-6",
                timeout=t.patience,
            )
        client.barrier(connection)
        stray = [message.name for message in connection.inbox if message.name != "SUBSCRIBE"]
        t.check(not stray, "the same session", f"{stray}", "ZEPS-INVALID-6")


@case("A client resumes after messages that are no longer retained", "ZEPS-PING-14")
def not_retained(t: ClientTrial) -> None:
    client = t.client(latest=10)
    t.step("The broker refuses the client's latest of 10, because messages up to 20 are not retained.")
    connection = client.attach()
    client.subscribe(connection, answer="not-retained 11 20 they are gone")
    t.step("The client reports the gap, and subscribes again from its end.")
    client.sent = client.certain = 20
    client.subscribe(connection)
    client.await_credit(connection, 1)
    client.expect_gap(11, 20)
    client.deliver(connection, 2)
    client.confirm(connection)


@case("A client begins at the end of a stream that ends before its latest", "ZEPS-PING-14")
def beyond_end(t: ClientTrial) -> None:
    client = t.client(latest=1000)
    t.step("The broker refuses the client's latest of 1000, because the stream ends at 7.")
    connection = client.attach()
    client.subscribe(connection, answer="beyond-end 8 1000 the stream ends there")
    t.step("The client subscribes again from the end, and reports the reset.")
    client.sent = client.certain = 7
    client.subscribe(connection)
    client.await_credit(connection, 1)
    if "gaps" in t.features:
        t.wait(lambda: bool(client.app.gaps), "a report of the reset", "ZEPS-PING-14")
    client.deliver(connection, 2)
    client.confirm(connection)
