"""Input that a publisher must not send: a subscriber survives it, and receives from other publishers."""

from __future__ import annotations

import random
from collections.abc import Sequence

from zeps_conformance.cases.mutations import mutated
from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zmtp_sub.handmade_publishers import SOCKET_TYPE, ready
from zeps_conformance.sockets.markers import show
from zeps_conformance.sockets.pubsub import BOTH, NEGATIVE, Dialect, Publisher, PubSubTrial

ROUNDS = 150  # mutations in one case
#: Sizes of frames that are announced and not sent; the fourth is five in its lower 32 bits.
ANNOUNCED = (2**26, 2**28, 2**31, 2**32 + 5, 2**40)
READ = 0.5  # seconds after which the implementation has read the input, however busy the machine is
DIGESTED = 0.05  # seconds after which the implementation has processed the input
BATCH = 25  # mutations after which a valid publisher's message is checked


@case(
    "A flood of small messages is survived; the delivered messages are in order, each once",
    "ZMTP-F-10",
    "ZMTP-F-9",
    "ZMTP-U-3",
    polarity=NEGATIVE,
)
def flood(t: PubSubTrial) -> None:
    t.app.subscribe(b"f")
    q = t.publisher("Q")
    t.step("P sends 20,000 messages as fast as it can, and Q's messages arrive meanwhile.")
    p = t.publisher("P")
    message = t.wire.message(b"f00000")
    for first in range(0, 20_000, 2000):
        some = (message.replace(b"00000", b"%05d" % number) for number in range(first, first + 2000))
        p.send_raw(b"".join(some), "2,000 messages")
        q.barrier()
    t.step(
        "P's connection is reset. The messages that the application reads, 200 at most, are in order, each once."
    )
    p.reset()
    seen = t.app.take(200, 0.1)
    t.compare("the messages in order", sorted(set(seen)), seen)


@case("Unrequested messages are survived", "ZMTP-S-13", polarity=NEGATIVE, types=("SUB",))
def unasked_flood(t: PubSubTrial) -> None:
    t.step("The application subscribes to 'topic'; P sends 3,000 other messages, and one of that topic.")
    t.app.subscribe(b"topic")
    p = t.publisher("P")
    p.expect_subscribe(b"topic")
    p.send_raw(t.wire.message(b"other", b"body") * 3000, "3,000 messages")
    t.step("The message of that topic arrives; it is sent again if a full queue has dropped it.")
    for patience in (1.0, 5.0):
        p.send(b"topic", b"body")
        while (seen := t.app.recv(patience)) is not None and seen[0] == b"other":
            pass
        if seen is not None:
            break
    t.check(seen == (b"topic", b"body"), "'topic' + 'body'", show(seen), "ZMTP-U-6")


@case("An announced frame size is neither allocated nor truncated", "ZMTP-X-4", "ZMTP-F-4", polarity=NEGATIVE)
def announcements(t: PubSubTrial) -> None:
    t.app.subscribe(b"")
    q = t.publisher("Q")
    q.barrier()
    before = t.memory()
    crowd = []
    for size in ANNOUNCED:
        t.step(f"A publisher announces a frame of {size:,} bytes, and sends five of them.")
        p = t.publisher("P", dial=True)
        flags = t.wire.frame(b"", long=True)[:1]
        p.send_raw(flags + size.to_bytes(8, "big") + b"stray", "an announcement")
        p.ends(READ)
        crowd.append(p)
    t.step("Q's messages still arrive, memory has not grown by more than 128 MiB, and nothing is delivered.")
    q.barrier()
    t.app.expect_nothing("no frame was complete", rule="ZMTP-F-4")
    t.check_memory(before, 128 << 20)
    t.step(
        "They disconnect; Q's messages still arrive, and so do those of a publisher that connects afterwards."
    )
    for p in crowd:
        p.close()
    t.publisher("R", dial=True).barrier()
    _still_heard(t, q)


