"""Frames of a publisher: short and long, whole and in pieces, well-formed and malformed."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zmtp_sub.handmade_publishers import deliver, fill
from zeps_conformance.sockets.pubsub import BOTH, NEGATIVE, V3_1, Publisher, PubSubTrial

RESERVED = (0x08, 0x10, 0x20, 0x40, 0x80, 0xF8)
MORE = 1


@case(
    "Frames of every size are received unchanged",
    "ZMTP-F-4",
    "ZMTP-F-2",
    "ZMTP-U-5",
    "ZMTP-U-6",
    dialects=BOTH,
)
def sizes(t: PubSubTrial) -> None:
    p = t.publisher("P")
    t.app.subscribe(b"")
    t.step(
        "P sends messages of sizes near the limits of short frames and of two-byte lengths, and a large one."
    )
    for size in (0, 1, 2, 254, 255, 256, 257, 8191, 8192, 65_535, 65_536, 300_000):
        body = t.random_bytes(size)
        deliver(t, p, b"topic", body)


@case("A small frame in the long form is equal to one in the short form", "ZMTP-F-6", dialects=BOTH)
def long_form(t: PubSubTrial) -> None:
    p = t.publisher("P")
    t.app.subscribe(b"")
    t.step("P sends small messages in frames with an eight-byte size; the application receives them.")
    for size in (0, 1, 254, 255):
        p.send_frame(b"x" * size, long=True)
        t.app.expect(b"x" * size)
    t.step("P sends a message of three frames, of which the first and the last are long.")
    p.send_raw(
        t.wire.frame(b"a", more=True, long=True)
        + t.wire.frame(b"b", more=True)
        + t.wire.frame(b"c", long=True),
        "three frames",
    )
    t.app.expect(b"a", b"b", b"c")


@case(
    "A small command in the long form is equal to one in the short form",
    "ZMTP-F-6",
    "ZMTP-H-3",
    dialects=(V3_1,),
)
def long_command(t: PubSubTrial) -> None:
    t.step("P sends PING in a frame with an eight-byte size: it receives PONG.")
    p = t.publisher("P")
    p.send_command("PING", long=True, ttl=0, context=b"long")
    p.expect_pong(b"long")


@case("Frames may arrive byte by byte", "ZMTP-F-8", "ZMTP-F-4", dialects=BOTH)
def octet_by_octet(t: PubSubTrial) -> None:
    p = t.publisher("P")
    t.app.subscribe(b"")
    t.step("P sends short and long frames byte by byte: the application receives the messages.")
    p.send_slowly(t.wire.message(b"", b"short", b""), 0.001)
    t.app.expect(b"", b"short", b"")
    p.send_slowly(t.wire.frame(b"long", more=True, long=True) + t.wire.frame(b"form", long=True), 0.001)
    t.app.expect(b"long", b"form")


@case("Frames may be split anywhere, and many may arrive at once", "ZMTP-F-4", "ZMTP-F-10", dialects=BOTH)
def cut_anywhere(t: PubSubTrial) -> None:
    p = t.publisher("P")
    t.app.subscribe(b"")
    t.step("P sends 200 messages of 0 to 400 bytes in writes of any length: all arrive, in order.")
    bodies = [t.random_bytes(t.rng.randrange(400)) for _ in range(200)]
    data = b"".join(t.wire.message(body) for body in bodies)
    at = 0
    while at < len(data):
        size = t.rng.choice((1, 2, 3, 9, 10, 100, 1460, 5000))
        p.send_raw(data[at : at + size], "a piece")
        at += size
    for body in bodies:
        t.app.expect(body)


@case("Many frames in one write are many messages", "ZMTP-F-10", "ZMTP-F-9", dialects=BOTH)
def one_write(t: PubSubTrial) -> None:
    p = t.publisher("P")
    t.app.subscribe(b"")
    t.step("P sends 500 messages in one write: all arrive, in order.")
    bodies = fill(500)
    p.send_raw(b"".join(t.wire.message(body) for body in bodies), "500 messages")
    t.compare("the application receives", [(body,) for body in bodies], t.app.take(len(bodies)))


@case("A size of 2^63 or more is refused", "ZMTP-F-7", polarity=NEGATIVE, dialects=BOTH)
def too_large(t: PubSubTrial) -> None:
    t.app.subscribe(b"")
    for size in (2**63, 2**63 + 5, 2**64 - 1, 2**64 - 9):
        t.step(f"P announces a frame of {size:,} bytes and sends a few of them: it is disconnected.")
        p = t.publisher("P", dial=True)
        p.send_raw(head(t, size) + b"stray", "an announcement")
        p.expect_closed(t.options.leaving, why="a frame with an invalid size")
    t.app.expect_nothing("no frame was complete")


@case("A command of 2^63 bytes or more is refused", "ZMTP-F-7", polarity=NEGATIVE, dialects=BOTH)
def too_large_command(t: PubSubTrial) -> None:
    for size in (2**63, 2**64 - 1):
        t.step(f"P announces a command of {size:,} bytes: it is disconnected.")
        p = t.publisher("P", dial=True)
        p.send_raw(head(t, size, command=True) + b"\x04PING", "an announcement")
        p.expect_closed(t.options.leaving, why="a frame with an invalid size")


def head(t: PubSubTrial, size: int, command: bool = False) -> bytes:
    """The flags and the size of a long frame; `size` may also be an invalid one, up to 2^64-1."""
    return t.wire.frame(b"", command=command, long=True)[:1] + size.to_bytes(8, "big")


@case("A frame may announce more than it has sent so far", "ZMTP-X-4", "ZMTP-F-7", polarity=NEGATIVE)
def most_allowed(t: PubSubTrial) -> None:
    t.app.subscribe(b"")
    t.step("P announces a frame of 2^63-1 bytes, Q one of 2^40, and both send a few bytes.")
    before = t.memory()
    crowd = []
    for name, size in (("P", 2**63 - 1), ("Q", 2**40)):
        p = t.publisher(name, dial=True)
        p.send_raw(head(t, size) + b"stray", "an announcement")
        p.ends(0.1)
        crowd.append(p)
        t.observed(
            f"{size:,} bytes: " + ("it waits for the rest" if p.lost is None else "it closes the connection")
        )
    t.step("R's message arrives, and the implementation's memory has not grown by more than 64 MiB.")
    r = t.publisher("R")
    r.barrier()
    t.check_memory(before, 64 << 20)
    t.app.expect_nothing("no frame was complete")
    t.step("P and Q disconnect, and R's message still arrives.")
    for p in crowd:
        p.close()
    r.read_available(0.05)
    r.barrier()


@case(
    "Frames with reserved flags, whatever their effect, do not affect other connections",
    "ZMTP-F-1",
    polarity=NEGATIVE,
    dialects=BOTH,
)
def reserved_flags(t: PubSubTrial) -> None:
    t.app.subscribe(b"")
    for flags in RESERVED:
        t.step(f"P sends a frame with the flags {flags:#04x}, whose effect the specification leaves open.")
        p = t.publisher(f"P{flags:02x}", dial=True)
        message = t.wire.message(b"reserved")
        p.send_raw(bytes((message[0] | flags,)) + message[1:], "a frame with reserved flags")
        p.read_available(0.03)
        _tell(t, p, f"flags {flags:#04x}", (b"reserved",))


def _tell(t: PubSubTrial, p: Publisher, what: str, delivered: tuple[bytes, ...]) -> None:
    """Checks that the application receives `delivered` or nothing; observes which, and whether `what` disconnects P."""
    seen = t.app.recv(0.03)
    t.check(
        seen in (None, delivered),
        f"nothing, or {delivered!r}",
        repr(seen),
        "ZMTP-U-5",
    )
    outcome = "nothing" if seen is None else "a message"
    t.observed(
        f"{what}: {outcome} is delivered, and the connection is {'kept' if p.lost is None else 'closed'}"
    )


@case(
    "A command with MORE, whatever its effect, keeps messages whole",
    "ZMTP-F-3",
    "ZMTP-F-8",
    polarity=NEGATIVE,
    dialects=BOTH,
)
def more_on_command(t: PubSubTrial) -> None:
    t.app.subscribe(b"")
    for index, long in enumerate((False, True)):
        t.step(
            f"P{index} sends PING with the flag MORE{', in the long form' if long else ''}, and then a message."
        )
        p = t.publisher(f"P{index}", dial=True)
        ping = t.wire.command("PING", long=long, ttl=0, context=b"")
        p.send_raw(bytes((ping[0] | MORE,)) + ping[1:] + t.wire.message(b"a", b"b"), "PING with MORE")
        p.read_available(0.03)
        seen = t.app.recv(0.05)
        t.check(seen in (None, (b"a", b"b")), "the message unchanged, or nothing", repr(seen), "ZMTP-F-8")
        t.observed("the connection is " + ("kept" if p.lost is None else "closed"))


@case(
    "A command between the frames of a message: the message arrives whole or not at all",
    "ZMTP-F-8",
    polarity=NEGATIVE,
    dialects=BOTH,
)
def command_amid_message(t: PubSubTrial) -> None:
    t.app.subscribe(b"")
    t.step("P sends a frame with MORE, PING, the message's last frame, and another message.")
    p = t.publisher("P", dial=True)
    p.send_raw(
        t.wire.frame(b"a", more=True)
        + t.wire.command("PING", ttl=0, context=b"")
        + t.wire.frame(b"b")
        + t.wire.message(b"after"),
        "a command amid a message",
    )
    p.read_available(0.05)
    t.observed("the connection is " + ("kept" if p.lost is None else "closed"))
    seen = t.app.take(2, 0.1)
    whole = [(b"a", b"b"), (b"after",)]
    right = [parts for parts in whole if parts in seen]
    t.compare("unchanged messages, or none:", right, seen)


@case(
    "A command without a valid name is an error, and closes the connection",
    "ZMTP-N-15",
    "ZMTP-F-14",
    polarity=NEGATIVE,
    dialects=BOTH,
)
def nameless_commands(t: PubSubTrial) -> None:
    t.app.subscribe(b"")
    for index, (what, body) in enumerate(
        (
            ("an empty body", b""),
            ("a name that reaches beyond the body", b"\x09PING"),
            ("255 missing bytes", b"\xff"),
        )
    ):
        t.step(f"P{index} sends a command with {what}: it is disconnected.")
        p = t.publisher(f"P{index}", dial=True)
        p.send_frame(body, command=True)
        p.expect_closed(t.options.leaving, why="the command is malformed")
    t.app.expect_nothing("commands are not messages")


@case("A command's name is compared byte by byte", "ZMTP-F-15", polarity=NEGATIVE, dialects=(V3_1,))
def command_names(t: PubSubTrial) -> None:
    t.app.subscribe(b"")
    for index, name in enumerate((b"ping", b"Ping", b"PINGS", b"PIN")):
        t.step(f"P{index} sends a command named {name!r}, which is not PING: it receives no PONG.")
        p = t.publisher(f"P{index}", dial=True)
        p.send_frame(bytes((len(name),)) + name + b"\x00\x00ctx", command=True)
        t.check(p.next_pong(0.05) is None, "no PONG", "PONG")
        t.observed(f"{name!r}: the connection is " + ("kept" if p.lost is None else "closed"))
    t.app.expect_nothing("commands are not messages")
