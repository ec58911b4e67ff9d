"""DETACH, from both sides."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.clients.referee import Phase
from zeps_conformance.clients.trial import ClientTrial


@case("A client answers the broker's DETACH by DETACH-OK", "ZEPS-DETACH-3")
def answered(t: ClientTrial) -> None:
    client = t.client()
    connection = client.session()
    client.deliver(connection, 2)
    client.confirm(connection)
    t.step("The broker sends DETACH: the client answers by DETACH-OK.")
    connection.send("DETACH")
    client.expect(connection, "DETACH-OK", "ZEPS-DETACH-3")
    t.step("The client attaches again, or ends.")
    t.holds(lambda: client.app.ended or client.attaches(connection), t.patience)
    if client.app.ended:
        t.observations.append("the client ends after the broker's DETACH")
    else:
        again = client.reattach(connection)
        client.deliver(again, 2)
        client.confirm(again)


@case("A client answers DETACH before its ATTACH is answered", "ZEPS-DETACH-3")
def while_attaching(t: ClientTrial) -> None:
    client = t.client()
    t.step("The broker answers ATTACH by DETACH: the client sends DETACH-OK.")
    connection = client.await_attach()
    connection.send("DETACH")
    client.expect(connection, "DETACH-OK", "ZEPS-DETACH-3")


@case("A client that closes sends DETACH, and nothing after it", "ZEPS-ATTACH-7", "ZEPS-DETACH-3")
def detaches(t: ClientTrial) -> None:
    t.needs("close", "closing on request")
    client = t.client()
    connection = client.session()
    client.deliver(connection, 2)
    client.confirm(connection)
    t.step(
        "The application closes the client: DETACH arrives. The broker's DETACH that crosses it needs no answer."
    )
    client.app.ask("close", timeout=2000)
    client.expect(connection, "DETACH", "ZEPS-ATTACH-7")
    connection.send("DETACH")
    t.holds(lambda: client.app.ended, 0.3)
    connection.send("DETACH-OK")
    t.wait(lambda: client.app.ended, "the client ends", timeout=t.patience)
    seen = [message.name for message in connection.inbox if message.name != "DETACH-OK"]
    t.check(not seen, "nothing after DETACH", f"{seen}", "ZEPS-ATTACH-7")
    t.check(client.app.closed, "no error", client.app.failed)


@case("A client does not attach after it has closed", "ZEPS-ATTACH-7")
def stays_closed(t: ClientTrial) -> None:
    client = t.client()
    connection = client.session()
    t.step("The client ends in order; it does not connect again.")
    client.finish(connection)
    count = len(client.connections)
    t.holds(lambda: len(client.connections) > count, 0.4)
    t.check(len(client.connections) == count, "no further connection", f"{len(client.connections) - count}")


@case("A client ends although DETACH is not answered", "ZEPS-ATTACH-7", limit=60.0)
def unanswered(t: ClientTrial) -> None:
    client = t.client()
    connection = client.session()
    t.step("The client sends DETACH, which the broker does not answer: the client ends all the same.")
    if "close" in t.features:
        client.app.ask("close", timeout=500)
    else:
        client.return_publications(connection)
    client.expect(connection, "DETACH", "ZEPS-ATTACH-7", t.patience)
    t.wait(lambda: client.app.ended, "the client ends", timeout=3 * t.patience)
    t.check(connection.referee.phase is Phase.LEAVING, "no further command", connection.referee.phase.value)