@case("A message without an end does not affect other publishers", "ZMTP-F-8", polarity=NEGATIVE)
def endless_message(t: PubSubTrial) -> None:
    t.app.subscribe(b"")
    q = t.publisher("Q")
    t.step(
        "P sends 10,000 frames of one message, and no last frame; Q's messages arrive, and nothing of P is "
        "delivered."
    )
    p = t.publisher("P", dial=True)
    p.send_raw(t.wire.frame(b"endless", more=True) * 10_000, "10,000 frames with MORE")
    q.barrier()
    t.app.expect_nothing("the message is unfinished")
    t.step("P is disconnected, and Q's messages still arrive.")
    p.reset()
    q.barrier()
    t.app.expect_nothing("the message is unfinished")


@case(
    "Random bytes instead of frames do not affect other publishers",
    "ZMTP-F-1",
    polarity=NEGATIVE,
    dialects=BOTH,
)
def random_octets(t: PubSubTrial) -> None:
    q = t.publisher("Q")
    t.step("Forty publishers complete the handshake and send random bytes; Q's messages arrive throughout.")
    for number in range(40):
        p = t.publisher("P", dial=True)
        p.send_raw(t.random_bytes(t.rng.randrange(1, 400)), "random bytes", may_fail=True)
        p.read_available(0.001)
        p.close()
        if number % 10 == 9:
            _still_heard(t, q)


@case("Random bytes instead of a greeting do not affect other publishers", "ZMTP-G-8", polarity=NEGATIVE)
def random_greetings(t: PubSubTrial) -> None:
    q = t.publisher("Q")
    t.step(
        "A hundred publishers send random bytes, some after the beginning of a greeting; Q's messages arrive."
    )
    greeting = t.wire.greeting()
    for number in range(100):
        p = t.dial("P")
        kept = t.rng.choice((0, 1, 9, 10, 11, 12, 32))
        p.send_raw(greeting[:kept] + t.random_bytes(t.rng.randrange(1, 200)), "random bytes", may_fail=True)
        p.read_available(0.001)
        p.close()
        if number % BATCH == BATCH - 1:
            _still_heard(t, q)


def conversation(t: PubSubTrial, dialect: Dialect) -> list[bytes]:
    """The output of a publisher, unit by unit: greeting, READY, messages of all forms, commands."""
    return [
        t.wire.greeting(dialect.value),
        ready(t, SOCKET_TYPE, (b"Identity", b""), (b"X-Name", b"value")),
        t.wire.message(b"topic", b"body"),
        t.wire.message(b"", b"", b"three"),
        t.wire.frame(b"long", long=True),
        t.wire.message(b"l" * 300),
        t.wire.command("PING", ttl=10, context=b"context"),
        t.wire.message(b"\x01topic"),
        t.wire.command("PONG", context=b""),
        t.wire.message(b"last"),
    ]


def _mutated_output(rng: random.Random, units: Sequence[bytes], first: int) -> bytes:
    """Joins `units`, after mutating those from `first` on; in three of ten calls they are reordered before."""
    rest = list(units[first:])
    if rng.random() < 0.3:
        rng.shuffle(rest)
    return b"".join(units[:first]) + mutated(rng, b"".join(rest))


def _mutated(t: PubSubTrial, first: int) -> None:
    t.allow(10)
    t.app.subscribe(b"")
    q = t.publisher("Q")
    units = conversation(t, t.dialect)
    t.step(
        "One publisher after the other sends randomly mutated output and disconnects; Q's messages "
        "arrive throughout."
    )
    for number in range(ROUNDS):
        _say(t, _mutated_output(t.rng, units, first))
        if number % BATCH == BATCH - 1:
            _still_heard(t, q)


def _say(t: PubSubTrial, data: bytes) -> None:
    p = t.dial("P")
    p.send_raw(data, "mutated output", may_fail=True)
    p.read_available(0.002)
    p.close()


def _still_heard(t: PubSubTrial, q: Publisher) -> None:
    q.read_available(DIGESTED)
    q.barrier()
    t.app.collect()


for _subject, _first, _what in (
    ("mutated-greeting", 0, "its greeting"),
    ("mutated-ready", 1, "its READY"),
    ("mutated-traffic", 2, "its first message"),
):
    case(
        f"Output that is randomly mutated from {_what} on does not affect other publishers",
        "ZMTP-N-15",
        subject=_subject,
        polarity=NEGATIVE,
        dialects=BOTH,
    )(_mutated, _first)
