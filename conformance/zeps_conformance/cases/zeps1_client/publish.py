"""PUBLISH: values, order, and messages whose session is lost."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.clients.connection import Publication
from zeps_conformance.clients.tested import TestedClient
from zeps_conformance.clients.trial import ClientTrial


def _publish(client: TestedClient, *messages: Publication) -> None:
    for message in messages:
        client.app.ask("publish", key=message.key, body=message.body.hex())


@case("Messages arrive as published, in order", "ZEPS-CHUNK-1", "ZEPS-TEXT-1", "ZEPS-FRAME-2")
def values(t: ClientTrial) -> None:
    t.needs("publish", "publishing on request")
    client = t.client()
    connection = client.session()
    messages = [
        Publication("", b""),
        Publication("k" * 255, bytes(range(256))),
        Publication("Schlüssel/鍵/\U0001f511", b"\xaa\xa5\x06" * 100),
        Publication(" ", t.random_bytes(70_000)),
        *(Publication(f"order/{number}", b"%d" % number) for number in range(50)),
    ]
    t.step(
        "The application publishes messages with keys and bodies of all kinds; they arrive unchanged, in order."
    )
    _publish(client, *messages)
    t.wait(
        lambda: len(connection.publications) >= len(messages),
        f"{len(messages)} PUBLISHes",
        "ZEPS-PUBLISH-9",
        connection=connection,
        seen=lambda: f"{len(connection.publications)}",
    )
    t.check(
        connection.publications == messages, "the same messages in order", "other messages", "ZEPS-CHUNK-1"
    )


@case("The greatest body is published", "ZEPS-CHUNK-1", limit=60.0)
def greatest_body(t: ClientTrial) -> None:
    t.needs("publish", "publishing on request")
    client = t.client()
    connection = client.session()
    t.step("The application publishes a body of 16,777,216 bytes.")
    body = t.random_bytes(1 << 16) * 256
    _publish(client, Publication("greatest", body))
    t.wait(
        lambda: bool(connection.publications), "the PUBLISH", connection=connection, timeout=2 * t.patience
    )
    t.check(connection.publications[0].body == body, "the same body", "another body")


@case("A message whose session is lost is published again", "ZEPS-PUBLISH-9", "ZEPS-PING-13")
def lost_session(t: ClientTrial) -> None:
    t.needs("republish", "publishing again after a lost session")
    client = t.client()
    connection = client.session()
    connection.answers_pings = False
    t.step("The client publishes; the connection is closed before PING is answered.")
    messages = [Publication(f"kept/{number}", b"%d" % number) for number in range(10)]
    if "publish" in t.features:
        _publish(client, *messages)
    count = 10 if "publish" in t.features else 1
    t.wait(
        lambda: len(connection.publications) >= count, "PUBLISHes", "ZEPS-PUBLISH-9", connection=connection
    )
    before = connection.publications[:]
    connection.close()
    t.step("The client attaches again and publishes again, in the same order.")
    again = client.reattach(connection, "ZEPS-PING-13")
    t.wait(
        lambda: len(again.publications) >= count, "the PUBLISHes again", "ZEPS-PUBLISH-9", connection=again
    )
    seen = [publication.key for publication in again.publications]
    t.check(again.publications[:count] == before, "the same messages in order", f"{seen}", "ZEPS-PUBLISH-9")


@case(
    "Messages that are published without a broker arrive when there is one",
    "ZEPS-PUBLISH-9",
    "ZEPS-PUBLISH-6",
)
def without_broker(t: ClientTrial) -> None:
    t.needs("publish", "publishing on request")
    client = t.client(listening=False)
    messages = [Publication(f"early/{number}", b"%d" % number) for number in range(10)]
    t.step("The application publishes while nothing listens at the endpoint, then the broker listens.")
    _publish(client, *messages)
    t.holds(lambda: False, 0.2)
    client.listen()
    connection = client.session()
    t.wait(
        lambda: len(connection.publications) >= 10, "ten PUBLISHes", "ZEPS-PUBLISH-9", connection=connection
    )
    t.check(connection.publications == messages, "the same messages in order", "others", "ZEPS-PUBLISH-9")


@case("Messages are published before the client detaches", "ZEPS-PUBLISH-9")
def before_detach(t: ClientTrial) -> None:
    t.needs("publish", "publishing on request")
    client = t.client()
    connection = client.session()
    messages = [Publication(f"last/{number}", b"%d" % number) for number in range(100)]
    t.step("The application publishes 100 messages and closes; all of them arrive before DETACH.")
    _publish(client, *messages)
    client.app.ask("close", timeout=5000)
    client.expect(connection, "DETACH", "ZEPS-PUBLISH-9", t.patience)
    t.check(
        connection.publications == messages,
        "100 messages",
        f"{len(connection.publications)}",
        "ZEPS-PUBLISH-9",
    )
    connection.send("DETACH-OK")
    t.wait(lambda: client.app.closed, "the client ends", timeout=t.patience)
