"""Frames that a client sends: their form, and values that it must not send."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.clients.tested import TestedClient
from zeps_conformance.clients.trial import ClientTrial
from zeps_conformance.common.case import Polarity
from zeps_conformance.common.verdicts import FailureError
from zeps_conformance.sockets.adapter import RefusedError

CONTROLS = ("\x00", "a\x1fb", "\x7f", "a\u0080", "\u009f")


@case("Every command of a session is one frame that decodes", "ZEPS-FRAME-7", "ZEPS-FRAME-2", "ZEPS-FRAME-3")
def commands(t: ClientTrial) -> None:
    client = t.client()
    t.step(
        "The client attaches, subscribes, grants credit, answers PING and detaches; the suite decodes each frame."
    )
    connection = client.session()
    client.deliver(connection, 20)
    client.confirm(connection)
    client.finish(connection)


@case("Keys with control characters are not sent", "ZEPS-TEXT-2", polarity=Polarity.NEGATIVE)
def control_characters(t: ClientTrial) -> None:
    t.needs("publish", "publishing on request")
    client = t.client()
    connection = client.session()
    for text in CONTROLS:
        t.step(
            "The application publishes under a key with a control character: the client refuses or does not send it."
        )
        try:
            client.app.ask("publish", key=text, body="00")
        except RefusedError as error:
            t.observe("a refusal", str(error))
    t.step("A valid message follows, and is the first that arrives.")
    client.app.ask("publish", key="valid", body="01")
    t.wait(lambda: bool(connection.publications), "a PUBLISH", "ZEPS-TEXT-2", connection=connection)
    seen = [publication.key for publication in connection.publications]
    t.check(seen == ["valid"], "only the valid key", f"{seen!a}", "ZEPS-TEXT-2")
    client.barrier(connection)


def _refused(t: ClientTrial, client: TestedClient, key: str, body: str, rule: str) -> None:
    """Publishes a message that the client must refuse."""
    try:
        client.app.ask("publish", key=key, body=body)
    except RefusedError as error:
        t.observe("a refusal", str(error))
    else:
        raise FailureError("a refusal of what is too long", "success", rule)


@case("Keys of more than 255 bytes are refused", "ZEPS-TEXT-1", polarity=Polarity.NEGATIVE)
def long_keys(t: ClientTrial) -> None:
    t.needs("publish", "publishing on request")
    client = t.client()
    connection = client.session()
    t.step(
        "The application publishes under keys of 256 and 257 bytes, the second of two-byte letters: both are refused."
    )
    for key in ("k" * 256, "k" + "é" * 128):
        _refused(t, client, key, "00", "ZEPS-TEXT-1")
    client.barrier(connection)
    t.check(not connection.publications, "no PUBLISH", repr(connection.publications), "ZEPS-TEXT-1")


@case("A body of more than 16,777,216 bytes is refused", "ZEPS-CHUNK-1", polarity=Polarity.NEGATIVE)
def long_bodies(t: ClientTrial) -> None:
    t.needs("publish", "publishing on request")
    client = t.client()
    connection = client.session()
    t.step("The application publishes one byte more than the limit: the client refuses it.")
    _refused(t, client, "key", "00" * 16_777_217, "ZEPS-CHUNK-1")
    client.barrier(connection)
    t.check(not connection.publications, "no PUBLISH", "a PUBLISH", "ZEPS-CHUNK-1")


@case("A pattern with a control character is not sent", "ZEPS-TEXT-2", polarity=Polarity.NEGATIVE)
def control_pattern(t: ClientTrial) -> None:
    t.step("The application subscribes to a pattern with a control character: no SUBSCRIBE with it is sent.")
    try:
        client = t.client("a\x1bb")
    except RefusedError as error:
        t.observe("a refusal", str(error))
        return
    t.holds(lambda: client.app.ended or bool(client.connections), t.options.timeout)
    if client.connections and not client.app.ended:
        connection = client.attach()
        t.holds(lambda: client.app.ended or bool(connection.subscriptions), t.options.timeout)
        patterns = [subscription.pattern for subscription in connection.subscriptions]
        t.check(not patterns, "no SUBSCRIBE", f"{patterns!a}", "ZEPS-TEXT-2")
    t.check(not client.app.closed, "an error", "the client ended without an error", "ZEPS-TEXT-2")
