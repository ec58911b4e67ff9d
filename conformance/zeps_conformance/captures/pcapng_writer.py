"""Writer of pcapng files: raw IP packets with times in nanoseconds, directions and comments."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from typing import BinaryIO

from zeps_conformance.captures.pcap_reader import (
    BYTE_ORDER,
    ENHANCED_PACKET,
    FLAGS,
    INTERFACE,
    SECTION,
    TSRESOL,
    USERAPPL,
)

__all__ = ["WrittenPacket", "write_pcapng"]

COMMENT, NAME = 1, 2  # options
RAW = 101  # link type: packets begin with IP
NANOSECONDS = 9  # the exponent of a packet's time
INBOUND, OUTBOUND = 1, 2
COMMENT_MAX = 60_000  # bytes; an option has at most 65,535


@dataclass(frozen=True, slots=True)
class WrittenPacket:
    """An IP packet. `time` is in seconds since 1970; `outbound`: the suite sent it."""

    time: float
    data: bytes
    outbound: bool
    comments: tuple[str, ...] = ()


def write_pcapng(file: BinaryIO, packets: Iterable[WrittenPacket], application: str, comment: str) -> None:
    """Writes `packets` in their order. `application` names the writing program, `comment` is about the whole file."""
    head = struct.pack("<IHHq", BYTE_ORDER, 1, 0, -1)
    file.write(_block(SECTION, head + _options([(COMMENT, _text(comment)), (USERAPPL, _text(application))])))
    interface = _options([(NAME, b"zeps-conform"), (TSRESOL, bytes((NANOSECONDS,)))])
    file.write(_block(INTERFACE, struct.pack("<HHI", RAW, 0, 0) + interface))
    for packet in packets:
        file.write(_packet(packet))


def _packet(packet: WrittenPacket) -> bytes:
    ticks = round(packet.time * 1e6) * 1000  # a float is not more precise
    size = len(packet.data)
    flags = OUTBOUND if packet.outbound else INBOUND
    options = [(COMMENT, _text(comment)) for comment in packet.comments]
    options.append((FLAGS, flags.to_bytes(4, "little")))
    head = struct.pack("<IIIII", 0, ticks >> 32, ticks & 0xFFFFFFFF, size, size)
    return _block(ENHANCED_PACKET, head + _padded(packet.data) + _options(options))


def _block(kind: int, body: bytes) -> bytes:
    length = len(body) + 12
    return struct.pack("<II", kind, length) + body + struct.pack("<I", length)


def _options(options: Iterable[tuple[int, bytes]]) -> bytes:
    encoded = [struct.pack("<HH", code, len(value)) + _padded(value) for code, value in options]
    return b"".join([*encoded, bytes(4)])


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)


def _text(text: str) -> bytes:
    return text.encode("utf-8", "replace")[:COMMENT_MAX].decode("utf-8", "ignore").encode("utf-8")
