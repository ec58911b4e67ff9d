"""Older peers: versions 2.0 and 1.0, which a publisher may serve or disconnect."""

from __future__ import annotations

import time

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.subscribers import received
from zeps_conformance.cases.zmtp_any.dialled_peers import fate, greeting_2_0, is_version_three
from zeps_conformance.sockets.pubsub import NEGATIVE, V3_0, Connection, PubSubTrial, Subscriber

SHORT = 0.3  # seconds of silence after which no more input is expected
LIBZMQ_XPUB = 9  # ZMQ_XPUB in zmq.h
PATIENCE = 1.5  # seconds in which a peer of version 1.0 has to be served or disconnected


def _two_zero(t: PubSubTrial, name: str, revision: int = 1, socket_type: str = "SUB") -> Connection:
    """Connects a peer of version 2.0, which sends a greeting and subscribes to 'x', in at least 64 bytes."""
    a = t.dial(name)
    greeting = greeting_2_0(t, socket_type, revision)
    a.send_raw(greeting, f"greeting of version 2.0, revision {revision}, socket type {socket_type}")
    a.send_raw(t.wire.subscribe(b"x", V3_0), "subscription to 'x'", may_fail=True)
    filling = t.wire.subscribe(t.random_bytes(t.wire.greeting_size), V3_0)
    a.send_raw(filling, "a subscription that fills 64 bytes", may_fail=True)
    return a


def _revision(t: PubSubTrial, revision: int, rule: str) -> None:
    t.step("A sends a greeting as a subscriber of version 2.0 and subscribes to 'x'.")
    a = _two_zero(t, "A", revision)
    expected = greeting_2_0(t, "PUB", revision)
    seen = a.read_available(SHORT, len(expected))
    if a.lost or len(seen) < len(expected) or is_version_three(t, seen):
        t.step("A receives no greeting of version 2.0, so it must be disconnected.")
        t.check(a.ends(t.options.leaving), "the connection is closed", "it stays open", rule)
        t.observed("version 2.0 is not spoken")
        return
    t.step("A receives socket type PUB and an empty identity, in the form of version 2.0.")
    type_at = t.wire.major_at + 1
    t.compare("an empty identity:", expected[type_at + 1 :], seen[type_at + 1 :], "ZMTP-F-12")
    t.step("The application sends 'a' and 'x', small and large; A receives both 'x' in frames of 2.0.")
    peer = Subscriber.of(a, V3_0)
    peer.barrier()
    messages = [(b"a",), (b"x", b""), (b"x" * 300,)]
    t.compare("A receives", messages[1:], received(t, peer, *messages), "ZMTP-G-8")
    known = ("XPUB has its own type number in version 2.0", LIBZMQ_XPUB) if t.type == "XPUB" else None
    t.compare("the type", expected[type_at], seen[type_at], "ZMTP-S-17", known)


case(
    "A subscriber of version 2.0 is served in that version, or disconnected",
    "ZMTP-G-8",
    "ZMTP-G-21",
    "ZMTP-F-12",
    "ZMTP-F-16",
    "ZMTP-S-17",
    subject="two-zero",
)(_revision, 1, "ZMTP-G-8")
case("Revision 2 is version 2.0 too", "ZMTP-G-24", "ZMTP-F-12", "ZMTP-F-16", subject="two-zero-revision-2")(
    _revision, 2, "ZMTP-G-24"
)


def _two_zero_type(t: PubSubTrial, name: str) -> None:
    t.step("A sends a greeting as a peer of version 2.0 of an incompatible type, and subscribes to 'x'.")
    a = _two_zero(t, "A", socket_type=name)
    t.step("A is disconnected without a message.")
    seen = a.read_available(0.4, t.wire.greeting_size)
    if not a.ends(t.options.leaving):
        seen_text = "it stays open" if is_version_three(t, seen) else fate(Subscriber.of(a, V3_0))
        t.check(False, "the connection is closed", seen_text)


