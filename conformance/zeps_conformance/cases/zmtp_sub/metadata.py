"""READY: the properties that a subscriber sends, and the ones that it accepts or refuses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zmtp_sub.handmade_publishers import (
    SOCKET_TYPE,
    Properties,
    called,
    dialled,
    expect_left,
    greet,
    introduce,
    ready,
    want,
)
from zeps_conformance.sockets.pubsub import BOTH, NEGATIVE, V3_0, Publisher, PubSubTrial
from zeps_conformance.wire.zmtp_side import PROPERTY, SHORT_MAX


@case(
    "READY has well-formed properties, and Socket-Type names the socket's type",
    "ZMTP-N-3",
    "ZMTP-N-4",
    "ZMTP-N-5",
    "ZMTP-N-7",
    "ZMTP-N-20",
    "ZMTP-F-3",
    "ZMTP-F-5",
    "ZMTP-F-14",
    dialects=BOTH,
)
def own(t: PubSubTrial) -> None:
    t.step("P sends a greeting, reads the implementation's READY, and sends its own.")
    p = greet(t, called(t))
    frame = p.finish_handshake()
    p.send_raw(ready(t), "READY")
    properties = cast("Properties", frame.values["properties"])
    t.check(not frame.more, "a command without MORE", f"flags {frame.flags:#x}", "ZMTP-F-3")
    t.compare("whether the size is long", len(frame.body) > SHORT_MAX, frame.long, "ZMTP-F-5")
    for name, _ in properties:
        t.check(
            PROPERTY.fullmatch(name) is not None,
            "names of letters, digits and - _ . +",
            repr(name),
            "ZMTP-N-4",
        )
    names = [name.lower() for name, _ in properties]
    t.compare("names that occur twice", [], sorted({name for name in names if names.count(name) > 1}))
    types = [value for name, value in properties if name.lower() == SOCKET_TYPE[0].lower()]
    t.compare("Socket-Type", [t.type.encode()], types, "ZMTP-N-20" if types else "ZMTP-N-7")
    t.observed("properties: " + ", ".join(f"{name.decode()}={value!r}" for name, value in properties))


@case(
    "A subscriber that connects sends READY without waiting for the peer's READY",
    "ZMTP-N-18",
    "ZMTP-N-2",
    dialects=BOTH,
)
def unasked(t: PubSubTrial) -> None:
    want(t, b"topic")
    t.step("The implementation connects to P, which sends only a greeting: P receives READY.")
    p = greet(t, called(t))
    p.expect_command("READY")
    early = p.read_frame(0.05)
    t.observed(
        "subscriptions wait for the publisher's READY" if early is None else "subscriptions do not wait"
    )
    t.step("P sends READY, and its message arrives.")
    p.send_raw(ready(t), "READY")
    Publisher.of(p).barrier()


@case("A subscriber that was connected to answers READY with READY", "ZMTP-N-1", dialects=BOTH)
def answered(t: PubSubTrial) -> None:
    t.step(
        "P connects to the implementation, and sends greeting and READY: it receives READY, and its "
        "message arrives."
    )
    introduce(t, dialled(t)).barrier()


@case("Messages may follow READY at once", "ZMTP-N-19", "ZMTP-N-2", dialects=(V3_0,))
def together(t: PubSubTrial) -> None:
    want(t, b"topic")
    t.step("P connects to the implementation, and sends READY and two messages in one write.")
    p = dialled(t)
    p.send_raw(
        ready(t) + t.wire.message(b"topic", b"1") + t.wire.message(b"topic", b"2"), "READY and messages"
    )
    t.app.expect(b"topic", b"1")
    t.app.expect(b"topic", b"2")


@case("Greeting and READY may arrive in one write", "ZMTP-G-12", "ZMTP-N-1", dialects=BOTH)
def all_at_once(t: PubSubTrial) -> None:
    t.step("The implementation connects to P, which sends its greeting and READY in one write.")
    p = called(t)
    p.send_raw(t.wire.greeting(t.dialect.value) + ready(t), "greeting and READY")
    p.read_greeting()
    p.expect_command("READY")
    t.step("P's message arrives.")
    Publisher.of(p).barrier()


def _taken(t: PubSubTrial, variants: Sequence[Properties]) -> None:
    for index, properties in enumerate(variants, 1):
        listed = ", ".join(f"{name[:20]!r} of {len(value)} bytes" for name, value in properties)
        t.step(f"P{index} connects and sends READY with {listed}: its message arrives.")
        introduce(t, dialled(t, f"P{index}"), ready(t, *properties)).barrier()


def _named(name: bytes) -> Properties:
    return [(name, SOCKET_TYPE[1])]


ACCEPTED: tuple[tuple[str, str, str, Sequence[Properties]], ...] = (
    (
        "names-in-any-case",
        "Property names are equal in upper and lower case",
        "ZMTP-N-6",
        [_named(b"socket-type"), _named(b"SOCKET-TYPE"), _named(b"sOCKET-tYPE")],
    ),
    (
        "unknown",
        "Unknown properties are ignored, before and after Socket-Type",
        "ZMTP-N-12",
        [
            [SOCKET_TYPE, (b"X-Trace", b"1")],
            [(b"X-", b"1"), SOCKET_TYPE],
            [(b"Vendor.Name+1_a-b", b"x"), SOCKET_TYPE, (b"9", b"y")],
        ],
    ),
    (
        "names-at-the-limits",
        "Names have 1 to 255 characters",
        "ZMTP-N-4",
        [
            [SOCKET_TYPE, (b"n", b"1")],
            [SOCKET_TYPE, (b"n" * 255, b"255")],
            [(b"m" * 128, b"128"), SOCKET_TYPE],
        ],
    ),
    (
        "empty-values",
        "Values may be empty",
        "ZMTP-N-5",
        [[SOCKET_TYPE, (b"X-Empty", b"")], [(b"X-A", b""), (b"X-B", b""), SOCKET_TYPE]],
    ),
    (
        "long-values",
        "Values may be long, and READY with them",
        "ZMTP-N-5",
        [
            [SOCKET_TYPE, (b"X-Short", b"v" * 217)],
            [SOCKET_TYPE, (b"X-Long", b"v" * 218)],
            [(b"X-Long", b"v" * 5000), SOCKET_TYPE],
            [SOCKET_TYPE, (b"X-Long", b"v" * 70_000)],
        ],
    ),
    (
        "any-octets",
        "Values may contain any bytes",
        "ZMTP-N-5",
        [[SOCKET_TYPE, (b"X-All", bytes(range(256)))], [(b"X-Zero", bytes(4)), SOCKET_TYPE]],
    ),
    (
        "identity",
        "Identity is ignored",
        "ZMTP-N-10",
        [
            [SOCKET_TYPE, (b"Identity", b"")],
            [SOCKET_TYPE, (b"Identity", b"name")],
            [SOCKET_TYPE, (b"Identity", b"name")],
            [(b"Identity", b"i" * 255), SOCKET_TYPE],
        ],
    ),
    (
        "resource",
        "A request for any resource is accepted",
        "ZMTP-N-13",
        [
            [SOCKET_TYPE, (b"Resource", b"system/name-service/test")],
            [(b"Resource", b"$a-b_c@d.e&f+g"), SOCKET_TYPE],
        ],
    ),
)

for _subject, _title, _rule, _variants in ACCEPTED:
    case(_title, _rule, subject=_subject)(_taken, _variants)


@case("A small READY with an eight-byte size is accepted", "ZMTP-F-6", dialects=BOTH)
def long_form(t: PubSubTrial) -> None:
    t.step("P connects and sends READY as a long frame: its message arrives.")
    own_ready = t.wire.command("READY", long=True, properties=[SOCKET_TYPE])
    introduce(t, dialled(t), own_ready).barrier()


@case("READY without Socket-Type", "ZMTP-N-7", polarity=NEGATIVE)
def no_type(t: PubSubTrial) -> None:
    t.step("P connects and sends READY without properties, which the rules do not cover.")
    p = dialled(t)
    p.send_raw(t.wire.command("READY", properties=[]), "READY without properties")
    p.read_available(0.1)
    t.observed("is accepted" if p.lost is None else "closes the connection")


def prop(name: bytes, value: bytes, size: int | None = None) -> bytes:
    """A property in wire form; `size` is the announced size, instead of the length of `value`."""
    announced = len(value) if size is None else size
    return bytes((len(name),)) + name + announced.to_bytes(4, "big") + value


GOOD = prop(*SOCKET_TYPE)

MALFORMED: tuple[tuple[str, str, tuple[bytes, ...]], ...] = (
    (
        "name-beyond",
        "a name that reaches beyond the end",
        (b"\x0bSocket", GOOD + b"\x05X-A", GOOD + b"\x01"),
    ),
    ("size-cut", "a truncated value size", (b"\x0bSocket-Type" + bytes(3), GOOD + b"\x03X-A\x00")),
    (
        "value-beyond",
        "a value that reaches beyond the end",
        (prop(b"Socket-Type", b"PUB", 4), GOOD + prop(b"X-A", b"1", 2)),
    ),
    (
        "value-too-large",
        "a value size of 2^31-1 or more",
        tuple(GOOD + prop(b"X-A", b"1", size) for size in (2**31 - 1, 2**31, 2**32 - 1, 2**32 - 8)),
    ),
    (
        "no-size",
        "a property that ends after its name",
        (GOOD + b"\x03X-A", b"\x0bSocket-Type"),
    ),
    (
        "no-value",
        "a property that ends after its value's size",
        (GOOD + prop(b"X-A", b"", 1), GOOD + prop(b"X-A", b"", 2**32 - 1)),
    ),
    (
        "no-name",
        "a property without a name",
        (GOOD + prop(b"", b"value"), prop(b"", b"") + GOOD),
    ),
)


def _refused(t: PubSubTrial, bodies: Sequence[bytes]) -> None:
    empty = t.wire.body("READY", properties=[])
    for index, tail in enumerate(bodies, 1):
        t.step(
            f"P{index} connects and sends READY with {len(tail)} bytes of malformed metadata: it may be "
            "disconnected."
        )
        p = dialled(t, f"P{index}")
        p.send_raw(t.wire.frame(empty + tail, command=True), "malformed READY")
        expect_left(t, p, "malformed metadata")


for _subject, _what, _bodies in MALFORMED:
    case(f"READY with {_what}", "ZMTP-N-17", subject=_subject, polarity=NEGATIVE)(_refused, _bodies)


@case(
    "An incompatible type is refused, whatever the case of the property's name", "ZMTP-N-6", polarity=NEGATIVE
)
def type_in_any_case(t: PubSubTrial) -> None:
    for name in (b"socket-type", b"SOCKET-TYPE"):
        t.step(f"A peer connects that sends the type PUSH in a property named {name!r}: it is disconnected.")
        p = dialled(t)
        p.send_raw(ready(t, (name, b"PUSH")), "READY of a PUSH")
        expect_left(
            t, p, "a PUSH socket is not a publisher", "recognises the property in its usual spelling only"
        )


@case("Names with other characters", "ZMTP-N-4", polarity=NEGATIVE)
def odd_names(t: PubSubTrial) -> None:
    for index, name in enumerate((b"X Y", b"X\x00Y", b"X/Y", b"\xc3\xa9"), 1):
        t.step(f"P{index} sends READY with a property named {name!r}, which a receiver need not refuse.")
        p = dialled(t, f"P{index}")
        p.send_raw(ready(t, SOCKET_TYPE, (name, b"value")), "READY with an odd name")
        p.read_available(0.05)
        t.observed(f"{name!r}: " + ("is accepted" if p.lost is None else "closes the connection"))


@case(
    "A frame other than READY or ERROR instead of READY closes the connection",
    "ZMTP-N-15",
    "ZMTP-F-14",
    polarity=NEGATIVE,
    dialects=BOTH,
)
def first_command(t: PubSubTrial) -> None:
    t.app.subscribe(b"")
    properties = t.wire.body("READY", properties=[SOCKET_TYPE])[1 + len("READY") :]
    places = (
        ("a message", t.wire.message(b"stray")),
        ("PING", t.wire.command("PING", ttl=0, context=b"")),
        ("SUBSCRIBE", t.wire.command("SUBSCRIBE", topic=b"")),
        ("a command named ready", t.wire.frame(b"\x05ready" + properties, command=True)),
        ("a command named HELLO", t.wire.frame(b"\x05HELLO" + properties, command=True)),
        ("a command without a name", t.wire.frame(b"\x00" + properties, command=True)),
        ("an empty command", t.wire.frame(b"", command=True)),
        ("a command with a truncated name", t.wire.frame(b"\x05READ", command=True)),
    )
    for index, (what, data) in enumerate(places, 1):
        t.step(f"P{index} sends {what} instead of READY: it is disconnected.")
        p = dialled(t, f"P{index}")
        p.send_raw(data, what)
        p.expect_closed(t.options.leaving, why="READY is missing")
    t.app.expect_nothing("the handshake was not completed")


@case("A message is not a command, even if it contains READY", "ZMTP-F-2", polarity=NEGATIVE, dialects=BOTH)
def ready_as_message(t: PubSubTrial) -> None:
    t.step("P connects and sends the content of READY in a message frame: it is disconnected.")
    p = dialled(t)
    p.send_raw(t.wire.frame(t.wire.body("READY", properties=[SOCKET_TYPE])), "READY as a message")
    expect_left(t, p, "READY is missing", "accepts READY in a message frame too")


@case("A second READY does not reach the application", "ZMTP-U-11", polarity=NEGATIVE, dialects=BOTH)
def ready_twice(t: PubSubTrial) -> None:
    t.app.subscribe(b"")
    t.step("P, whose handshake is complete, sends READY again: it is not delivered as a message.")
    p = t.publisher("P")
    p.send_raw(ready(t), "a second READY")
    p.read_available(0.05)
    t.observed("keeps the connection" if p.lost is None else "closes the connection")
    t.app.expect_nothing("READY is a command")
