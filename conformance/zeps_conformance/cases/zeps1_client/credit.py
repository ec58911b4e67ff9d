"""CREDIT: grants as messages are consumed, and DELIVERs beyond them."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.clients.trial import ClientTrial
from zeps_conformance.common.case import Polarity

BODY = 4000


@case("Credit is granted again as messages are consumed", "ZEPS-FRAME-2", "ZEPS-PING-14")
def renewed(t: ClientTrial) -> None:
    client = t.client(window=65_536)
    connection = client.session()
    count = max(3 * connection.referee.credit // BODY, 10)
    count = min(count, 1500)
    t.step(
        "The broker delivers three times the first credit, at most 6 MB; every DELIVER waits for credit and arrives."
    )
    client.deliver(connection, count, body=bytes(BODY))
    client.confirm(connection)


@case("Each session begins with a credit of 0", "ZEPS-PING-14", "ZEPS-PING-13")
def per_session(t: ClientTrial) -> None:
    client = t.client()
    connection = client.session()
    t.step(
        "The connection is closed after the first credit; in the next session the client grants credit again."
    )
    client.deliver(connection, 2)
    client.confirm(connection)
    connection.close()
    again = client.reattach(connection, "ZEPS-PING-13")
    client.deliver(again, 20)
    client.confirm(again)


@case("DELIVER beyond the credit does no harm", "ZEPS-SESSION-2", polarity=Polarity.NEGATIVE)
def exceeded(t: ClientTrial) -> None:
    client = t.client(window=65_536)
    connection = client.session()
    t.step(
        "The broker delivers a message that is larger than the credit; the client attaches again or goes on."
    )
    size = connection.referee.credit + 1
    client.sent += 1  # the client may resume after it, or before
    frame = t.codec.encode("DELIVER", sequence=client.sent, key="k", body=bytes(min(size, 16_777_216)))
    if size > 16_777_216:
        t.observations.append(f"the client grants {size - 1} bytes")
    connection.send_frames(frame)
    client.tainted = True
    client.survive(connection, "a DELIVER beyond the credit")
