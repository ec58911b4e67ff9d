"""The end of a session by the broker, and what follows."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.clients.tested import NEW
from zeps_conformance.clients.trial import ClientTrial

ENDING = ("malformed", "unknown-command", "no-session", "routing-id")


@case("A client attaches again after an INVALID that ended its session", "ZEPS-SESSION-2", "ZEPS-PING-14")
def ending_codes(t: ClientTrial) -> None:
    client = t.client()
    connection = client.session()
    for code in ENDING:
        t.step(
            f"The broker ends the session with the code {code}, and keeps the connection: the client attaches again."
        )
        client.deliver(connection, 2)
        client.confirm(connection)
        connection.end_session(f"{code} the session has ended")
        connection = client.reattach(connection)
    client.deliver(connection)
    client.confirm(connection)


@case("A client attaches over a new connection if the old one was closed", "ZEPS-SESSION-2", "ZEPS-PING-14")
def closed_after_invalid(t: ClientTrial) -> None:
    client = t.client()
    connection = client.session()
    client.deliver(connection, 3)
    client.confirm(connection)
    t.step("The broker ends the session and closes the connection: the client connects again.")
    connection.end_session("malformed the session has ended")
    t.wait(lambda: not connection.queued, "the client reads INVALID", connection=connection)
    connection.close()
    again = client.reattach(connection)
    client.deliver(again, 2)
    client.confirm(again)


@case("An unknown code ends the session", "ZEPS-INVALID-6", "ZEPS-SESSION-2")
def unknown_code(t: ClientTrial) -> None:
    client = t.client()
    connection = client.session()
    for reason in (
        "some-later-code for a reason that this version does not know",
        "later 4 9 with numbers",
        "x y",
    ):
        t.step("The broker sends INVALID with a code that is not defined: the client attaches again.")
        client.deliver(connection, 2)
        client.confirm(connection)
        connection.refuses = False  # a client that ignores the code does not learn of the end in another way
        connection.end_session(reason)
        connection = client.reattach(connection, "ZEPS-INVALID-6")


@case("An open code does not end the session", "ZEPS-INVALID-6")
def open_code(t: ClientTrial) -> None:
    client = t.client()
    connection = client.session()
    t.step("The broker sends INVALID with the code unexpected: the client goes on in its session.")
    client.deliver(connection, 2)
    connection.send("INVALID", reason="unexpected it was ignored")
    client.barrier(connection, "ZEPS-INVALID-6")
    client.deliver(connection, 2)
    client.confirm(connection)
    t.holds(lambda: len(client.connections) > 1, 0.2)
    t.check(len(client.connections) == 1, "the same connection", "a new one", "ZEPS-INVALID-6")


@case("A client whose connection breaks resumes where it was", "ZEPS-PING-14", "ZEPS-PING-13")
def broken_connection(t: ClientTrial) -> None:
    client = t.client()
    connection = client.session()
    for number in range(4):
        t.step(f"Messages arrive, and the connection {'is reset' if number % 2 else 'is closed'}.")
        client.deliver(connection, 5)
        client.confirm(connection)
        if number % 2:
            connection.reset()
        else:
            connection.close()
        connection = client.reattach(connection, "ZEPS-PING-13")
    client.deliver(connection, 2)
    client.confirm(connection)


@case("A client resumes when messages were on their way", "ZEPS-PING-14", "ZEPS-PING-13")
def messages_under_way(t: ClientTrial) -> None:
    client = t.client()
    connection = client.session()
    for _ in range(5):
        t.step(
            "The broker delivers messages and closes the connection without knowing how many have arrived."
        )
        client.deliver(connection, 20)
        t.holds(lambda connection=connection: not connection.queued, t.options.timeout)  # type: ignore[misc]
        connection.close()
        again = client.attach(client.next_attach(connection, "ZEPS-PING-13"), "ZEPS-PING-13")
        latest = client.subscribe(again)
        client.await_credit(again, 1)
        t.step("It delivers what follows the latest of the client: the application has every message once.")
        client.repeat_after(again, latest)
        client.confirm(again)
        connection = again


@case("A subscription to new messages resumes at the last one", "ZEPS-PING-14", "ZEPS-PING-13")
def new_only(t: ClientTrial) -> None:
    client = t.client(latest=NEW)
    connection = client.session()
    t.step("Before any message has arrived, the client subscribes to new messages again.")
    connection.close()
    connection = client.reattach(connection, "ZEPS-PING-13")
    t.step("After messages from 100 on have arrived, it resumes after them.")
    client.deliver(connection, 3, start=100)
    client.confirm(connection)
    connection.close()
    connection = client.reattach(connection, "ZEPS-PING-13")
    client.deliver(connection, 2)
    client.confirm(connection)
