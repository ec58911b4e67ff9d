"""READY: what a subscriber says of itself, and what it takes and refuses in a publisher's."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import cast

from zeps_conformance.cases.zmtp_sub.handmade_publishers import (
    CLOSES,
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
from zeps_conformance.sockets.pubsub import BOTH, NEGATIVE, V3_0, Publisher, PubSubTrial, case

NAME = re.compile(rb"[A-Za-z0-9._+-]{1,255}")
SHORT_MAX = 255


@case(
    "zmtp-sub.metadata.own",
    "READY has well-formed properties, and says the socket's type",
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
    t.step("P greets, reads the implementation's READY, and sends its own.")
    p = greet(t, called(t))
    frame = p.expect_command("READY", "ZMTP-N-3")
    p.send_raw(ready(t), "READY")
    properties = cast("Properties", frame.values["properties"])
    t.check(not frame.more, "a command without MORE", f"flags {frame.flags:#x}", "ZMTP-F-3")
    t.compare("whether the size is long", len(frame.body) > SHORT_MAX, frame.long, "ZMTP-F-5")
    for name, _ in properties:
        t.check(
            NAME.fullmatch(name) is not None, "names of letters, digits and - _ . +", repr(name), "ZMTP-N-4"
        )
    names = [name.lower() for name, _ in properties]
    t.compare("names that are there twice", [], sorted({name for name in names if names.count(name) > 1}))
    types = [value for name, value in properties if name.lower() == SOCKET_TYPE[0].lower()]
    t.compare("Socket-Type", [t.type.encode()], types, "ZMTP-N-20" if types else "ZMTP-N-7")
    t.observed("properties: " + ", ".join(f"{name.decode()}={value!r}" for name, value in properties))


@case(
    "zmtp-sub.metadata.unasked",
    "Whoever has connected does not wait for the other's READY",
    "ZMTP-N-18",
    "ZMTP-N-2",
    dialects=BOTH,
)
def unasked(t: PubSubTrial) -> None:
    want(t, b"topic")
    t.step("The implementation connects to P, which greets and then is silent: READY comes.")
    p = greet(t, called(t))
    p.expect_command("READY")
    early = p.read_frame(0.05)
    t.observed(
        "subscriptions wait for the publisher's READY" if early is None else "subscriptions do not wait"
    )
    t.step("P sends READY, and is heard.")
    p.send_raw(ready(t), "READY")
    Publisher.of(p).barrier()


@case(
    "zmtp-sub.metadata.answered",
    "Whoever was connected to answers READY with READY",
    "ZMTP-N-1",
    dialects=BOTH,
)
def answered(t: PubSubTrial) -> None:
    t.step(
        "P dials the implementation, greets and sends READY: the implementation's READY comes, and P is heard."
    )
    introduce(t, dialled(t)).barrier()


@case(
    "zmtp-sub.metadata.together",
    "Messages may follow READY at once",
    "ZMTP-N-19",
    "ZMTP-N-2",
    dialects=(V3_0,),
)
def together(t: PubSubTrial) -> None:
    want(t, b"topic")
    t.step("P dials the implementation, and sends READY and two messages in one write.")
    p = dialled(t)
    p.send_raw(
        ready(t) + t.wire.message(b"topic", b"1") + t.wire.message(b"topic", b"2"), "READY and messages"
    )
    t.app.expect(b"topic", b"1")
    t.app.expect(b"topic", b"2")


@case(
    "zmtp-sub.metadata.all-at-once",
    "Greeting and READY may come in one write",
    "ZMTP-G-12",
    "ZMTP-N-1",
    dialects=BOTH,
)
def all_at_once(t: PubSubTrial) -> None:
    t.step("The implementation connects to P, which sends its greeting and READY in one write.")
    p = called(t)
    p.send_raw(t.wire.greeting(t.dialect.value) + ready(t), "greeting and READY")
    p.read_greeting()
    p.expect_command("READY")
    t.step("P is heard.")
    Publisher.of(p).barrier()


def _taken(variants: Sequence[Properties]) -> Callable[[PubSubTrial], None]:
    def run(t: PubSubTrial) -> None:
        for index, properties in enumerate(variants, 1):
            listed = ", ".join(f"{name[:20]!r} of {len(value)} octets" for name, value in properties)
            t.step(f"P{index} dials and sends READY with {listed}: it is heard.")
            introduce(t, dialled(t, f"P{index}"), ready(t, *properties)).barrier()

    return run


def _named(name: bytes) -> Properties:
    return [(name, SOCKET_TYPE[1])]


ACCEPTED: tuple[tuple[str, str, str, Sequence[Properties]], ...] = (
    (
        "names-in-any-case",
        "Names of properties are the same in capital and small letters",
        "ZMTP-N-6",
        [_named(b"socket-type"), _named(b"SOCKET-TYPE"), _named(b"sOCKET-tYPE")],
    ),
    (
        "unknown",
        "Unknown properties do no harm, before and after Socket-Type",
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
        "Values hold any octets",
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
    case(f"zmtp-sub.metadata.{_subject}", _title, _rule)(_taken(_variants))


@case(
    "zmtp-sub.metadata.long-form",
    "A small READY with a size of eight octets is the same",
    "ZMTP-F-6",
    dialects=BOTH,
)
def long_form(t: PubSubTrial) -> None:
    t.step("P dials and sends READY as a long frame: it is heard.")
    own_ready = t.wire.command("READY", long=True, properties=[SOCKET_TYPE])
    introduce(t, dialled(t), own_ready).barrier()


@case("zmtp-sub.metadata.no-type", "READY without Socket-Type", "ZMTP-N-7", polarity=NEGATIVE)
def no_type(t: PubSubTrial) -> None:
    t.step("P dials and sends READY without any property, which nothing is said of.")
    p = dialled(t)
    p.send_raw(t.wire.command("READY", properties=[]), "READY without properties")
    p.read_available(0.1)
    t.observed("is taken" if p.lost is None else "closes the connection")


def prop(name: bytes, value: bytes, size: int | None = None) -> bytes:
    """A property as it lies on the wire; `size` is what it announces, instead of the true length of `value`."""
    announced = len(value) if size is None else size
    return bytes((len(name),)) + name + announced.to_bytes(4, "big") + value


GOOD = prop(*SOCKET_TYPE)

MALFORMED: tuple[tuple[str, str, tuple[bytes, ...], str | None], ...] = (
    (
        "name-beyond",
        "a name that reaches beyond the end",
        (b"\x0bSocket", GOOD + b"\x05X-A", GOOD + b"\x01"),
        None,
    ),
    ("size-cut", "a value's size that is cut", (b"\x0bSocket-Type" + bytes(3), GOOD + b"\x03X-A\x00"), None),
    (
        "value-beyond",
        "a value that reaches beyond the end",
        (prop(b"Socket-Type", b"PUB", 4), GOOD + prop(b"X-A", b"1", 2)),
        None,
    ),
    (
        "value-too-large",
        "a value's size of 2^31 and more",
        tuple(GOOD + prop(b"X-A", b"1", size) for size in (2**31 - 1, 2**31, 2**32 - 1, 2**32 - 8)),
        None,
    ),
    (
        "no-size",
        "a name after which it ends",
        (GOOD + b"\x03X-A", b"\x0bSocket-Type"),
        "takes metadata that ends exactly after a name",
    ),
    (
        "no-value",
        "the size of a value after which it ends",
        (GOOD + prop(b"X-A", b"", 1), GOOD + prop(b"X-A", b"", 2**32 - 1)),
        "takes metadata that ends exactly after a value's size",
    ),
    (
        "no-name",
        "a property that has no name",
        (GOOD + prop(b"", b"value"), prop(b"", b"") + GOOD),
        "takes a property without a name like any other",
    ),
)


def _refused(bodies: Sequence[bytes], libzmq: str | None) -> Callable[[PubSubTrial], None]:
    def run(t: PubSubTrial) -> None:
        empty = t.wire.body("READY", properties=[])
        for index, tail in enumerate(bodies, 1):
            t.step(f"P{index} dials and sends READY with metadata of {len(tail)} octets: it is left.")
            p = dialled(t, f"P{index}")
            p.send_raw(t.wire.frame(empty + tail, command=True), "malformed READY")
            expect_left(t, p, "malformed metadata", libzmq)

    return run


for _subject, _what, _bodies, _libzmq in MALFORMED:
    case(
        f"zmtp-sub.metadata.{_subject}",
        f"READY with {_what} closes the connection",
        "ZMTP-N-17",
        "ZMTP-N-4",
        polarity=NEGATIVE,
    )(_refused(_bodies, _libzmq))


@case(
    "zmtp-sub.metadata.type-in-any-case",
    "A type that does not fit is refused, in whatever letters the property is named",
    "ZMTP-N-6",
    polarity=NEGATIVE,
)
def type_in_any_case(t: PubSubTrial) -> None:
    for name in (b"socket-type", b"SOCKET-TYPE"):
        t.step(f"A peer dials that calls itself PUSH in a property called {name!r}: it is left.")
        p = dialled(t)
        p.send_raw(ready(t, (name, b"PUSH")), "READY of a PUSH")
        expect_left(t, p, "no publisher", "knows the property by its usual letters alone")


@case("zmtp-sub.metadata.odd-names", "Names with other characters", "ZMTP-N-4", polarity=NEGATIVE)
def odd_names(t: PubSubTrial) -> None:
    for index, name in enumerate((b"X Y", b"X\x00Y", b"X/Y", b"\xc3\xa9"), 1):
        t.step(f"P{index} sends READY with a property called {name!r}, which no receiver has to refuse.")
        p = dialled(t, f"P{index}")
        p.send_raw(ready(t, SOCKET_TYPE, (name, b"value")), "READY with an odd name")
        p.read_available(0.05)
        t.observed(f"{name!r}: " + ("is taken" if p.lost is None else "closes the connection"))


@case(
    "zmtp-sub.metadata.first-command",
    "Anything but READY or ERROR in its place closes the connection",
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
        ("a command called ready", t.wire.frame(b"\x05ready" + properties, command=True)),
        ("a command called HELLO", t.wire.frame(b"\x05HELLO" + properties, command=True)),
        ("a command without a name", t.wire.frame(b"\x00" + properties, command=True)),
        ("an empty command", t.wire.frame(b"", command=True)),
        ("a command whose name is cut", t.wire.frame(b"\x05READ", command=True)),
    )
    for index, (what, octets) in enumerate(places, 1):
        t.step(f"P{index} sends {what} where READY belongs: it is left.")
        p = dialled(t, f"P{index}")
        p.send_raw(octets, what)
        p.expect_closed(CLOSES, why="no READY")
    t.app.expect_nothing("no handshake was completed")


@case(
    "zmtp-sub.metadata.ready-as-message",
    "A message is no command, even if it reads like READY",
    "ZMTP-F-2",
    polarity=NEGATIVE,
    dialects=BOTH,
)
def ready_as_message(t: PubSubTrial) -> None:
    t.step("P dials and sends what READY holds in the frame of a message: it is left.")
    p = dialled(t)
    p.send_raw(t.wire.frame(t.wire.body("READY", properties=[SOCKET_TYPE])), "READY as a message")
    expect_left(t, p, "no READY", "takes READY from the frame of a message too")


@case(
    "zmtp-sub.metadata.ready-twice",
    "A second READY does not reach the application",
    "ZMTP-U-11",
    polarity=NEGATIVE,
    dialects=BOTH,
)
def ready_twice(t: PubSubTrial) -> None:
    t.app.subscribe(b"")
    t.step("P, whose handshake is complete, sends READY again: that is not a message.")
    p = t.publisher("P")
    p.send_raw(ready(t), "a second READY")
    p.read_available(0.05)
    t.observed("goes on" if p.lost is None else "closes the connection")
    t.app.expect_nothing("READY is a command")
