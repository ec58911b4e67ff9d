"""Announcements of gaps."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.clients.trial import ClientTrial


@case("A gap is reported to the application, and delivery goes on", "ZEPS-PING-14", "ZEPS-INVALID-6")
def reported(t: ClientTrial) -> None:
    t.needs("gaps", "a report of gaps")
    for code in ("retention", "damage"):
        client = t.client()
        connection = client.session()
        t.step(f"The broker announces sequences 3 to 7 with the code {code}; the application learns of it.")
        client.deliver(connection, 2)
        client.announce(connection, 3, 7, code)
        client.deliver(connection, 2)
        client.confirm(connection)
        client.expect_gap(3, 7, code)
        t.check(connection.lost is None, "the same session", str(connection.lost), "ZEPS-INVALID-6")


@case("A client resumes after an announced gap", "ZEPS-PING-14", "ZEPS-PING-13")
def resumed(t: ClientTrial) -> None:
    client = t.client()
    connection = client.session()
    t.step("The broker delivers two messages, announces a gap from 3 to 9, and loses the connection.")
    client.deliver(connection, 2)
    client.announce(connection, 3, 9)
    client.barrier(connection)
    client.certain = 2
    connection.close()
    t.step("The client resumes after what it received, or after the gap.")
    again = client.reattach(connection, "ZEPS-PING-13")
    client.certain = client.sent
    client.deliver(again, 2)
    client.confirm(again)


@case("A gap before the first message is reported", "ZEPS-PING-14")
def first(t: ClientTrial) -> None:
    t.needs("gaps", "a report of gaps")
    client = t.client()
    connection = client.session()
    t.step("The broker announces sequences 1 to 4 before it delivers anything.")
    client.announce(connection, 1, 4)
    client.deliver(connection, 2)
    client.confirm(connection)
    client.expect_gap(1, 4)
