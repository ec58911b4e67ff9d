"""What the cases of profile zmtp-sub have in common: publishers that complete a handshake by hand."""

from __future__ import annotations

from collections.abc import Sequence

from zeps_conformance.common.verdicts import FailureError, UnsupportedError
from zeps_conformance.sockets.pubsub import App, Connection, Dialect, Publisher, PubSubTrial

__all__ = [
    "CLOSES",
    "RECONNECT_MS",
    "SIGNATURE",
    "SOCKET_TYPE",
    "VERSIONED",
    "WHOLE",
    "Properties",
    "called",
    "dialled",
    "expect_left",
    "fill",
    "greet",
    "introduce",
    "prompt",
    "ready",
    "takes_any_octets",
    "topics",
    "want",
]

SIGNATURE = 10  # octets of a greeting before the version
VERSIONED = 11  # octets of a greeting up to the major version
WHOLE = 64  # octets of a greeting of version 3

#: Properties of READY, names and values, in the order of the wire.
Properties = Sequence[tuple[bytes, bytes]]

SOCKET_TYPE: tuple[bytes, bytes] = (b"Socket-Type", b"PUB")

RECONNECT_MS = 20
CLOSES = 1.0  # seconds in which an implementation that ends a connection has done so


def prompt(t: PubSubTrial, **options: int) -> App:
    """The implementation's socket, which waits only shortly before it connects again, if the implementation can
    be told so.
    """
    try:
        t.socket("probe", reconnect_ivl=RECONNECT_MS).close()
    except UnsupportedError:
        return t.open(**options)
    return t.open(reconnect_ivl=RECONNECT_MS, **options)


def called(t: PubSubTrial, name: str = "P") -> Connection:
    """Publisher `name`, to which the implementation has connected. Nothing was said yet."""
    listener = t.listener()
    t.app.connect(listener.endpoint)
    return listener.accept(name)


def greet(t: PubSubTrial, connection: Connection, greeting: bytes | None = None) -> Connection:
    """Exchange greetings, in the case's dialect if it has one, unless `greeting` is given.

    The case is unsupported if it is about a dialect that the implementation does not announce.
    """
    if greeting is None and t.case.dialect is None:
        connection.greet_suitably()
        return connection
    connection.send_raw(greeting or t.wire.greeting(t.dialect.value), "greeting")
    connection.read_greeting()
    if greeting is None and t.case.dialect is not None and connection.announced < t.dialect.value:
        t.unsupported(f"announces {connection.announced[0]}.{connection.announced[1]}")
    return connection


def dialled(t: PubSubTrial, name: str = "P", greeting: bytes | None = None) -> Connection:
    """Publisher `name`, which has connected to the implementation and exchanged greetings with it."""
    return greet(t, t.dial(name), greeting)


def ready(t: PubSubTrial, *properties: tuple[bytes, bytes]) -> bytes:
    """The command READY with `properties`, or with the type PUB if there are none."""
    return t.wire.command("READY", properties=properties or (SOCKET_TYPE,))


def introduce(
    t: PubSubTrial, connection: Connection, own: bytes | None = None, dialect: Dialect | None = None
) -> Publisher:
    """Complete the handshake of a connection that has exchanged greetings, with `own` in place of a plain READY."""
    connection.send_raw(own or ready(t), "READY")
    connection.expect_command("READY")
    return Publisher.of(connection, dialect)


def expect_left(t: PubSubTrial, connection: Connection, why: str, libzmq: str | None = None) -> None:
    """The implementation ends the connection, on which READY was sent.

    `libzmq` says why libzmq takes the publisher instead.
    """
    closed = connection.ends(CLOSES)
    known = libzmq if not closed and libzmq is not None and _is_taken(t, connection) else None
    seen = "it does" if closed else "it is open, and is used" if known else "it is open"
    t.check(closed, f"the implementation ends the connection of {connection.name}: {why}", seen, libzmq=known)


def _is_taken(t: PubSubTrial, connection: Connection) -> bool:
    """Whether the handshake is complete, and the publisher told what the application subscribes to."""
    try:
        connection.expect_command("READY", within=CLOSES)
        p = Publisher.of(connection)
    except FailureError:
        return False
    t.app.subscribe(b"taken")
    told = p.next_event(0.5) is not None
    t.app.unsubscribe(b"taken")
    return told


def want(t: PubSubTrial, topic: bytes) -> None:
    """Have the application subscribe to `topic`; a publisher is there, for some XSUBs wait for one."""
    w = t.publisher("W")
    t.app.subscribe(topic)
    w.expect_subscribe(topic)


def takes_any_octets(t: PubSubTrial) -> bool:
    """Whether a topic may have octets that are no text, as far as the library lets its application say."""
    probe = t.socket("probe")
    refused = probe.try_subscribe(b"\xff")
    probe.close()
    return refused is None


def topics(t: PubSubTrial, *sizes: int) -> list[bytes]:
    """Topics of these sizes, with %x00 and %xFF in them if there is room, and if the library takes that."""
    begin = b"\x00\xff" if takes_any_octets(t) else b"\x00"
    return [(begin + b"t" * size)[:size] for size in sizes]


def fill(count: int, size: int = 8) -> list[bytes]:
    """`count` different bodies of `size` octets, numbered from 0."""
    return [b"%0*d" % (size, number) for number in range(count)]
