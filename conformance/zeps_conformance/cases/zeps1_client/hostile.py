"""A broker that breaks the protocol, floods, stalls or dies."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zeps1_client.targets import Target
from zeps_conformance.clients.trial import ClientTrial
from zeps_conformance.common.case import Polarity
from zeps_conformance.common.verdicts import RobustnessError
from zeps_conformance.model.interpreter import Value

LIMIT = 120.0
MANY = 2000
MIB = 1 << 20
GROWTH_MAX = 256 * MIB  # four times the input
ANNOUNCED_MAX = 48 * MIB  # for a frame of which 1 MiB arrives

UNASKED: tuple[tuple[str, dict[str, Value]], ...] = (
    ("SUBSCRIBE-OK", {}),
    ("ATTACH-OK", {}),
    ("DETACH-OK", {}),
    ("ATTACH", {"stream": "hostile"}),
    ("SUBSCRIBE", {"pattern": "", "latest": 0}),
    ("CREDIT", {"credit": 1}),
    ("PUBLISH", {"key": "hostile", "body": b"hostile"}),
)
EARLY: tuple[tuple[str, dict[str, Value]], ...] = (
    ("DELIVER", {"sequence": 1, "key": "early", "body": b"early"}),
    ("SUBSCRIBE-OK", {}),
    ("PING-OK", {}),
    ("DETACH-OK", {}),
)
FLOOD: tuple[tuple[str, dict[str, Value]], ...] = (
    ("PING", {}),
    ("PING-OK", {}),
    ("INVALID", {"reason": "unexpected it was ignored"}),
    *UNASKED,
)


@case(
    "Answers that were not requested",
    "ZEPS-SESSION-2",
    "ZEPS-PING-14",
    polarity=Polarity.NEGATIVE,
    limit=LIMIT,
)
def unasked(t: ClientTrial) -> None:
    target = Target(t)
    for name, values in UNASKED:
        t.step(f"The broker sends {name}, which has no place in an open session.")
        target.attack(f"{name} in an open session", t.codec.encode(name, **values))


@case("Messages before ATTACH-OK", "ZEPS-ATTACH-7", "ZEPS-SESSION-2", polarity=Polarity.NEGATIVE, limit=LIMIT)
def before_attach_ok(t: ClientTrial) -> None:
    for name, values in EARLY:
        client = t.client()
        t.step(f"The broker sends {name} before it answers ATTACH.")
        connection = client.await_attach()
        connection.send_frames(t.codec.encode(name, **values))
        again = client.survive(connection, f"{name} before ATTACH-OK")
        if again is not None:
            client.await_credit(again, 1)
            client.deliver(again, 2, start=10)
            client.confirm(again)
        client.close()


@case("Thousands of each message", "ZEPS-PING-2", "ZEPS-SESSION-2", polarity=Polarity.NEGATIVE, limit=LIMIT)
def floods(t: ClientTrial) -> None:
    target = Target(t)
    target.serve(2)
    for name, values in FLOOD:
        t.step(f"The broker sends {MANY} messages {name} at once.")
        connection = target.connection
        connection.queue(connection.engine.wire.message(t.codec.encode(name, **values)) * MANY)
        t.log.note(connection.name, "note", f"{MANY} {name} are sent")
        if name == "PING":
            connection.referee.pings += MANY
        target.survive(f"{MANY} messages {name}")
        target.serve()


@case("A broker that is killed in the middle of a frame", "ZEPS-PING-14", "ZEPS-PING-13", limit=LIMIT)
def killed_in_frame(t: ClientTrial) -> None:
    target = Target(t)
    target.serve(2)
    client, connection = target.client, target.connection
    data = connection.engine.wire.message(
        t.codec.encode("DELIVER", sequence=client.sent + 1, key="cut", body=bytes(300))
    )
    for length in (1, 5, 12, 200, len(data) - 1):
        t.step(f"The broker sends {length} bytes of a DELIVER of {len(data)}, and its connection is reset.")
        connection.queue(data[:length])
        t.holds(lambda connection=connection: not connection.queued, t.options.timeout)  # type: ignore[misc]
        connection.reset()
        connection = client.reattach(connection, "ZEPS-PING-13")
    t.step("The client resumes after the last complete message.")
    client.deliver(connection, 2)
    client.confirm(connection)


@case("A broker that sends single bytes", "ZEPS-PING-2", "ZEPS-ATTACH-7", limit=LIMIT)
def single_bytes(t: ClientTrial) -> None:
    t.step("The greeting, READY, and the first messages of the broker arrive byte by byte.")
    client = t.client(listening=False)
    client.trickles = True
    client.listen()
    connection = client.session()
    client.deliver(connection, 3, body=b"slow" * 10)
    client.confirm(connection)


@case("A frame of 2^62 bytes is only announced", "ZEPS-PING-14", polarity=Polarity.NEGATIVE, limit=LIMIT)
def announced_frame(t: ClientTrial) -> None:
    target = Target(t)
    target.serve(2)
    connection = target.connection
    t.step(
        "The broker announces a frame of 2^62 bytes and sends 1 MiB of it: the client uses at most 48 MiB more memory."
    )
    before = t.adapter.memory()
    connection.queue(b"\x02" + (1 << 62).to_bytes(8, "big") + bytes(MIB))
    t.holds(lambda: connection.lost is not None, 1.0)
    _check_growth(t, before, ANNOUNCED_MAX)
    if connection.lost is None:
        t.observations.append("the client keeps the connection")
        connection.reset()
    target.survive("a frame that is only announced")
    target.serve(2)


@case("A body of 64 MiB", "ZEPS-PING-14", "ZEPS-SESSION-2", polarity=Polarity.NEGATIVE, limit=LIMIT)
def large_body(t: ClientTrial) -> None:
    target = Target(t)
    target.serve(2)
    t.step("The broker sends a DELIVER with a body of 64 MiB: the client refuses it, with bounded memory.")
    before = t.adapter.memory()
    head = t.codec.encode("DELIVER", sequence=target.client.sent + 1, key="large", body=b"")[:-4]
    frame = head + (64 * MIB).to_bytes(4, "big") + bytes(64 * MIB)
    target.connection.queue(b"\x02" + len(frame).to_bytes(8, "big") + frame)
    target.survive("a DELIVER of 64 MiB")
    _check_growth(t, before, GROWTH_MAX)
    target.serve(2)


def _check_growth(t: ClientTrial, before: int, most: int) -> None:
    growth = t.adapter.memory() - before
    if growth > most:
        raise RobustnessError(f"at most {most // MIB} MiB more memory", f"{growth / MIB:.0f} MiB")
    t.observe(f"at most {most // MIB} MiB more memory", f"{max(growth, 0) / MIB:.0f} MiB")


@case("A peer that does not speak ZMTP", "ZEPS-SESSION-2", polarity=Polarity.NEGATIVE, limit=LIMIT)
def other_protocols(t: ClientTrial) -> None:
    client = t.client()
    client.greets = False
    for label, data in (
        ("HTTP", b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n" + bytes(64)),
        ("random bytes", b"\x55" + t.random_bytes(200)),
        ("a wrong mechanism", b"\xff" + bytes(8) + b"\x7f\x03\x01PLAIN" + bytes(15 + 32)),
    ):
        t.step(f"The peer at the endpoint sends {label} and closes.")
        if (connection := client.connect_or_end()) is None:
            return
        connection.decodes = False
        connection.queue(data)
        t.holds(lambda connection=connection: connection.lost is not None, 0.2)  # type: ignore[misc]
        connection.close()
    t.step("Then a broker serves at the endpoint: the client attaches.")
    client.greets = True
    client.skip_lost()
    client.serve_late("another protocol")


@case(
    "A broker that does not read", "ZEPS-PUBLISH-9", "ZEPS-PUBLISH-6", polarity=Polarity.NEGATIVE, limit=LIMIT
)
def does_not_read(t: ClientTrial) -> None:
    t.needs("publish", "publishing on request")
    target = Target(t)
    target.serve(2)
    client, connection = target.client, target.connection
    t.step(
        "The broker stops reading; the application publishes 64 MiB, or until the client refuses: memory stays bounded."
    )
    connection.paused = True
    before, accepted = t.adapter.memory(), 0
    body = (b"x" * 65_536).hex()
    for _ in range(1024):
        if client.app.ask("publish", key="full", body=body).get("again"):
            break
        accepted += 1
    _check_growth(t, before, GROWTH_MAX)
    t.step("The broker reads again: every accepted message arrives.")
    connection.paused = False
    t.wait(
        lambda: sum(len(each.publications) for each in client.connections) >= accepted,
        f"{accepted} PUBLISHes",
        "ZEPS-PUBLISH-9",
        timeout=2 * t.patience,
    )
    t.observe("every accepted message", f"{accepted}")
