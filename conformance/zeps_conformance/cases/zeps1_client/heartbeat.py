"""PING and PING-OK, and a broker that does not answer."""

from __future__ import annotations

import time

from zeps_conformance.cases.registration import case
from zeps_conformance.clients.connection import BrokerConnection
from zeps_conformance.clients.tested import TestedClient
from zeps_conformance.clients.trial import ClientTrial

IDLE = 10.0  # seconds within which an idle client should have sent PING
GIVES_UP = 50.0  # seconds within which a client gives up a broker that never answers
RATE = 65_536  # bytes per second
FAST = 16 << 20  # bytes per second, for clients that can be configured (ZEPS-PING-18)
TOLERANCE = 0.05  # of a time, since the client and the suite do not begin to count at the same moment
FEW = 3


@case("A client answers every PING", "ZEPS-PING-2")
def answered(t: ClientTrial) -> None:
    client = t.client()
    connection = client.session()
    t.step("The broker sends PING between messages, and then 100 PINGs at once; the client answers each.")
    for _ in range(3):
        client.deliver(connection, 2)
        client.barrier(connection)
    before = connection.answered
    for _ in range(100):
        connection.send("PING")
    t.wait(
        lambda: connection.answered >= before + 100,
        "at least 100 PING-OKs",
        "ZEPS-PING-2",
        connection=connection,
        seen=lambda: f"{connection.answered - before}",
    )
    client.confirm(connection)


@case("An idle client sends PING", "ZEPS-PING-4", limit=60.0)
def idle(t: ClientTrial) -> None:
    client = t.client(heartbeat=200)
    connection = client.session()
    connection.answers_pings = False
    t.step("Nothing happens for some time: the client sends PING, and continues after PING-OK.")
    t.wait(
        lambda: connection.pings > 0,
        "a PING",
        "ZEPS-PING-4",
        connection=connection,
        timeout=max(IDLE, t.patience),
    )
    connection.answers_pings = True
    connection.pings = 0
    connection.send("PING-OK")
    client.deliver(connection, 2)
    client.confirm(connection)


def _rate(t: ClientTrial) -> int:
    """Returns the rate for what is under way, in bytes per second, that the case's client is to have."""
    return FAST if "rate" in t.features else RATE


def _silence(t: ClientTrial, client: TestedClient, connection: BrokerConnection) -> float:
    """Is silent until the client gives the connection up. Returns the seconds that this took. Raises UnsupportedError
    if the client's credit allows it to wait for longer than the case does.
    """
    limit = min(4 * t.patience, GIVES_UP)
    due = connection.referee.credit / _rate(t)
    if due > limit / 2:
        t.unsupported(
            f"the client may wait {due:.0f} s for its credit of {connection.referee.credit:,} bytes"
        )
    connection.answers_pings = False
    connection.pings = 0
    began = time.monotonic()
    t.wait(
        lambda: connection.lost is not None or len(client.connections) > client.accepted,
        "the client gives up a broker that does not answer",
        "ZEPS-PING-5",
        timeout=limit,
        seen=lambda: f"{connection.pings} PINGs",
    )
    return time.monotonic() - began


@case(
    "A client stops after at most three PINGs without an answer, and attaches again",
    "ZEPS-PING-5",
    "ZEPS-PING-13",
    limit=75.0,
)
def three_unanswered(t: ClientTrial) -> None:
    client = t.client(heartbeat=200, rate=_rate(t))
    t.step(
        "The broker grants ATTACH, and then does not answer: after one to three PINGs the client attaches again."
    )
    connection = client.attach()
    client.expect(connection, "SUBSCRIBE", "ZEPS-PING-14")
    client.barrier(connection)
    _silence(t, client, connection)
    t.check(connection.pings >= 1, "PINGs before the client gives up", "none", "ZEPS-PING-4")
    t.check(connection.pings <= FEW, f"at most {FEW} PINGs", f"{connection.pings}", "ZEPS-PING-5")
    t.step("The broker serves the new session.")
    again = client.session("ZEPS-PING-13")
    client.deliver(again, 2)
    client.confirm(again)


@case(
    "A client that gave up a silent broker resumes where it was", "ZEPS-PING-14", "ZEPS-PING-13", limit=75.0
)
def resumes(t: ClientTrial) -> None:
    client = t.client(heartbeat=200, rate=_rate(t))
    connection = client.session()
    client.deliver(connection, 3)
    client.confirm(connection)
    t.step("The broker is silent until the client gives it up; the client attaches again and resumes.")
    _silence(t, client, connection)
    again = client.reattach(connection, "ZEPS-PING-13")
    client.deliver(again, 2)
    client.confirm(again)


@case("A client waits for what is under way before it gives up", "ZEPS-PING-11", "ZEPS-PING-18", limit=75.0)
def patience(t: ClientTrial) -> None:
    client = t.client(heartbeat=200, rate=_rate(t))
    connection = client.session()
    client.deliver(connection, 1)
    client.confirm(connection)
    t.step(
        "The broker is silent: the client waits as long as its credit takes at its rate, by default 65,536 bytes/s."
    )
    waited = _silence(t, client, connection)
    credit = connection.referee.credit
    due = credit / _rate(t) * (1 - TOLERANCE)
    t.check(
        waited >= due, f"at least {due:.2f} s for {credit} bytes of credit", f"{waited:.2f} s", "ZEPS-PING-11"
    )
    t.observe("PINGs while it waits", f"{connection.pings}")


@case("A client whose broker answers slowly keeps its session", "ZEPS-PING-5", limit=60.0)
def slow_answers(t: ClientTrial) -> None:
    client = t.client(heartbeat=200)
    connection = client.session()
    connection.answers_pings = False
    t.step(
        "Three times, the broker answers two PINGs after the second of them: the client keeps its session."
    )
    for _ in range(3):
        connection.pings = 0
        for count, rule in ((1, "ZEPS-PING-4"), (2, "ZEPS-PING-5")):
            t.wait(
                lambda count=count: connection.pings >= count,  # type: ignore[misc]
                f"{count} PINGs without an answer",
                rule,
                connection=connection,
                timeout=max(IDLE, t.patience),
            )
        connection.send("PING-OK")
        connection.send("PING-OK")
    connection.answers_pings = True
    client.deliver(connection, 2)
    client.confirm(connection)
