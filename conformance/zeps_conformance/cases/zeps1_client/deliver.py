"""DELIVER: what the application receives."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zeps1_client.targets import Target
from zeps_conformance.clients.connection import BrokerConnection
from zeps_conformance.clients.trial import ClientTrial
from zeps_conformance.common.case import Polarity


def _send_hostile(connection: BrokerConnection, sequence: int) -> None:
    """Delivers a message with a sequence that the broker must not send."""
    frame = connection.codec.encode("DELIVER", sequence=sequence, key="hostile", body=b"hostile")
    connection.referee.credit -= len(frame)
    connection.send_frames(frame)


@case("The application receives keys and bodies unchanged", "ZEPS-PING-14", "ZEPS-FRAME-2")
def values(t: ClientTrial) -> None:
    t.needs("deliveries", "a report of each message")
    client = t.client()
    connection = client.session()
    t.step("The broker delivers messages with keys and bodies of all kinds.")
    for key, body in (
        ("", b""),
        ("k" * 255, bytes(range(256))),
        ("Schlüssel/鍵/\U0001f511", b"\xaa\xa5\x07" * 100),
        (" ", t.random_bytes(70_000)),
    ):
        client.deliver(connection, key=key, body=body)
    client.confirm(connection)


@case("Sequences of 32 to 64 bits arrive", "ZEPS-FRAME-2", "ZEPS-PING-14")
def sequences(t: ClientTrial) -> None:
    for start in (2**31, 2**32, 2**53 + 1, 2**63):
        client = t.client(latest=start - 1)
        connection = client.session()
        t.step(
            f"The broker delivers messages from sequence {start} on; after a loss the client resumes after them."
        )
        client.deliver(connection, 2, start=start)
        client.confirm(connection)
        connection.close()
        client.reattach(connection, "ZEPS-PING-13")
        client.close()


@case("The greatest message arrives", "ZEPS-PING-14", limit=60.0)
def greatest(t: ClientTrial) -> None:
    client = t.client()
    connection = client.session()
    t.step("The broker has a message of 16,777,216 bytes, and waits for as much credit.")
    if not t.holds(lambda: connection.referee.credit > 16_777_500, t.options.timeout):
        t.unsupported(f"the client grants only {connection.referee.credit} bytes while no message arrives")
    client.deliver(connection, body=t.random_bytes(1 << 16) * 256)
    t.wait(
        lambda: not connection.queued, "the client reads it", connection=connection, timeout=2 * t.patience
    )
    client.confirm(connection)


@case(
    "A message that is delivered twice reaches the application once",
    "ZEPS-PING-14",
    polarity=Polarity.NEGATIVE,
)
def twice(t: ClientTrial) -> None:
    target = Target(t)
    target.serve(3)
    t.step("The broker delivers the last message again, and an older one.")
    for sequence in (3, 1):
        _send_hostile(target.connection, sequence)
    t.step("The client attaches again, or goes on, and the application has each message once.")
    target.survive("a repeated sequence")
    target.serve(2)


@case("A message that was announced as lost does no harm", "ZEPS-PING-14", polarity=Polarity.NEGATIVE)
def after_gap(t: ClientTrial) -> None:
    client = t.client()
    connection = client.session()
    client.deliver(connection, 2)
    client.announce(connection, 3, 5)
    client.confirm(connection)
    t.step("The broker delivers sequence 4, which it has announced as lost.")
    _send_hostile(connection, 4)
    client.tainted = True
    client.survive(connection, "a message that was announced as lost")


@case(
    "Sequences that are left out without an announcement do no harm",
    "ZEPS-PING-14",
    polarity=Polarity.NEGATIVE,
)
def skipped(t: ClientTrial) -> None:
    client = t.client()
    connection = client.session()
    t.step("The broker delivers sequence 1 and then 10: allowed for a pattern, so the client goes on.")
    client.deliver(connection)
    client.deliver(connection, start=10)
    client.confirm(connection)
