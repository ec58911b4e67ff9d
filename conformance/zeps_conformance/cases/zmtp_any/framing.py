"""Frames: invalid sizes, announced sizes, and reserved bits."""

from __future__ import annotations

from collections.abc import Sequence

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zmtp_any.dialled_peers import announced, fate, greeted
from zeps_conformance.sockets.pubsub import NEGATIVE, Connection
from zeps_conformance.sockets.trial import SocketTrial

RESERVED = 0b11111000
MEBIBYTE = 1 << 20


def _too_large(t: SocketTrial, kind: str, size: int) -> None:
    t.step("After the handshake, A begins a frame of an invalid size: the connection is closed.")
    a = t.peer("A")
    a.send_raw(announced(t, kind, size), f"a frame of {size} bytes")
    t.check(a.ends(t.options.leaving), "the connection is closed", "it stays open")


for _name_of_kind, _kind in {"message": "LONG-LAST", "more": "LONG-MORE", "command": "LONG-COMMAND"}.items():
    for _name, _size in {"2-to-63": 1 << 63, "all-ones": (1 << 64) - 1}.items():
        case(
            f"A frame of 2^63 bytes or more is refused: {_name_of_kind}, {_name.replace('-', ' ')}",
            "ZMTP-F-7",
            subject=f"too-large-{_name_of_kind}-{_name}",
            polarity=NEGATIVE,
        )(_too_large, _kind, _size)


def _announced(t: SocketTrial, connections: Sequence[Connection], data: bytes, size: int) -> None:
    """Sends the beginning of frames of `size` bytes: a new peer must be served, memory may grow by half of all."""
    before = t.memory()
    for connection in connections:
        connection.send_raw(data, f"{size >> 20} MiB are announced, and 64 bytes arrive")
    witness = t.peer("after the announcements")
    t.serve(witness, b"still served")
    t.check_memory(before, len(connections) * size // 2)


@case("Memory is not allocated for a message that was only announced", "ZMTP-X-4", polarity=NEGATIVE)
def announced_message(t: SocketTrial) -> None:
    t.step("Four peers announce messages of 64 MiB each and send 64 bytes of them.")
    peers = [t.peer(f"A{number}") for number in range(4)]
    size = 64 * MEBIBYTE
    _announced(t, peers, announced(t, "LONG-LAST", size, bytes(64)), size)


@case(
    "Memory is not allocated for a READY that was only announced", "ZMTP-X-2", "ZMTP-X-4", polarity=NEGATIVE
)
def announced_command(t: SocketTrial) -> None:
    t.step("Four peers send a greeting, announce a READY of 64 MiB each and send 64 bytes of it.")
    peers = [greeted(t, f"A{number}") for number in range(4)]
    size = 64 * MEBIBYTE
    ready = t.wire.body("READY", properties=[(b"Socket-Type", t.peer_type.encode())])
    _announced(t, peers, announced(t, "LONG-COMMAND", size, ready.ljust(64, b"\0")), size)


@case("Announcements larger than any memory do not affect other connections", "ZMTP-X-4", polarity=NEGATIVE)
def announced_huge(t: SocketTrial) -> None:
    t.step("Peers announce messages and commands of 2^31 to 2^63-1 bytes and send 64 bytes of them.")
    for kind in ("LONG-LAST", "LONG-MORE", "LONG-COMMAND"):
        for size in (1 << 31, 1 << 32, 1 << 40, (1 << 63) - 9, (1 << 63) - 1):
            a = t.peer(f"A {kind} {size:#x}")
            data = announced(t, kind, size, bytes(64))
            a.send_raw(data, f"{size} bytes announced", may_fail=True)
    t.step("B is served.")
    t.serve(t.peer("B"))


def _reserved(t: SocketTrial, flags: int) -> None:
    t.step("A is served, and sends a frame with a reserved bit set.")
    a = t.peer("A")
    a.barrier()
    a.send_raw(bytes((flags, 2)) + b"\x01y", f"a frame with flags {flags:#04x}")
    t.observed(fate(a))


for _flags in (0x08, 0x10, 0x20, 0x40, 0x80, 0xF8):
    case(
        f"A frame with flags %x{_flags:02X} does not affect other connections",
        "ZMTP-F-1",
        subject=f"reserved-flags-{_flags:02x}",
        polarity=NEGATIVE,
    )(_reserved, _flags)


def _command_with_more(t: SocketTrial, flags: int) -> None:
    t.step("A is served, and sends the command SUBSCRIBE with the MORE bit set.")
    a = t.peer("A")
    a.barrier()
    body = t.wire.body("SUBSCRIBE", topic=b"y")
    size = len(body).to_bytes(8 if flags & 2 else 1, "big")
    a.send_raw(bytes((flags,)) + size + body, f"a command with flags {flags:#04x}")
    t.observed(fate(a))


for _flags in (0x05, 0x07):
    case(
        f"A command with bit 0, flags %x{_flags:02X}, does not affect other connections",
        "ZMTP-F-3",
        subject=f"command-with-more-{_flags:02x}",
        polarity=NEGATIVE,
    )(_command_with_more, _flags)


@case(
    "The implementation's READY is a command with neither bit 0 nor a reserved bit",
    "ZMTP-F-3",
    "ZMTP-F-1",
    "ZMTP-F-14",
)
def own_commands(t: SocketTrial) -> None:
    t.step("A reads the READY that it receives: a command frame whose name is exactly READY.")
    a = greeted(t, "A")
    a.send_ready(t.peer_type)
    ready = a.expect_command("READY")
    t.check(not ready.more, "bit 0 zero", f"flags {ready.flags:#04x}")
    t.check(ready.flags & RESERVED == 0, "bits 7 to 3 zero", f"flags {ready.flags:#04x}", "ZMTP-F-1")
    t.check(ready.command, "a command", f"flags {ready.flags:#04x}", "ZMTP-F-14")
