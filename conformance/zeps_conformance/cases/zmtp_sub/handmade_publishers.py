"""Publishers of profile zmtp-sub whose handshakes a case completes step by step."""

from __future__ import annotations

from collections.abc import Sequence

from zeps_conformance.cases.zmtp_any.dialled_peers import require_dialect
from zeps_conformance.common.verdicts import FailureError, UnsupportedError
from zeps_conformance.sockets.pubsub import App, Connection, Dialect, Publisher, PubSubTrial

__all__ = [
    "RECONNECT_MS",
    "SIGNATURE",
    "SOCKET_TYPE",
    "VERSIONED",
    "WHOLE",
    "Properties",
    "accepts_any_bytes",
    "called",
    "deliver",
    "dialled",
    "expect_left",
    "fill",
    "greet",
    "introduce",
    "prompt",
    "ready",
    "topics",
    "want",
]

SIGNATURE = 10  # bytes of a greeting before the version
VERSIONED = 11  # bytes of a greeting up to the major version
WHOLE = 64  # bytes of a greeting of version 3

#: The properties of READY: names and values, in wire order.
Properties = Sequence[tuple[bytes, bytes]]

SOCKET_TYPE: tuple[bytes, bytes] = (b"Socket-Type", b"PUB")

RECONNECT_MS = 20


def prompt(t: PubSubTrial, **options: int) -> App:
    """Opens the implementation's socket with a reconnection delay of 20 ms, if that is configurable."""
    try:
        t.socket("probe", reconnect_ivl=RECONNECT_MS).close()
    except UnsupportedError:
        app = t.open(**options)
    else:
        app = t.open(reconnect_ivl=RECONNECT_MS, **options)
    require_dialect(t)
    return app


def called(t: PubSubTrial, name: str = "P") -> Connection:
    """Makes the implementation connect to a new listener; returns the connection before the greetings. Raises
    UnsupportedError as :func:`require_dialect`.
    """
    require_dialect(t)
    listener = t.listener()
    t.app.connect(listener.endpoint)
    return listener.accept(name)


def greet(t: PubSubTrial, connection: Connection, greeting: bytes | None = None) -> Connection:
    """Exchanges greetings; sends `greeting`, by default of the case's dialect, else of the implementation's own
    version.
    """
    if greeting is None and t.case.dialect is None:
        connection.greet_suitably()
        return connection
    connection.send_raw(greeting or t.wire.greeting(t.dialect.value), "greeting")
    connection.read_greeting()
    if greeting is None and t.case.dialect is not None and connection.announced < t.dialect.value:
        connection.dialect = t.dialect
    return connection


def dialled(t: PubSubTrial, name: str = "P", greeting: bytes | None = None) -> Connection:
    """Connects publisher `name` to the implementation, and exchanges greetings as :func:`greet`. Raises
    UnsupportedError as :func:`require_dialect`.
    """
    require_dialect(t)
    return greet(t, t.dial(name), greeting)


def ready(t: PubSubTrial, *properties: tuple[bytes, bytes]) -> bytes:
    """The command READY in its frame, with exactly `properties`, or with the type PUB if `properties` is empty."""
    return t.wire.command("READY", properties=properties or (SOCKET_TYPE,))


def introduce(
    t: PubSubTrial, connection: Connection, own: bytes | None = None, dialect: Dialect | None = None
) -> Publisher:
    """Completes the handshake after greetings, with `own` instead of READY; `dialect` as for :meth:`Peer.of`."""
    connection.send_raw(own or ready(t), "READY")
    connection.expect_command("READY")
    return Publisher.of(connection, dialect)


def expect_left(t: PubSubTrial, connection: Connection, why: str, libzmq: str | None = None) -> None:
    """Checks that the connection ends in time after READY; `libzmq` explains why libzmq accepts the publisher."""
    closed = connection.ends(t.options.leaving)
    known = libzmq if not closed and libzmq is not None and _is_taken(t, connection) else None
    seen = "it does" if closed else "it is open, and in use" if known else "it is open"
    t.check(closed, f"the implementation ends the connection of {connection.name}: {why}", seen, libzmq=known)


def _is_taken(t: PubSubTrial, connection: Connection) -> bool:
    """Reads READY, and returns whether the publisher receives a subscription that the application then makes."""
    try:
        connection.expect_command("READY", within=t.options.leaving)
        p = Publisher.of(connection)
    except FailureError:
        return False
    t.app.subscribe(b"taken")
    received = p.next_event(0.5) is not None
    t.app.unsubscribe(b"taken")
    return received


def deliver(t: PubSubTrial, p: Publisher, *parts: bytes) -> None:
    """Sends a message on `p`, and checks that it is the next one that the application receives."""
    p.send(*parts)
    t.app.expect(*parts)


def want(t: PubSubTrial, topic: bytes) -> None:
    """Makes the application subscribe to `topic`, after connecting a publisher, because some XSUBs wait for one."""
    w = t.publisher("W")
    t.app.subscribe(topic)
    w.expect_subscribe(topic)


def accepts_any_bytes(t: PubSubTrial) -> bool:
    """Returns whether the library's interface accepts topics with bytes that are not text."""
    probe = t.socket("probe")
    refused = probe.try_subscribe(b"\xff")
    probe.close()
    return refused is None


def topics(t: PubSubTrial, *sizes: int) -> list[bytes]:
    """Topics of these sizes, with %x00 and %xFF in them if the size and the library allow it."""
    begin = b"\x00\xff" if accepts_any_bytes(t) else b"\x00"
    return [(begin + b"t" * size)[:size] for size in sizes]


def fill(count: int, size: int = 8) -> list[bytes]:
    """`count` different bodies of `size` bytes, numbered from 0."""
    return [b"%0*d" % (size, number) for number in range(count)]
