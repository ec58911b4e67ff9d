"""ATTACH: the begin of a session, and what follows if it is not granted."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.clients.connection import BrokerConnection
from zeps_conformance.clients.tested import TestedClient
from zeps_conformance.clients.trial import ClientTrial
from zeps_conformance.common.case import Polarity
from zeps_conformance.common.verdicts import RobustnessError

WATCHED = 1.5  # seconds in which attempts are counted
ATTEMPTS_MAX = 75  # 50 per second: far more than with any pause between attempts


@case("A client begins by ATTACH, and sends nothing else before the answer", "ZEPS-ATTACH-7", "ZEPS-PING-2")
def attach_first(t: ClientTrial) -> None:
    client = t.client()
    t.step("The client sends ATTACH, which is not answered; it answers PING and sends no other command.")
    connection = client.await_attach()
    client.barrier(connection)
    t.holds(lambda: False, 0.3)
    t.check(not connection.inbox, "no further command", repr(connection.inbox), "ZEPS-ATTACH-7")
    t.step("The broker grants ATTACH, and the client subscribes.")
    connection.send("ATTACH-OK")
    client.subscribe(connection)
    client.await_credit(connection, 1)
    client.deliver(connection)
    client.confirm(connection)


@case("The name of the stream is sent as the user gave it", "ZEPS-TEXT-1", "ZEPS-FRAME-2", "ZEPS-FRAME-7")
def stream_names(t: ClientTrial) -> None:
    for label, name in (
        ("of 255 bytes", "s" * 255),
        ("of letters outside ASCII", "ströme/流/\U0001f4ec"),
        ("with spaces and a slash", " a stream/../x "),
    ):
        t.step(f"A client attaches to a stream with a name {label}.")
        client = t.client(stream=name)
        client.barrier(client.session())


@case("A client without an answer to ATTACH attaches over a new connection", "ZEPS-ATTACH-7", "ZEPS-PING-13")
def no_answer(t: ClientTrial) -> None:
    t.allow(t.patience)
    client = t.client(attach_timeout=400)
    t.step(
        "The broker does not answer ATTACH; the client attaches once on that connection, and then on a new one."
    )
    client.await_attach()
    open_connections: list[BrokerConnection] = []

    def serve() -> bool:
        """Grants each later ATTACH, because the client may end a connection again before an answer arrives."""
        for connection in client.connections[1:]:
            if connection.lost is None and connection.inbox:
                if connection.inbox[0].name != "ATTACH":
                    open_connections.append(connection)
                    return True
                connection.inbox.popleft()
                connection.send("ATTACH-OK")
        return False

    t.wait(serve, "the client attaches over a new connection", "ZEPS-PING-13", timeout=2 * t.patience)
    (connection,) = open_connections
    client.subscribe(connection)
    client.await_credit(connection, 1)
    client.deliver(connection)


def _refuse_all(t: ClientTrial, client: TestedClient, reason: str) -> int:
    """Refuses every ATTACH for some time. Returns how many arrived."""
    refused = 0

    def refuse() -> bool:
        nonlocal refused
        for connection in client.connections:
            if connection.lost is None and connection.inbox and connection.inbox[0].name == "ATTACH":
                connection.inbox.clear()
                connection.end_session(reason)
                refused += 1
        return client.app.ended

    t.holds(refuse, WATCHED)
    return refused


@case(
    "A refused ATTACH is reported, and not repeated without a pause",
    "ZEPS-SESSION-2",
    polarity=Polarity.NEGATIVE,
)
def refused(t: ClientTrial) -> None:
    for code in ("stopping", "too-many-sessions", "stream-unavailable", "unsupported-version", "stream-name"):
        client = t.client()
        t.step(f"The broker refuses every ATTACH with the code {code}; the client reports it.")
        t.wait(lambda client=client: bool(client.connections), "the client connects", timeout=t.patience)  # type: ignore[misc]
        attempts = _refuse_all(t, client, f"{code} not now")
        t.check(attempts > 0, "at least one ATTACH", "none", "ZEPS-ATTACH-7")
        if attempts > ATTEMPTS_MAX:
            raise RobustnessError("a pause between two attempts", f"{attempts} in {WATCHED:g} s")
        if "refusals" in t.features:
            reported = any(code in problem for problem in client.app.problems)
            t.check(reported, f"a report with the code {code}", f"{client.app.problems}", "ZEPS-SESSION-2")
        if client.app.failed:
            t.observations.append(f"the client gives up after {code}")
        elif attempts > 1:
            t.observations.append(f"the client attaches {attempts} times in {WATCHED:g} s after {code}")
        client.close()


@case("A client attaches as soon as a broker listens at its endpoint", "ZEPS-ATTACH-7")
def listens_later(t: ClientTrial) -> None:
    t.allow(t.patience)
    t.step("The connection of the client is refused for 0.6 seconds; then a broker listens, and serves it.")
    client = t.client(listening=False)
    t.holds(lambda: client.app.ended, 0.6)
    t.check(not client.app.ended, "a client that tries again", client.app.failed)
    client.listen()
    connection = client.session()
    client.deliver(connection, 2)
    client.confirm(connection)


@case(
    "A client does not connect in a loop to a broker that closes",
    "ZEPS-SESSION-2",
    polarity=Polarity.NEGATIVE,
)
def closed_at_once(t: ClientTrial) -> None:
    t.allow(t.patience)
    client = t.client()
    client.greets = False
    t.step("The broker closes every connection at once, for 1.5 seconds.")

    def close_all() -> bool:
        for connection in client.connections:
            connection.close()
        return False

    t.wait(lambda: bool(client.connections), "the client connects", timeout=t.patience)
    t.holds(close_all, WATCHED)
    attempts = len(client.connections)
    if attempts > ATTEMPTS_MAX:
        raise RobustnessError("a pause between two attempts", f"{attempts} connections in {WATCHED:g} s")
    t.step("Then the broker serves, and the client attaches.")
    client.greets = True
    client.skip_lost()
    client.serve_late("closed connections")