for _name in ("PAIR", "PUB", "REQ", "REP", "DEALER", "ROUTER", "PULL", "PUSH"):
    case(
        f"A peer of version 2.0 and type {_name} is disconnected",
        "ZMTP-S-19",
        subject=f"two-zero-{_name.lower()}",
        polarity=NEGATIVE,
    )(_two_zero_type, _name)


def _one_zero(t: PubSubTrial, name: str, identity: bytes) -> tuple[Connection, bytes]:
    """Connects a subscriber of version 1.0; returns it and the first bytes that it receives, within at most 1.5 s."""
    a = t.dial(name)
    frame = t.wire.old("zmtp_1").encode("FRAME", content=b"\x00" + identity)
    a.send_raw(frame, f"identity of version 1.0, {len(identity)} bytes")
    seen = b""
    deadline = time.monotonic() + PATIENCE
    while len(seen) <= t.wire.major_at and not a.lost and time.monotonic() < deadline:
        t.app.send(b"tick")
        seen += a.read_available(0.03)
    if is_version_three(t, seen):
        a.ends(t.options.leaving)
    return a, seen


def _is_one_zero(t: PubSubTrial, seen: bytes) -> bool:
    """Returns whether `seen`, behind the ten bytes of an identity, is whole ticks in the form of version 1.0."""
    tick = _one_zero_frames(t, (b"tick",))
    ticks = seen[t.wire.major_at :]
    return bool(ticks) and ticks == tick * (len(ticks) // len(tick))


@case(
    "A subscriber of version 1.0 receives every message, or is disconnected",
    "ZMTP-G-8",
    "ZMTP-G-17",
    "ZMTP-S-18",
    "ZMTP-F-13",
)
def one_zero(t: PubSubTrial) -> None:
    t.allow(PATIENCE)
    t.step("A opens as a peer of version 1.0 with an identity of 80 bytes, and sends no more.")
    a, seen = _one_zero(t, "A", b"A" * 80)
    if a.lost:
        t.observed("version 1.0 is not spoken")
        return
    t.step("A receives the application's messages, without a subscription and in frames of version 1.0.")
    served = _is_one_zero(t, seen)
    t.check(served, "messages in frames of 1.0, or the end", seen[:32].hex(" ") or "nothing")
    _everything(t, a)
    t.step("B opens with an empty identity, and receives every message too.")
    b, seen = _one_zero(t, "B", b"")
    t.check(_is_one_zero(t, seen), "messages", seen[:32].hex(" ") or "nothing", "ZMTP-S-18")
    _everything(t, b)


def _everything(t: PubSubTrial, a: Connection) -> None:
    """Checks that messages of several frames and sizes arrive in the form of version 1.0, after ticks."""
    messages = ((b"x",), (b"",), (b"\x00\xff", b"", b"end"), (b"y" * 253,), (b"z" * 254,), (b"w" * 70_000,))
    for parts in messages:
        t.app.send(*parts)
    expected = b"".join(_one_zero_frames(t, parts) for parts in messages)
    seen, tick = a.read_exactly(len(expected)), _one_zero_frames(t, (b"tick",))
    while seen.startswith(tick):
        seen = seen.removeprefix(tick) + a.read_exactly(len(tick))
    t.check(
        seen == expected,
        f"{a.name} receives {len(messages)} messages",
        "other bytes",
        "ZMTP-F-13",
    )


def _one_zero_frames(t: PubSubTrial, parts: tuple[bytes, ...]) -> bytes:
    """A message in frames of version 1.0; the model has their short form only (RFC 13 §Framing Layer)."""
    frames = b""
    for number, part in enumerate(parts, 1):
        content = bytes((number < len(parts),)) + part
        if len(content) < 255:
            frames += t.wire.old("zmtp_1").encode("FRAME", content=content)
        else:
            frames += b"\xff" + len(content).to_bytes(8, "big") + content
    return frames
