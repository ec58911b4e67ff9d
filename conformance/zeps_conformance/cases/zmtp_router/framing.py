"""Frames of a ROUTER's messages: sizes, flags, and how they are split into packets."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zmtp_any.dialled_peers import announced
from zeps_conformance.sockets.peer import parts_of
from zeps_conformance.sockets.router import BOTH, NEGATIVE, RouterTrial

RESERVED = 0b11111000
SIZES = (0, 1, 2, 200, 254, 255, 256, 257, 65_535, 65_536, 1 << 20)


@case(
    "Frames of all sizes have the right flags and size",
    "ZMTP-F-2",
    "ZMTP-F-1",
    "ZMTP-F-4",
    "ZMTP-F-5",
    "ZMTP-F-11",
    dialects=BOTH,
)
def sizes(t: RouterTrial) -> None:
    a = t.dealer("A")
    for size in SIZES:
        if size > t.service.body_max:
            continue
        t.step(f"A requests {size} bytes; the frame that arrives is short up to 255 bytes, and long above.")
        for frame in a.exchange(t.random_bytes(size), "ZMTP-F-4"):
            t.check(frame.flags & RESERVED == 0, "bits 7 to 3 zero", f"flags {frame.flags:#04x}", "ZMTP-F-1")
            t.compare("bit 1, for an eight-byte size:", len(frame.body) > 255, frame.long, "ZMTP-F-5")


@case("All frames of a message except the last have bit 0", "ZMTP-F-2", "ZMTP-F-8", dialects=BOTH)
def parts(t: RouterTrial) -> None:
    if t.service.parts_max is not None:
        t.unsupported(f"the service {t.service.name} does not have messages of several frames")
    a = t.dealer("A")
    t.step("A sends a message of five parts, large and small: it receives five frames.")
    message = (t.token(), b"one", t.random_bytes(256), b"", t.random_bytes(70_000))
    a.send_message(*message)
    frames = a.next_message(t.options.timeout)
    t.check(parts_of(frames) == message, "the same message", f"{len(frames)} other frames", "ZMTP-F-8")
    for number, frame in enumerate(frames, 1):
        t.compare(f"bit 0 of frame {number}:", number < len(message), frame.more)


@case("Small messages with an eight-byte size", "ZMTP-F-6", dialects=BOTH)
def long_form(t: RouterTrial) -> None:
    t.step("A sends a request in long frames, and receives the answer.")
    a = t.dealer("A")
    asked = t.ask(b"long")
    for message in asked.said:
        for number, part in enumerate(message, 1):
            a.send_frame(part, more=number < len(message), long=True)
    t.check(a.await_answer(asked, t.options.timeout) is not None, "the answer", "another message or nothing")


@case("Messages that arrive byte by byte", "ZMTP-F-2", dialects=BOTH)
def octet_by_octet(t: RouterTrial) -> None:
    t.step("A sends a request byte by byte, and receives the answer.")
    a = t.dealer("A")
    asked = t.ask(b"slow")
    a.send_slowly(b"".join(t.wire.message(*parts) for parts in asked.said), 0.001)
    t.check(a.await_answer(asked, t.options.timeout) is not None, "the answer", "another message or nothing")


@case("An incomplete message does not affect other connections", "ZMTP-F-8", polarity=NEGATIVE)
def cut_message(t: RouterTrial) -> None:
    t.step("Peers send all of a request except its last byte, and close or reset the connection.")
    for number in range(6):
        a = t.dealer(f"A{number}")
        request = b"".join(t.wire.message(*parts) for parts in t.ask(b"cut").said)
        a.send_raw(request[:-1], "a request without its last byte")
        (a.close, a.reset)[number % 2]()
    t.step("Peers send frames with MORE, and disconnect.")
    for number in range(6):
        a = t.dealer(f"B{number}")
        frames = t.wire.frame(t.token(), more=True) + t.wire.frame(b"two", more=True)
        a.send_raw(frames, "two frames with MORE")
        (a.close, a.reset)[number % 2]()


@case("Partial long messages do not affect other connections", "ZMTP-F-8", "ZMTP-X-4", polarity=NEGATIVE)
def cut_long_message(t: RouterTrial) -> None:
    t.step("Peers announce messages of up to 16 MiB, send half of them, and disconnect.")
    for exponent in (9, 16, 20, 24):
        a = t.dealer(f"A{exponent}")
        size = 1 << exponent
        a.send_raw(announced(t, "LONG-LAST", size, bytes(size // 2)), f"half of {size} bytes", may_fail=True)
        (a.close, a.reset)[exponent % 2]()


@case("An empty message does not affect other connections", "ZMTP-F-4", polarity=NEGATIVE)
def empty_message(t: RouterTrial) -> None:
    t.step("A sends an empty message, and is served.")
    a = t.dealer("A")
    a.send_message(b"")
    t.serve(a)
